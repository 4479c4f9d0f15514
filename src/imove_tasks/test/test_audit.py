"""The language-blind audit and the choice of goals that passes it."""

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec
from imove_tasks.audit import audit, balance, chance, contenders, destinations
from imove_tasks.balance import choose_goals
from imove_tasks.scenes import Scene

from .drawn_scenes import LIBRARY, scene_of, spec_of


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    return [scene_of("pick_category", index) for index in range(30)]


@pytest.fixture(scope="module")
def specs(scenes: list[Scene]) -> list[EpisodeSpec]:
    return [spec_of(scene, number % 6) for number, scene in enumerate(scenes)]


def cheat(spec: EpisodeSpec, rng: np.random.Generator) -> tuple[str, str | None]:
    normal = spec.instruction("normal")
    return normal.target or "", normal.destination


def avoid(spec: EpisodeSpec, rng: np.random.Generator) -> tuple[str, str | None]:
    return next(item for item in contenders(spec) if item != spec.instruction("normal").target), None


def guess(spec: EpisodeSpec, rng: np.random.Generator) -> tuple[str, str | None]:
    return str(rng.choice(contenders(spec))), None


def test_chance_counts_what_only_language_tells_apart() -> None:
    assert chance(spec_of(scene_of("pick_category", 0))) == pytest.approx(1 / 6)
    assert chance(spec_of(scene_of("pick_attribute", 0))) == pytest.approx(1 / 3)
    spatial = spec_of(scene_of("pick_spatial", 0))
    assert chance(spatial) == pytest.approx(1 / 2)
    assert "reference" not in {spatial.object(key).role for key in contenders(spatial)}
    placing = spec_of(scene_of("place_a2b", 0))
    assert chance(placing) == pytest.approx(1 / 6)
    assert len(destinations(placing)) == 2


def test_a_rule_that_knows_the_answer_and_one_that_avoids_it_are_found(specs: list[EpisodeSpec]) -> None:
    by_rule = {finding.rule: finding for finding in audit(specs, {"cheat": cheat, "avoid": avoid, "guess": guess})}
    assert by_rule["cheat"].hits == 30 and not by_rule["cheat"].sound
    assert by_rule["guess"].sound
    # Of 30 episodes at chance 1/6, 5 hits are expected and 1 is the least that chance explains.
    assert by_rule["avoid"].hits == 0 and not by_rule["avoid"].sound
    assert (by_rule["guess"].low, by_rule["guess"].high) == (1, 9)
    assert by_rule["cheat"].to_record()["sound"] is False


def test_the_audit_does_not_depend_on_the_order_of_episodes(specs: list[EpisodeSpec]) -> None:
    assert audit(specs, {"guess": guess}) == audit(specs[::-1], {"guess": guess})


def test_choices_are_balanced_and_repeatable(scenes: list[Scene]) -> None:
    choice = choose_goals(scenes, LIBRARY.row, 0, lambda choice: "")
    assert choice == choose_goals(scenes, LIBRARY.row, 0, lambda choice: "")
    assert choice != choose_goals(scenes, LIBRARY.row, 1, lambda choice: "")
    counts = balance([spec_of(scene, number) for scene, number in zip(scenes, choice, strict=True)])
    assert max(counts.categories.values()) == 1
    assert sum(counts.places.values()) == 30


def test_an_unsound_choice_is_drawn_again_and_in_the_end_given_up(scenes: list[Scene]) -> None:
    seen = []

    def third_time(choice: tuple[int, ...]) -> str:
        seen.append(choice)
        return "" if len(seen) == 3 else "rule x does better than chance"

    assert choose_goals(scenes, LIBRARY.row, 0, third_time) == seen[2]
    assert len(set(seen)) == 3
    with pytest.raises(ImoveError, match="no choice of goals is sound in 200 draws; in 200 of them rule x"):
        choose_goals(scenes, LIBRARY.row, 0, lambda choice: "rule x does worse than chance")


def test_balance_counts_what_is_asked_for() -> None:
    spatial = [spec_of(scene_of("pick_spatial", index)) for index in range(6)]
    counts = balance(spatial)
    assert sum(counts.relations.values()) == 6 and not counts.attributes
    compositional = balance([spec_of(scene_of("pick_compositional", 0))])
    assert sum(compositional.relations.values()) == sum(compositional.attributes.values()) == 1
    placing = balance([spec_of(scene_of("place_relational", 0))])
    assert set(placing.relations) <= {"left_of", "right_of", "in_front_of", "behind"}
    assert set(placing.to_record()) == {"assets", "categories", "arms", "places", "relations", "attributes"}
