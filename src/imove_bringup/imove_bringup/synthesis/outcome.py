"""What became of a spec: a demonstration that is kept, or a reason why there is none. One line of synthesis.jsonl."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationError

from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.rig import Workspace
from imove_core.spec import EpisodeSpec
from imove_core.values import FrozenValue, first_fault

RejectedAt = Literal["scene", "plan", "physics", "stages", "end", "limits", "disturbed"]
"""Where a spec is given up.

`scene`: no certified spec could be drawn. `plan`: no motion was found. `physics`: the simulation broke down. `stages`:
the target did not reach all stages of the strict rubric. `end`: it is not held, or not where it was put, at the last
step. `limits`: a joint left its limits. `disturbed`: another object was moved.
"""
Count = Annotated[int, Field(ge=0)]
_ROWS = ("near", "middle", "far")
_COLUMNS = ("right", "centre", "left")


class Rejection(FrozenValue):
    """Why there is no demonstration.

    Attributes:
        at: Where it was given up.
        kind: What was wrong in few words, the same for all of a kind.
        reason: One sentence.
    """

    at: RejectedAt
    kind: str
    reason: str


class Asked(FrozenValue):
    """What an episode asks for, as far as a yield is counted by it.

    Attributes:
        spec_id: Of the spec.
        spec_hash: Of its content.
        instruction: Canonical text.
        asset: UUID of the object to pick.
        category: What people call that.
        relation: Where it is to be put, "" where it is only picked.
        destination: What people call the container or reference object, "" without.
        region: Ninth of the workspace in which the object lies, e.g. "far left".
    """

    spec_id: str
    spec_hash: str
    instruction: str
    asset: str
    category: str
    relation: str
    destination: str
    region: str


class Motion(FrozenValue):
    """Figures of a planned motion.

    Attributes:
        arm: Name of the arm that acts.
        steps: Control steps until the last target.
        peak_speed_rad_s: Largest speed of a joint.
        peak_acceleration_rad_s2: Largest acceleration of a joint.
        peak_jerk_rad_s3: Largest jerk of a joint.
        path_length_rad: Length of the way in joint space.
    """

    arm: str
    steps: Count
    peak_speed_rad_s: float
    peak_acceleration_rad_s2: float
    peak_jerk_rad_s3: float
    path_length_rad: float


class Outcome(FrozenValue):
    """What became of one spec.

    Attributes:
        index: Of the spec.
        asked: What it asks for; None where no spec could be drawn.
        motion: How it was done; None where nothing was planned.
        rejection: Why there is no demonstration; None where there is.
        bag: Folder of the episode below the data set's; None where it was rejected.
    """

    index: Count
    asked: Asked | None
    motion: Motion | None = None
    rejection: Rejection | None = None
    bag: str | None = None

    @classmethod
    def from_json(cls, text: str) -> Outcome:
        """Reads an outcome; raises ImoveError naming the field that breaks the schema."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise ImoveError(f"outcome: {first_fault(error, 'the line')}") from error

    def to_json(self) -> str:
        """The outcome as one line of canonical JSON."""
        return canonical_json(self.model_dump(mode="json"))


def asked_by(spec: EpisodeSpec, workspace: Workspace) -> Asked:
    """What the canonical instruction of a spec asks for."""
    normal = spec.instruction("normal")
    assert normal.target is not None  # every spec has one
    target = spec.object(normal.target)
    place = normal.meaning.place if normal.meaning is not None else None
    return Asked(
        spec_id=spec.id,
        spec_hash=spec.content_hash,
        instruction=normal.text,
        asset=target.asset,
        category=target.labels["category"],
        relation="" if place is None else place.relation,
        destination="" if normal.destination is None else spec.object(normal.destination).labels["category"],
        region=region_of(target.position[0], target.position[1], workspace),
    )


def region_of(x: float, y: float, workspace: Workspace) -> str:
    """Ninth of the workspace in which a place on the table lies, seen from the robot, e.g. "far left"."""
    row, column = (
        min(2, max(0, int(3 * (value - low) / (high - low))))
        for value, (low, high) in ((x, workspace.x), (y, workspace.y))
    )
    return f"{_ROWS[row]} {_COLUMNS[column]}"
