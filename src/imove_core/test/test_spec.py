"""Episode specs: the schema, JSON and the content hash."""

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS, EpisodeSpec


def _object(number: int, role: str) -> dict[str, Any]:
    return {
        "id": f"object_{number}",
        "asset": f"uuid-{number}",
        "asset_hash": "ab12",
        "role": role,
        "phrase": "mug",
        "labels": {"category": "mug", "color": "red", "material": "ceramic", "shape": "cylindrical"},
        "graspable": True,
        "box_min": [-0.04, -0.04, -0.05],
        "box_max": [0.04, 0.04, 0.05],
        "region": None,
        "position": [0.3, 0.1 * number, 0.02],
        "quaternion_xyzw": [0, 0, 0, 1],
    }


def _instruction(text: str, target: str | None) -> dict[str, Any]:
    meaning = {"pick": {"fields": {"category": "mug"}}} if target else None
    return {"text": text, "raw_text": text, "meaning": meaning, "target": target}


def _certificate() -> dict[str, Any]:
    goals = [
        {"text": "pick up the mug", "meaning": {"pick": {"fields": {"category": "mug"}}}, "target": f"object_{number}"}
        for number in (1, 0)
    ]
    candidates = [
        {"object_id": f"object_{number}", "arm": "left", "lift_m": 0.1, "visible_share": 1.0} for number in (0, 1)
    ]
    return {"engine": "mujoco 4.0.0", "drift_m": 0.0001, "candidates": candidates, "goals": goals}


DOCUMENT: dict[str, Any] = {
    "schema_version": 2,
    "id": "pick_category/seen/000",
    "family": "pick_category",
    "split": "seen",
    "primitive": "pick",
    "rig": "piperx_dual",
    "seed": 7,
    "objects": [_object(0, "distractor"), _object(1, "target")],
    "instructions": {
        "normal": _instruction("pick up the mug", "object_1"),
        "alternative": _instruction("pick up the bowl", "object_0"),
        "generic": _instruction("pick up the object", None),
        "empty": _instruction("", None),
        "absent": _instruction("pick up the vase", None),
        "paraphrase": _instruction("grab the mug", "object_1"),
        "scrambled": _instruction("mug up the pick", None),
        "punctuation": _instruction("Pick up the mug.", "object_1"),
        "conflicting": _instruction("pick up the blue mug", None),
    },
    "randomization": {
        "light": {
            "temperature_k": 5000,
            "tint": [1, 1, 1],
            "intensity": 0.5,
            "toward_light": [0, 0, 1],
            "ambient": 0.3,
        },
        "table": {"pattern": "wood", "seed": 3, "rgb": [0.5, 0.4, 0.3]},
        "background": "kitchen",
    },
    "certificate": _certificate(),
}
# Of the document above under schema 2. If it changes, every frozen suite does: raise the schema version then.
GOLDEN_HASH = "898ae8eaf30a4e8e6934fc129f6f57b7f1d883e68d84a7e03e614bf74e31d03e"


def parse(document: dict[str, Any]) -> EpisodeSpec:
    return EpisodeSpec.from_json(json.dumps(document))


def changed(change: Callable[[dict[str, Any]], object]) -> EpisodeSpec:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return parse(document)


def test_hash_of_a_known_spec_is_stable() -> None:
    assert parse(DOCUMENT).content_hash == GOLDEN_HASH


def test_hash_depends_on_the_value_and_not_on_how_it_is_written() -> None:
    reordered = dict(reversed(DOCUMENT.items()))
    reordered["objects"] = [{**item, "quaternion_xyzw": [0.0, 0.0, 0.0, 1.0]} for item in DOCUMENT["objects"]]
    reordered["horizon_steps"] = 300
    spec = EpisodeSpec.from_json(json.dumps(reordered, indent=2))
    assert spec == parse(DOCUMENT)
    assert spec.content_hash == GOLDEN_HASH


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(seed=8),
        lambda d: d["objects"][0]["position"].__setitem__(0, 0.30000000000000004),
        lambda d: d["objects"].reverse(),
        lambda d: d["instructions"]["absent"].update(text="pick up the vase "),
        lambda d: d.update(rubrics={"strict": {"dwell_s": 0.3}}),
    ],
)
def test_hash_changes_with_every_part(change: Callable[[dict[str, Any]], object]) -> None:
    assert changed(change).content_hash != GOLDEN_HASH


