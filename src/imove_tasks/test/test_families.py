"""Every registered family keeps the contract of a family; each draws the ambiguity that it says."""

from collections import Counter

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.meaning import LABEL_FIELDS
from imove_core.spec import CONDITIONS, EpisodeSpec, SceneObject
from imove_tasks.audit import contenders, destinations
from imove_tasks.families.model import Family, Turn
from imove_tasks.grounding import SIZE_RATIO, ground, referents, things_of
from imove_tasks.placing import fits
from imove_tasks.registry import family_names, get_family
from imove_tasks.scenes import Scene

from .drawn_scenes import LIBRARY, SEED, drawer, drawn, scene_of, spec_of

INDICES = range(8)


@pytest.fixture(params=family_names())
def family(request: pytest.FixtureRequest) -> Family:
    return get_family(request.param)


@pytest.fixture
def scenes(family: Family) -> list[Scene]:
    return [scene_of(family.name, index) for index in INDICES]


def longest_m(item: SceneObject) -> float:
    return float(np.max(np.subtract(item.box_max, item.box_min)))


def test_the_same_turn_gives_the_same_scene(family: Family, scenes: list[Scene]) -> None:
    again, _ = drawer(family.name).draw(scenes[3].turn)
    assert again == scenes[3]


def test_another_index_seed_or_split_gives_another_scene(family: Family, scenes: list[Scene]) -> None:
    every = [*scenes, scene_of(family.name, 3, seed=SEED + 1), scene_of(family.name, 3, "train")]
    assert len({scene.seed for scene in every}) == len(every)
    assert len({tuple(item.position for item in scene.objects) for scene in every}) == len(every)


def test_another_attempt_gives_another_scene() -> None:
    one, other = (
        drawer("pick_category").draw(Turn(split="seen", seed=SEED, index=3, attempt=attempt))[0] for attempt in (0, 1)
    )
    assert {item.asset for item in one.objects} != {item.asset for item in other.objects}
    assert one.seed != other.seed


def test_a_scene_survives_json(scenes: list[Scene]) -> None:
    assert all(Scene.model_validate_json(scene.model_dump_json()) == scene for scene in scenes)


def test_every_goal_is_about_exactly_its_own_objects(scenes: list[Scene]) -> None:
    for scene in scenes:
        scene.check_goals()
        assert 2 <= len(scene.canonical) <= len(scene.goals)


def test_every_candidate_is_the_target_of_some_goal(scenes: list[Scene]) -> None:
    for scene in scenes:
        spec = spec_of(scene)
        assert {goal.target for goal in scene.goals} >= set(contenders(spec))


def test_nothing_in_the_scene_is_what_absent_and_conflicting_describe(scenes: list[Scene]) -> None:
    for scene in scenes:
        things = things_of(scene.objects)
        assert referents(scene.absent, things).nothing
        assert referents(scene.conflicting, things).nothing


def test_the_constraints_hold(family: Family) -> None:
    for index in INDICES:
        scene, constraints = drawn(family.name, index)
        assert drawer(family.name).check(scene, constraints) == []


def test_objects_are_of_the_split_with_their_hashes(family: Family) -> None:
    for split, library_split in family.splits.items():
        allowed = set(LIBRARY.split(library_split))
        for index in (0, 1):
            for item in scene_of(family.name, index, split).objects:
                assert item.asset in allowed
                assert item.asset_hash == LIBRARY.row(item.asset).content_hash


def test_any_goal_can_be_asked_for_on_the_same_scene(scenes: list[Scene]) -> None:
    scene = scenes[0]
    specs = [spec_of(scene, number) for number in scene.canonical]
    for number, spec in zip(scene.canonical, specs, strict=True):
        goal, normal = scene.goals[number], spec.instruction("normal")
        assert (normal.target, normal.destination) == (goal.target, goal.destination)
        assert spec.object(goal.target).role == "target"
        assert [item.position for item in spec.objects] == [item.position for item in scene.objects]
    assert len({spec.content_hash for spec in specs}) == len(specs)
    assert len({tuple(sorted(contenders(spec))) for spec in specs}) == 1


def test_every_condition_is_about_what_is_stored(scenes: list[Scene]) -> None:
    for spec in map(spec_of, scenes):
        assert set(spec.instructions) == set(CONDITIONS)
        for said in spec.instructions.values():
            found = ground(said.meaning, things_of(spec.objects))
            assert (found.target, found.destination) == (said.target, said.destination)
        assert spec.instruction("alternative").target != spec.instruction("normal").target
        assert spec.instruction("paraphrase").target == spec.instruction("normal").target
        assert spec.instruction("absent").target is None


