"""Which goal of each scene a suite asks for: balanced, and so that no rule without language does well.

All goals of a scene were proved, so the choice costs nothing: it is drawn, audited, and drawn again.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from imove_core.errors import ImoveError
from imove_tasks.assets.rows import Row
from imove_tasks.registry import get_family
from imove_tasks.scenes import Scene
from imove_tasks.seeds import generator

DRAWS = 200
Choice = tuple[int, ...]
"""Number of the goal that each scene asks for."""


def choose_goals(
    scenes: Sequence[Scene],
    row: Callable[[str], Row],
    seed: int,
    fault: Callable[[Choice], str],
) -> Choice:
    """Chooses the goal that each scene asks for.

    Args:
        scenes: Proved scenes of one suite.
        row: Row of an asset by UUID.
        seed: Of the suite.
        fault: Audits a choice; "" where it is sound, else what is wrong with it.

    Raises:
        ImoveError: No choice is sound; the message says what was wrong with most of them.
    """
    faults: Counter[str] = Counter()
    for draw in range(DRAWS):
        choice = _balanced(scenes, row, seed, draw)
        found = fault(choice)
        if not found:
            return choice
        faults[found] += 1
    worst, count = faults.most_common(1)[0]
    raise ImoveError(f"no choice of goals is sound in {DRAWS} draws; in {count} of them {worst}")


def _balanced(scenes: Sequence[Scene], row: Callable[[str], Row], seed: int, draw: int) -> Choice:
    """Takes in each scene one of the goals whose key has come up least often so far."""
    rng = generator("balance", seed, draw)
    counts: Counter[str] = Counter()
    choice = [0] * len(scenes)
    for place in rng.permutation(len(scenes)):
        scene = scenes[int(place)]
        rows = {item.id: row(item.asset) for item in scene.objects}
        family = get_family(scene.family)
        keys = {number: family.balance(scene.goals[number], rows) for number in scene.canonical}
        least = min(counts[key] for key in keys.values())
        open_goals = [number for number, key in keys.items() if counts[key] == least]
        number = open_goals[int(rng.integers(len(open_goals)))]
        counts[keys[number]] += 1
        choice[int(place)] = number
    return tuple(choice)