@given(
    position=st.tuples(*[st.floats(-10, 10)] * 3),
    axis=st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 1e-3),
    text=st.text(st.characters(exclude_categories=["Cs"])),
)
@settings(deadline=None, derandomize=True)
def test_json_round_trip_keeps_every_bit(position: tuple[float, ...], axis: tuple[float, ...], text: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["objects"][0].update(position=position, quaternion_xyzw=list(np.array(axis) / np.linalg.norm(axis)))
    document["instructions"]["normal"].update(text=text)
    spec = parse(document)
    again = EpisodeSpec.from_json(spec.to_json())
    assert again == spec
    assert again.to_json() == spec.to_json()
    assert again.objects[0].position == position
    assert again.instructions["normal"].text == text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: d.update(weather="fine"), "the spec: unknown key 'weather'; allowed: schema_version, id"),
        (lambda d: d["objects"][1].update(mass=1), "objects.1: unknown key 'mass'; allowed: id, asset, asset_hash"),
        (lambda d: d.pop("rig"), "rig: Field required"),
        (lambda d: d.update(schema_version=1), "schema_version: Input should be 2, got 1"),
        (lambda d: d.update(seed=-1), "seed: .* greater than or equal to 0, got -1"),
        (lambda d: d.update(primitive="push"), "primitive: Input should be 'pick' or 'pick_and_place', got 'push'"),
        (lambda d: d["objects"][0].update(role="hero"), "objects.0.role: .*, got 'hero'"),
        (lambda d: d["objects"][0].update(position=[0, 0]), "objects.0.position"),
        (
            lambda d: d["objects"][0].update(quaternion_xyzw=[0, 0, 0, 0]),
            r"quaternion_xyzw: quaternion \[0.0, 0.0, 0.0, 0.0\] has length 0; 1 is needed",
        ),
        (lambda d: d["objects"][1].update(id="object_0"), r"object ids \['object_0', 'object_0'\] are not unique"),
        (lambda d: d["objects"].pop(0), "objects: .* at least 2 items"),
        (lambda d: d["instructions"].pop("empty"), "instructions are for .*, not for .*'empty'"),
        (lambda d: d["instructions"].update(loud=_instruction("PICK", None)), "instructions are for .*'loud'.*, not"),
        (
            lambda d: d["instructions"]["alternative"].update(target="object_9"),
            r"target 'object_9' of condition alternative is not one of \['object_0', 'object_1'\]",
        ),
        (lambda d: d["instructions"]["normal"].update(target=None), "the normal instruction has no target"),
        (
            lambda d: d["objects"][0].update(role="target"),
            r"objects \['object_0', 'object_1'\] have the role target; the normal instruction names \['object_1'\]",
        ),
        (
            lambda d: d["instructions"]["normal"].update(destination="object_0"),
            r"objects \[\] have the role destination; the normal instruction names \['object_0'\]",
        ),
        (lambda d: d.update(primitive="pick_and_place"), "the normal instruction has no destination"),
        (lambda d: d["objects"][0]["labels"].pop("color"), "objects.0: labels of object_0 are .*; exactly .*'color'"),
        (
            lambda d: d["instructions"]["normal"]["meaning"]["pick"]["fields"].update(weight="heavy"),
            "instructions.normal.meaning.pick.fields: unknown field 'weight'; allowed: category, color",
        ),
        (lambda d: d["randomization"].update(fog=1), "randomization: unknown key 'fog'"),
        (lambda d: d["certificate"]["goals"].pop(), "certificate.goals: .* at least 2 items"),
        (lambda d: d.update(horizon_steps=0), "horizon_steps: .* greater than 0, got 0"),
    ],
)
def test_a_fault_is_named(change: Callable[[dict[str, Any]], object], sentence: str) -> None:
    with pytest.raises(ImoveError, match=sentence) as caught:
        changed(change)
    assert str(caught.value).startswith("episode spec: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused(number: str) -> None:
    text = parse(DOCUMENT).to_json().replace('"ambient":0.3', f'"ambient":{number}')
    with pytest.raises(ImoveError, match="randomization.light.ambient: .* finite number"):
        EpisodeSpec.from_json(text)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"spec"'])
def test_what_is_no_spec_at_all_is_refused(text: str) -> None:
    with pytest.raises(ImoveError, match="episode spec: the spec: "):
        EpisodeSpec.from_json(text)


def test_instruction_by_condition() -> None:
    spec = parse(DOCUMENT)
    assert set(CONDITIONS) == set(spec.instructions)
    assert spec.instruction("alternative").target == "object_0"
    with pytest.raises(ImoveError, match="unknown condition 'loud'; allowed: absent, alternative, conflicting, empty"):
        spec.instruction("loud")


def test_pose_matrix_of_an_object() -> None:
    half = np.sqrt(0.5)
    turned = changed(lambda d: d["objects"][1].update(quaternion_xyzw=[0, 0, half, half])).objects[1]
    np.testing.assert_allclose(turned.world_from_object @ [1, 0, 0, 1], [0.3, 1.1, 0.02, 1], atol=1e-12)


def test_a_copy_with_changes_is_checked_and_has_its_own_hash_and_poses() -> None:
    spec = parse(DOCUMENT)
    item = spec.objects[0]
    assert spec.content_hash and item.world_from_object[0, 3] == 0.3
    moved = item.model_copy(update={"position": (0.4, 0.0, 0.02)})
    assert moved.world_from_object[0, 3] == 0.4
    copy_of_spec = spec.model_copy(update={"objects": (moved, spec.objects[1])})
    assert copy_of_spec.content_hash == EpisodeSpec.from_json(copy_of_spec.to_json()).content_hash != spec.content_hash
    with pytest.raises(ValueError, match="object ids .* are not unique"):
        spec.model_copy(update={"objects": (moved, moved)})
    with pytest.raises(ValueError, match="unknown key 'weather'"):
        spec.model_copy(update={"weather": "fine"})
