"""What a language-blind policy scores by chance, by brute force."""

import numpy as np
import pytest

from imove_analysis.chance import chance_level
from imove_analysis.testing import make_spec
from imove_core.kinematics import flange_pose
from imove_core.meaning import Description, Destination, Meaning
from imove_core.spec import PlaceRegion
from imove_tasks.suites import open_suite


def brute_force_reach(rig, spec):
    """Share of choices at which a flange on its way comes within the rubric's distance of the target."""
    flanges = {
        arm.name: (arm.world_from_base.matrix @ flange_pose(arm.arm_model, np.array(arm.home)))[:3, 3]
        for arm in rig.arms
    }
    target = next(np.array(item.position) for item in spec.objects if item.role == "target")
    hits = 0
    for item in spec.objects:
        place = np.array(item.position)
        arm = min(rig.arms, key=lambda arm: np.hypot(*(np.array(arm.world_from_base.xyz) - place)[:2]))
        goal = place + [0, 0, arm.arm_model.flange_from_tcp[2, 3]]
        way = flanges[arm.name] + np.linspace(0, 1, 20_001)[:, None] * (goal - flanges[arm.name])
        visited = np.vstack([way, *(flange for flange in flanges.values())])
        hits += np.linalg.norm(visited - target, axis=1).min() < spec.rubrics.reference.reach_distance_m
    return hits / len(spec.objects)


def test_chance_of_real_scenes(rig):
    specs = open_suite("pick_category/seen").first(12)
    chance = chance_level(rig, specs, "normal")
    assert chance["strict"] == {
        "reach": pytest.approx(1 / 6),
        "lift": pytest.approx(1 / 6),
        "s_pick": pytest.approx(1 / 6),
    }
    assert chance["first_contact"] == pytest.approx(1 / 6)
    expected = np.mean([brute_force_reach(rig, spec) for spec in specs])
    assert chance["reference"]["reach"] == pytest.approx(expected)
    assert chance["reference"]["reach"] > chance["strict"]["reach"]
    assert chance["reference"]["s_pick"] == pytest.approx((expected + 1 / 6) / 2)


def test_chance_is_one_over_the_number_of_objects(rig):
    specs = [make_spec(0), make_spec(1, places=((0.3, 0.0), (0.4, 0.3)))]
    chance = chance_level(rig, specs, "normal")
    assert chance["strict"]["reach"] == chance["strict"]["lift"] == chance["first_contact"]
    assert chance["first_contact"] == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_objects_side_by_side_are_all_reached_under_reference(rig):
    chance = chance_level(rig, [make_spec(places=((0.30, 0.10), (0.32, 0.12), (0.34, 0.10)))], "normal")
    assert chance["reference"]["reach"] == 1.0


def test_no_chance_level_without_a_target(rig):
    assert chance_level(rig, [make_spec()], "absent") == {}


@pytest.fixture
def place_spec():
    """Makes a scene of two objects to pick and of containers to put them in, at places (x, y)."""

    def make(picks, homes):
        spec = make_spec(places=(*picks, *homes))
        region = PlaceRegion(center=(0.0, 0.0, -0.02), half_extents=(0.02, 0.02), round=True)
        objects = []
        for number, item in enumerate(spec.objects):
            home = number - len(picks)
            role = ("destination" if home == 0 else "other_destination") if home >= 0 else item.role
            objects.append(item.model_copy(update={"role": role, "region": region if home >= 0 else None}))
        place = Destination(relation="in", reference=Description(fields={"category": f"category_{len(picks)}"}))
        normal = spec.instructions["normal"]
        update = {
            "meaning": Meaning(pick=normal.meaning.pick, place=place),
            "destination": f"object_{len(picks)}",
        }
        told = {**spec.instructions, "normal": normal.model_copy(update=update)}
        return spec.model_copy(update={"primitive": "pick_and_place", "objects": tuple(objects), "instructions": told})

    return make


def test_chance_of_a_place_is_that_of_both_choices(rig, place_spec):
    spec = place_spec([(0.3, 0.1), (0.3, -0.1), (0.4, 0.0)], [(0.45, 0.3), (0.45, -0.3)])
    chance = chance_level(rig, [spec], "normal")
    strict = chance["strict"]
    assert strict["reach"] == strict["lift"] == strict["s_pick"] == pytest.approx(1 / 3)
    assert strict["reach_place"] == strict["place"] == pytest.approx(1 / 6)
    assert strict["s_pnp"] == pytest.approx(1 / 4)
    assert chance["reference"]["reach_place"] == chance["reference"]["place"] == pytest.approx(1 / 6)


def test_a_container_on_the_way_to_another_is_reached_under_reference(rig, place_spec):
    # The wanted container stands between the target and the other one; its box ends 3 cm from its middle.
    for aside, share in ((0.0, 1.0), (0.028, 1.0), (0.032, 0.5)):
        spec = place_spec([(0.3, 0.3), (0.4, 0.3)], [(0.3 + aside, 0.1), (0.3, -0.1)])
        chance = chance_level(rig, [spec], "normal")
        assert chance["reference"]["reach_place"] == pytest.approx(share / 2)
        assert chance["reference"]["place"] == chance["strict"]["reach_place"] == pytest.approx(1 / 4)


def test_with_one_container_only_the_object_has_to_be_guessed(rig, place_spec):
    chance = chance_level(rig, [place_spec([(0.3, 0.1), (0.3, -0.1)], [(0.45, 0.3)])], "normal")
    assert chance["strict"]["place"] == chance["strict"]["s_pnp"] == pytest.approx(1 / 2)


def test_only_candidates_are_guessed(rig):
    spec = make_spec()
    fixed = [item.model_copy(update={"graspable": item.id != "object_2"}) for item in spec.objects]
    chance = chance_level(rig, [spec.model_copy(update={"objects": tuple(fixed)})], "normal")
    assert chance["strict"]["reach"] == pytest.approx(1 / 2)
