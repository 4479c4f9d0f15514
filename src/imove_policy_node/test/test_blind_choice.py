"""Rules that never read: what they choose, and that nothing but the scene decides."""

import numpy as np
import pytest
from scipy.stats import chisquare

from imove_core.errors import ImoveError
from imove_core.kinematics import tool_pose
from imove_core.rig import load_rig
from imove_policy_node.blind_choice import RULES, blind_rules, choose

from .scenes import place_spec


def named(spec, **labels):
    """Objects with some of their values changed, by id."""
    objects = tuple(item.model_copy(update=labels.get(item.id, {})) for item in spec.objects)
    return spec.model_copy(update={"objects": objects})


@pytest.fixture(scope="module")
def scene(rig, library):
    """Three things to pick and two containers."""
    picks = [library.in_category(name)[0] for name in ("apple", "stapler", "egg")]
    places = [library.in_category(name)[0] for name in ("plate", "bowl")]
    return place_spec(rig, picks, places, "in", np.random.default_rng(0))


def chosen(rule, spec, seed=0):
    return choose(rule, load_rig(spec.rig), spec, np.random.default_rng(seed))


def test_any_object_is_chosen_equally_often_at_random(scene):
    drawn = [chosen("random_object", scene, seed) for seed in range(1200)]
    pairs = [(pick, place) for pick in ("object_0", "object_1", "object_2") for place in ("object_3", "object_4")]
    counts = [drawn.count(pair) for pair in pairs]
    assert sum(counts) == 1200
    assert chisquare(counts).pvalue > 0.01


def test_without_destinations_none_is_chosen(draw):
    spec = draw(0)
    for rule in RULES:
        pick, place = chosen(rule, spec)
        assert pick in spec.candidates and place is None


def test_the_largest_has_the_longest_side(scene):
    assert chosen("largest_object", scene) == ("object_1", "object_3")


def test_the_most_colourful_has_the_most_saturated_colour_word(scene):
    colors = {"object_0": "gray", "object_1": "red", "object_2": "beige", "object_3": "white", "object_4": "brown"}
    spec = named(scene, **{item.id: {"labels": {**item.labels, "color": colors[item.id]}} for item in scene.objects})
    assert chosen("most_colorful_object", spec) == ("object_1", "object_4")


def test_the_nearest_is_nearest_to_a_hand_at_home(rig, scene):
    hands = [arm.world_from_base.matrix @ tool_pose(arm.arm_model, np.array(arm.home)) for arm in rig.arms]
    distance = {item.id: min(np.linalg.norm(hand[:3, 3] - item.position) for hand in hands) for item in scene.objects}
    picks, places = ("object_0", "object_1", "object_2"), ("object_3", "object_4")
    assert chosen("nearest_object", scene) == (min(picks, key=distance.get), min(places, key=distance.get))


def test_the_most_central_is_nearest_to_the_middle_of_the_workspace(scene):
    spec = named(scene, object_2={"position": (0.33, 0.0, 0.02)}, object_4={"position": (0.34, 0.01, 0.02)})
    assert chosen("most_central_object", spec) == ("object_2", "object_4")


@pytest.mark.parametrize("rule", RULES)
def test_between_equal_objects_chance_decides(scene, rule):
    first = scene.objects[0]
    same = {"labels": first.labels, "box_min": first.box_min, "box_max": first.box_max, "position": first.position}
    spec = named(scene, object_1=same, object_2=same)
    assert {chosen(rule, spec, seed)[0] for seed in range(40)} == {"object_0", "object_1", "object_2"}


@pytest.mark.parametrize("rule", RULES)
def test_roles_and_instructions_change_nothing(scene, rule):
    roles = ("distractor", "distractor", "target", "other_destination", "destination")
    said = scene.instructions["normal"].model_copy(update={"target": "object_2", "destination": "object_4"})
    other = scene.model_copy(
        update={
            "objects": tuple(
                item.model_copy(update={"role": role}) for item, role in zip(scene.objects, roles, strict=True)
            )[::-1],
            "instructions": {**scene.instructions, "normal": said},
        }
    )
    for seed in range(20):
        assert chosen(rule, scene, seed) == chosen(rule, other, seed)


def test_a_reference_object_is_not_chosen(scene):
    spec = named(scene, object_1={"role": "reference"})
    assert chosen("largest_object", spec)[0] != "object_1"


def test_rules_by_name_are_those_that_are_chosen_by(scene):
    rules = blind_rules(load_rig("piperx_dual"))
    assert tuple(rules) == RULES
    for rule, by in rules.items():
        assert by(scene, np.random.default_rng(3)) == chosen(rule, scene, 3)


def test_unknown_rule(scene):
    with pytest.raises(ImoveError, match="unknown rule 'smallest_object'; allowed: largest_object, most_central"):
        chosen("smallest_object", scene)
