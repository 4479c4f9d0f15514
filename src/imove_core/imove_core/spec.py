"""Episode specs: the only source for scene, instruction, motion and scoring of an episode."""

from functools import cached_property
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, ValidationError, model_validator

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.errors import ImoveError, unknown_name
from imove_core.transforms import Array, transform_from_position_quaternion
from imove_core.values import FrozenValue, Vector3, first_fault

SCHEMA_VERSION = 1
CONDITIONS = ("normal", "alternative", "generic", "empty", "absent")
"""Instruction conditions of the counterfactual protocol (InstructMove, section 4.3)."""

Rgb = tuple[float, float, float]


def _unit(quaternion: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > 1e-4:
        raise ValueError(f"quaternion {list(quaternion)} has length {length:g}; 1 is needed")
    return quaternion


Quaternion = Annotated[tuple[float, float, float, float], AfterValidator(_unit)]


class SceneObject(FrozenValue):
    """One object of a scene in its settled pose.

    Attributes:
        id: Unique within the scene, e.g. `object_2`; also its TF frame.
        asset: UUID in the asset library.
        asset_hash: Content hash of that asset.
        role: What the object is under the canonical instruction.
        position: Of the object's origin in the world, m.
        quaternion_xyzw: Orientation, world_from_object.
    """

    id: str
    asset: str
    asset_hash: str
    role: Literal["target", "distractor", "reference", "destination"]
    position: Vector3
    quaternion_xyzw: Quaternion

    @cached_property
    def world_from_object(self) -> Array:
        """The settled pose as a 4x4 matrix."""
        return transform_from_position_quaternion(self.position, self.quaternion_xyzw)


class Instruction(FrozenValue):
    """What the policy is told under one condition, and what counts then.

    Attributes:
        text: The text sent to the policy, which may be empty.
        raw_text: The same before articles and casing are settled, from template and captions.
        referent: Symbolic expression over scene metadata, e.g. {"category": "mug"}; empty when nothing is named.
        target: Id of the only object that the expression is true of, None when there is no such object.
    """

    text: str
    raw_text: str
    referent: dict[str, str]
    target: str | None


class Appearance(FrozenValue):
    """Draws of the visual randomisation.

    Attributes:
        table_rgb: Colour of the table top.
        floor_rgb: Colour of the floor.
        light_position: Of the directional key light, world frame, m.
        light_rgb: Diffuse colour of the key light.
        ambient: Grey level of the ambient light.
    """

    table_rgb: Rgb
    floor_rgb: Rgb
    light_position: Vector3
    light_rgb: Rgb
    ambient: float


class StrictRubric(FrozenValue):
    """Thresholds of the strict rubric.

    Attributes:
        reach_distance_m: Tool centre to the object's box.
        lift_height_m: Of the object's lowest point above its settled height.
        dwell_s: How long reach and lift must hold without a break.
        rest_speed_m_s: An object below this speed is at rest.
    """

    reach_distance_m: float = 0.03
    lift_height_m: float = 0.03
    dwell_s: float = 0.2
    rest_speed_m_s: float = 0.05


class ReferenceRubric(FrozenValue):
    """Thresholds of the rubric that matches the released checker of RoboOrchardSim v1.0.0.

    Attributes:
        reach_distance_m: End-effector link to the object's origin.
        lift_height_m: Of the object's origin above its settled height.
        open_fraction: Share of the opening range that counts as open.
    """

    reach_distance_m: float = 0.20
    lift_height_m: float = 0.03
    open_fraction: float = 0.8


class Rubrics(FrozenValue):
    """Parameters of both rubrics."""

    strict: StrictRubric = StrictRubric()
    reference: ReferenceRubric = ReferenceRubric()


class EpisodeSpec(FrozenValue):
    """Everything that defines an episode, whatever runs it.

    Attributes:
        id: Unique over all suites, e.g. `pick_category/seen/007`.
        family: Task family, e.g. `pick_category`.
        split: Split of the family.
        primitive: Motion template: `pick`, or `pick_and_place`.
        rig: Name of the rig that the layout was made for.
        seed: Seed of the draws that made the scene.
        objects: In a fixed order; settled poses.
        instructions: One for each condition.
        appearance: Draws of the visual randomisation.
        rubrics: Scoring parameters.
        horizon_steps: Control steps of an episode at 30 Hz.
    """

    schema_version: Literal[1]
    id: str
    family: str
    split: str
    primitive: Literal["pick", "pick_and_place"]
    rig: str
    seed: Annotated[int, Field(ge=0)]
    objects: Annotated[tuple[SceneObject, ...], Field(min_length=2)]
    instructions: dict[str, Instruction]
    appearance: Appearance
    rubrics: Rubrics = Rubrics()
    horizon_steps: Annotated[int, Field(gt=0)] = 300

    @model_validator(mode="after")
    def _check(self) -> Self:
        ids = [item.id for item in self.objects]
        if len(set(ids)) != len(ids):
            raise ValueError(f"object ids {ids} are not unique")
        if set(self.instructions) != set(CONDITIONS):
            raise ValueError(f"instructions are for {sorted(self.instructions)}, not for {sorted(CONDITIONS)}")
        for condition, instruction in self.instructions.items():
            if instruction.target is not None and instruction.target not in ids:
                raise ValueError(f"target '{instruction.target}' of condition {condition} is not one of {ids}")
        target = self.instructions["normal"].target
        if target is None:
            raise ValueError("the normal instruction has no target")
        with_role = [item.id for item in self.objects if item.role == "target"]
        if with_role != [target]:
            raise ValueError(f"objects {with_role} have the role target; the normal instruction names '{target}'")
        return self

    @classmethod
    def from_json(cls, text: str) -> "EpisodeSpec":
        """Reads a spec from JSON; raises ImoveError naming the field that breaks the schema."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise ImoveError(f"episode spec: {first_fault(error, 'the spec')}") from error

    def to_json(self) -> str:
        """The spec as one line of canonical JSON."""
        return canonical_json(self.model_dump(mode="json"))

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the canonical JSON."""
        return sha256_of_text(self.to_json())

    def instruction(self, condition: str) -> Instruction:
        """The instruction under a condition; raises ImoveError for an unknown one."""
        if condition not in self.instructions:
            raise unknown_name("condition", condition, self.instructions)
        return self.instructions[condition]
