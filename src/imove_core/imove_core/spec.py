"""Episode specs: the only source for scene, instruction, motion and scoring of an episode."""

from functools import cached_property
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, ValidationError, model_validator

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.certificate import Certificate
from imove_core.errors import ImoveError, unknown_name
from imove_core.meaning import LABEL_FIELDS, Meaning
from imove_core.randomization import Randomization
from imove_core.transforms import Array, transform_from_position_quaternion
from imove_core.values import FrozenValue, Vector3, first_fault

SCHEMA_VERSION = 2
COUNTERFACTUAL_CONDITIONS = ("normal", "alternative", "generic", "empty", "absent")
"""Instruction conditions of the paper's counterfactual protocol (InstructMove, section 4.3)."""
ROBUSTNESS_CONDITIONS = ("paraphrase", "scrambled", "punctuation", "conflicting")
CONDITIONS = (*COUNTERFACTUAL_CONDITIONS, *ROBUSTNESS_CONDITIONS)
"""What a policy can be told on one frozen scene."""

Role = Literal["target", "distractor", "reference", "destination", "other_destination"]


def _unit(quaternion: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > 1e-4:
        raise ValueError(f"quaternion {list(quaternion)} has length {length:g}; 1 is needed")
    return quaternion


Quaternion = Annotated[tuple[float, float, float, float], AfterValidator(_unit)]


class PlaceRegion(FrozenValue):
    """Where things can be put in or on an object; the object's frame, m.

    Attributes:
        center: Middle of the supporting floor.
        half_extents: Half sizes of the usable floor along x and y.
        round: True when the floor is the ellipse inscribed in those half sizes.
    """

    center: Vector3
    half_extents: tuple[float, float]
    round: bool


class SceneObject(FrozenValue):
    """One object of a scene in its settled pose.

    Attributes:
        id: Unique within the scene, e.g. `object_2`; also its TF frame.
        asset: UUID in the asset library.
        asset_hash: Content hash of that asset.
        role: What the object is under the canonical instruction.
        phrase: Plain noun phrase of its category, for people.
        labels: Words of the asset for all of `LABEL_FIELDS`: what descriptions are evaluated over.
        graspable: Whether the robot could pick it.
        box_min: Lower corner of its box in its own frame, m.
        box_max: Upper corner, m.
        region: Where things can be put, None for an object that is no container.
        position: Of the object's origin in the world, m.
        quaternion_xyzw: Orientation, world_from_object.
    """

    id: str
    asset: str
    asset_hash: str
    role: Role
    phrase: str
    labels: dict[str, str]
    graspable: bool
    box_min: Vector3
    box_max: Vector3
    region: PlaceRegion | None
    position: Vector3
    quaternion_xyzw: Quaternion

    @model_validator(mode="after")
    def _check_labels(self) -> Self:
        if sorted(self.labels) != sorted(LABEL_FIELDS):
            raise ValueError(
                f"labels of {self.id} are {sorted(self.labels)}; exactly {sorted(LABEL_FIELDS)} are needed"
            )
        return self

    @cached_property
    def world_from_object(self) -> Array:
        """The settled pose as a 4x4 matrix."""
        return transform_from_position_quaternion(self.position, self.quaternion_xyzw)


class Instruction(FrozenValue):
    """What the policy is told under one condition, and what counts then.

    Attributes:
        text: The text sent to the policy, which may be empty.
        raw_text: The same before articles and casing are settled, from template and captions.
        meaning: What the text says; None where it says nothing that can be parsed.
        target: Id of the only object that the text asks to pick, None when there is no such object.
        destination: Id of the only container or reference object of where to put it, None when there is none.
    """

    text: str
    raw_text: str
    meaning: Meaning | None
    target: str | None
    destination: str | None = None


class StrictRubric(FrozenValue):
    """Thresholds of the strict rubric.

    Attributes:
        reach_distance_m: Tool centre to the object's box.
        lift_height_m: Of the object's lowest point above its settled height.
        dwell_s: How long reach, lift and place must hold without a break.
        rest_speed_m_s: An object below this speed is at rest.
        rest_turn_rad_s: And one that turns more slowly than this: a point 0.1 m from its axis is below the speed above.
        rest_height_m: An object is in a container when its lowest point is no higher than this above the floor. Less
            than the rim of a bowl, more than that of a plate, across which long things may lie.
        destination_shift_m: A destination that was moved farther than this over the table is carried off.
        destination_tilt_rad: A container that leans more than this is toppled.
    """

    reach_distance_m: float = 0.03
    lift_height_m: float = 0.03
    dwell_s: float = 0.2
    rest_speed_m_s: float = 0.05
    rest_turn_rad_s: float = 0.5
    rest_height_m: float = 0.02
    destination_shift_m: float = 0.10
    destination_tilt_rad: float = 0.5236


class ReferenceRubric(FrozenValue):
    """Thresholds of the rubric that matches the released checker of RoboOrchardSim v1.0.0.

    Attributes:
        reach_distance_m: Hand, the first link of the gripper, to the object's origin.
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
        randomization: Draws of the domain randomisation.
        rubrics: Scoring parameters.
        horizon_steps: Control steps of an episode at 30 Hz.
        certificate: What was proved of it; None for a draft.
    """

    schema_version: Literal[2]
    id: str
    family: str
    split: str
    primitive: Literal["pick", "pick_and_place"]
    rig: str
    seed: Annotated[int, Field(ge=0)]
    objects: Annotated[tuple[SceneObject, ...], Field(min_length=2)]
    instructions: dict[str, Instruction]
    randomization: Randomization
    rubrics: Rubrics = Rubrics()
    horizon_steps: Annotated[int, Field(gt=0)] = 300
    certificate: Certificate | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        ids = [item.id for item in self.objects]
        if len(set(ids)) != len(ids):
            raise ValueError(f"object ids {ids} are not unique")
        if set(self.instructions) != set(CONDITIONS):
            raise ValueError(f"instructions are for {sorted(self.instructions)}, not for {sorted(CONDITIONS)}")
        for condition, instruction in self.instructions.items():
            for name in ("target", "destination"):
                named = getattr(instruction, name)
                if named is not None and named not in ids:
                    raise ValueError(f"{name} '{named}' of condition {condition} is not one of {ids}")
        normal = self.instructions["normal"]
        if normal.target is None:
            raise ValueError("the normal instruction has no target")
        for name in ("target", "destination"):
            with_role = [item.id for item in self.objects if item.role == name]
            named = [getattr(normal, name)] if getattr(normal, name) is not None else []
            if with_role != named:
                raise ValueError(f"objects {with_role} have the role {name}; the normal instruction names {named}")
        if self.primitive == "pick_and_place" and normal.destination is None:
            raise ValueError("the normal instruction has no destination, which pick_and_place needs")
        return self

    @property
    def candidates(self) -> tuple[str, ...]:
        """Ids of the objects that the robot could just as well pick."""
        return tuple(item.id for item in self.objects if item.graspable and "destination" not in item.role)

    def object(self, object_id: str) -> SceneObject:
        """The object of that id; raises ImoveError when there is none."""
        for item in self.objects:
            if item.id == object_id:
                return item
        raise unknown_name(f"object of {self.id}", object_id, (item.id for item in self.objects))

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
