"""Freezes a suite: proved scenes, a sound and balanced choice of what they ask for, specs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from imove_bringup.freezing.journal import Journal
from imove_bringup.freezing.running import SceneJob, make_scenes
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_policy_node.blind_choice import blind_rules
from imove_tasks.assets.library import AssetLibrary, open_library
from imove_tasks.audit import audit
from imove_tasks.balance import choose_goals
from imove_tasks.scenes import Scene, episode_spec
from imove_tasks.suites import Suite, suite_name


@dataclass(frozen=True)
class Frozen:
    """A suite and how it came about.

    Attributes:
        suite: The suite.
        draws: Scenes that were drawn in this call.
        journal: To be closed once the suite has been written.
    """

    suite: Suite
    draws: int
    journal: Journal[Scene]


def freeze_suite(
    job: SceneJob, episodes: int, seed: int, workers: int, out: Path, on_scene: Callable[[], None]
) -> Frozen:
    """Makes a suite; scenes that an earlier call has left in the journal beside `out` are not made again.

    Args:
        job: What is drawn.
        episodes: Number of episodes.
        seed: Of all draws.
        workers: Processes side by side; the suite does not depend on it.
        out: Where the suite will be written.
        on_scene: Called for every scene that is there.

    Raises:
        ImoveError: The job cannot be done here, no draw of an episode holds, or no choice of goals is sound.
    """
    library, rig = open_library(job.assets), load_rig(job.rig)
    snapshot = library.snapshot_hash()
    path, identity = out.with_suffix(".scenes.jsonl"), job.identity(seed, rig.name, snapshot)
    journal = Journal(path, identity, Scene, lambda scene: scene.turn.index)
    for _ in journal.items:
        on_scene()
    draws = 0
    missing = [index for index in range(episodes) if index not in journal.items]
    for made in make_scenes(job, seed, missing, workers) if missing else ():
        journal.add(made.scene)
        draws += 1 + made.refused
        on_scene()
    scenes = [journal.items[index] for index in range(episodes)]
    specs = choose_specs(scenes, library, rig, seed)
    return Frozen(Suite(suite_name(job.family, job.split, rig.name), seed, snapshot, specs), draws, journal)


def choose_specs(scenes: list[Scene], library: AssetLibrary, rig: Rig, seed: int) -> tuple[EpisodeSpec, ...]:
    """The specs that ask for a sound and balanced choice of the scenes' goals."""
    rules = blind_rules(rig)
    made: dict[tuple[int, int], EpisodeSpec] = {}

    def spec(place: int, number: int) -> EpisodeSpec:
        if (place, number) not in made:
            assets = {item.id: library.get(item.asset) for item in scenes[place].objects}
            made[place, number] = episode_spec(scenes[place], number, assets)
        return made[place, number]

    def fault(choice: tuple[int, ...]) -> str:
        specs = [spec(place, number) for place, number in enumerate(choice)]
        unsound = next((finding for finding in audit(specs, rules) if not finding.sound), None)
        return "" if unsound is None else f"rule {unsound.rule} does better or worse than chance"

    choice = choose_goals(scenes, library.row, seed, fault)
    return tuple(spec(place, number) for place, number in enumerate(choice))