def test_ids_say_nothing_of_what_an_object_is(family: Family) -> None:
    roles: Counter[str] = Counter()
    for index in range(24):
        scene = scene_of(family.name, index)
        roles[next(item.role for item in scene.objects if item.id == "object_0")] += 1
    first = scene_of(family.name, 0)
    shares = Counter(item.role for item in first.objects)
    for role, count in shares.items():
        expected = 24 * count / len(first.objects)
        # Four standard deviations of a binomial count.
        assert abs(roles[role] - expected) <= 4 * np.sqrt(24) * 0.5


def test_specs_survive_json(scenes: list[Scene]) -> None:
    spec = spec_of(scenes[0])
    assert EpisodeSpec.from_json(spec.to_json()) == spec


def test_pick_category_shows_six_objects_of_six_categories() -> None:
    for index in INDICES:
        scene = scene_of("pick_category", index)
        assert len({item.labels["category"] for item in scene.objects}) == len(scene.objects) == 6


def test_pick_attribute_differs_in_the_named_attribute_and_in_turn_in_all_of_them() -> None:
    cues = Counter()
    for index in INDICES:
        scene = scene_of("pick_attribute", index)
        assert len({item.labels["category"] for item in scene.objects}) == 1 and len(scene.objects) == 3
        described = [goal.meaning.pick for goal in scene.goals]
        if described[0].size is not None:
            sides = sorted(longest_m(item) for item in scene.objects)
            assert sides[1] >= SIZE_RATIO * sides[0] and sides[2] >= SIZE_RATIO * sides[1]
            cues["size"] += 1
            continue
        (field,) = set(described[0].fields) - {"category"}
        assert field in LABEL_FIELDS
        assert len({item.labels[field] for item in scene.objects}) == 3
        cues[field] += 1
    assert cues == {"color": 2, "shape": 2, "material": 2, "size": 2}


def test_pick_spatial_has_two_of_one_category_on_opposite_sides_of_a_reference() -> None:
    relations = set()
    for index in INDICES:
        scene = scene_of("pick_spatial", index)
        counts = Counter(item.labels["category"] for item in scene.objects)
        assert sorted(counts.values()) == [1, 2]
        assert [item.role for item in scene.objects].count("reference") == 1
        relations |= {goal.meaning.pick.relation.relation for goal in scene.goals if goal.meaning.pick.relation}
        assert len(scene.canonical) == 2 and len(scene.goals) == 3
    assert relations == {"left_of", "right_of", "in_front_of", "behind", "near", "far_from"}


def test_pick_compositional_needs_look_and_place_together() -> None:
    for index in INDICES:
        scene = scene_of("pick_compositional", index)
        things = things_of(scene.objects)
        for goal in (scene.goals[number] for number in scene.canonical):
            pick = goal.meaning.pick
            assert referents(pick, things).only == goal.target
            without_place = pick.model_copy(update={"relation": None})
            without_look = pick.model_copy(update={"fields": {"category": pick.fields["category"]}})
            assert len(referents(without_place, things).certain) == 2
            assert len(referents(without_look, things).certain) == 2


@pytest.mark.parametrize(("split", "containers"), [("seen", 2), ("single", 1)])
def test_place_a2b_every_object_fits_every_container(split: str, containers: int) -> None:
    for index in (0, 1, 2):
        scene = scene_of("place_a2b", index, split)
        spec = spec_of(scene)
        assert (len(contenders(spec)), len(destinations(spec))) == (3, containers)
        for pick in contenders(spec):
            for place in destinations(spec):
                assert fits(LIBRARY.get(spec.object(pick).asset), LIBRARY.get(spec.object(place).asset))
        assert len({item.labels["category"] for item in spec.objects}) == len(spec.objects)


def test_place_relational_asks_for_nothing_that_is_so_already() -> None:
    for index in INDICES:
        scene = scene_of("place_relational", index)
        places = {item.id: np.array(item.position[:2]) for item in scene.objects}
        for goal in scene.goals:
            assert goal.meaning.place is not None and goal.destination is not None
            offset = places[goal.target] - places[goal.destination]
            along = {"left_of": (0, 1), "right_of": (0, -1), "in_front_of": (1, 0), "behind": (-1, 0)}
            cosine = offset @ along[goal.meaning.place.relation] / np.linalg.norm(offset)
            assert cosine < np.cos(np.deg2rad(30.0)) or np.linalg.norm(offset) > 0.5


def test_an_unknown_family_or_split_is_named_beside_the_known_ones() -> None:
    with pytest.raises(ImoveError, match="unknown task 'pick_evrything'; allowed: .*pick_category"):
        get_family("pick_evrything")
    with pytest.raises(ImoveError, match="unknown split of pick_category 'sean'; allowed: .*seen, train, unseen_cat"):
        drawer("pick_category", "sean")


def test_families_are_listed_under_their_names() -> None:
    assert all(get_family(name).name == name and "seen" in get_family(name).splits for name in family_names())
