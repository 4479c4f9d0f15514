"""Scripted episodes for the stage machine: what tools and objects do at each control step, by the arm's kinematics."""

import dataclasses
from collections.abc import Sequence
from functools import cache

import numpy as np

from imove_core.inverse_kinematics import inverse_kinematics
from imove_core.meaning import LABEL_FIELDS, Description, Destination, Meaning
from imove_core.randomization import PLAIN
from imove_core.rig import load_rig
from imove_core.spec import CONDITIONS, EpisodeSpec, Instruction, PlaceRegion, SceneObject
from imove_core.state import ObjectState, RobotState, StepState
from imove_core.transforms import Array, inverse, rotation_about_axis, transform
from imove_tasks.stages import EpisodeScore, StageMachine

RIG = load_rig("piperx_dual")
# Tool straight down, turned as at home.
DOWN = np.diag([-1.0, 1.0, -1.0])
HALF = 0.02
# Objects are cubes of 4 cm on the table; the two are so far apart that no hand is near both.
TARGET, OTHER = "mug", "bowl"
PLACES = {TARGET: (0.32, 0.2), OTHER: (0.36, -0.15)}
DWELL_STEPS = 6
"""0.2 s at 30 Hz: what must hold at 7 states in a row."""
NAMELESS = ("generic", "empty", "absent", "scrambled", "conflicting")
"""Conditions whose text is about no single object."""
Point = tuple[float, float, float]


def scene_object(
    object_id: str,
    role: str = "distractor",
    region: PlaceRegion | None = None,
    box: tuple[Point, Point] = ((-HALF,) * 3, (HALF,) * 3),
) -> SceneObject:
    return SceneObject(
        id=object_id,
        asset=object_id,
        asset_hash="",
        role=role,
        phrase=object_id,
        labels={name: object_id for name in LABEL_FIELDS},
        graspable=True,
        box_min=box[0],
        box_max=box[1],
        region=region,
        position=(0.0, 0.0, 0.0),
        quaternion_xyzw=(0.0, 0.0, 0.0, 1.0),
    )


def named(object_id: str) -> Description:
    return Description(fields={"category": object_id})


def instruction(target: str | None, relation: str = "", destination: str | None = None) -> Instruction:
    """What is told; without a relation nothing is to be put anywhere."""
    place = Destination(relation=relation, reference=named(destination or "place")) if relation else None
    pick = named(target) if target else Description()
    return Instruction(
        text="", raw_text="", meaning=Meaning(pick=pick, place=place), target=target, destination=destination
    )


def make_spec(objects: Sequence[SceneObject], primitive: str = "pick", **instructions: Instruction) -> EpisodeSpec:
    """An episode; conditions without an instruction are generic, those that mean the same as `normal` are equal."""
    told = {name: instructions["normal"] for name in CONDITIONS if name not in NAMELESS}
    told |= {name: instruction(None) for name in NAMELESS} | instructions
    return EpisodeSpec(
        schema_version=2,
        id="test/000",
        family="test",
        split="test",
        primitive=primitive,
        rig=RIG.name,
        seed=0,
        objects=tuple(objects),
        instructions=told,
        randomization=PLAIN,
    )


def spec_of(object_ids: Sequence[str] = (TARGET, OTHER)) -> EpisodeSpec:
    objects = [scene_object(key, "target" if key == TARGET else "distractor") for key in object_ids]
    return make_spec(objects, normal=instruction(TARGET), alternative=instruction(OTHER))


@cache
def joints_with_tool_at(arm_name: str, point: Point) -> tuple[float, ...]:
    """Straight down where the arm can, else leaning towards the object."""
    arm = RIG.arm(arm_name)
    sideways = np.arctan2(*(np.array(point) - arm.world_from_base.xyz)[1::-1])
    for lean_rad in np.arange(0.0, 1.6, 0.2):
        leaning = rotation_about_axis([0, 0, 1], sideways) @ rotation_about_axis([0, 1, 0], -lean_rad) @ DOWN
        goal = inverse(arm.world_from_base.matrix) @ transform(leaning if lean_rad else DOWN, point)
        solutions = inverse_kinematics(arm.arm_model).solve(goal)
        if solutions:
            return tuple(solutions[0])
    raise AssertionError(f"{arm_name} cannot reach {point}")


@dataclasses.dataclass(frozen=True)
class Frame:
    """One control step: where the tools are (home where not said), openings, and what is other with the objects."""

    left: Point | None = None
    right: Point | None = None
    objects: dict[str, ObjectState] = dataclasses.field(default_factory=dict)
    openings: dict[str, float] = dataclasses.field(default_factory=dict)

    def robot(self) -> Array:
        parts = []
        for arm in RIG.arms:
            point = getattr(self, arm.name)
            parts.append(arm.home if point is None else joints_with_tool_at(arm.name, point))
            parts.append((self.openings.get(arm.name, arm.home_opening_m),))
        return np.concatenate(parts)


def at(
    object_id: str,
    position: Point,
    half: Point = (HALF,) * 3,
    held_by: str = "",
    touched_by: tuple[str, ...] = (),
    supported_by: tuple[str, ...] = (),
) -> ObjectState:
    """An object at rest; what holds it touches it."""
    size, still = np.array(half), np.zeros(3)
    return ObjectState(
        id=object_id,
        position=np.array(position, dtype=float),
        quaternion_xyzw=np.array([0, 0, 0, 1.0]),
        box_min=-size,
        box_max=size,
        linear_velocity=still,
        angular_velocity=still,
        held_by=held_by,
        touched_by=touched_by or ((held_by,) if held_by else ()),
        supported_by=supported_by,
    )


def cube(object_id: str, rise: float = 0.0, held_by: str = "", touched_by: tuple[str, ...] = ()) -> ObjectState:
    """A cube above its place."""
    return at(object_id, (*PLACES[object_id], HALF + rise), held_by=held_by, touched_by=touched_by)


def blind(item: ObjectState) -> ObjectState:
    """The same where a domain has no contact sensing."""
    return dataclasses.replace(item, held_by="", touched_by=(), supported_by=(), contacts_known=False)


def play_states(
    spec: EpisodeSpec, frames: Sequence[Frame], rest: dict[str, ObjectState], condition: str = "normal"
) -> EpisodeScore:
    """Scores frames after one in which all is at rest; objects come in the order of `rest`."""
    machine = StageMachine(RIG, spec, condition)
    emitted = []
    for step, frame in enumerate([Frame(), *frames]):
        positions = frame.robot()
        robot = RobotState(positions, np.zeros_like(positions), np.zeros_like(positions))
        objects = tuple(frame.objects.get(key, item) for key, item in rest.items())
        emitted += machine.update(StepState(step * 33_333_333, step, robot, objects))
    score = machine.score()
    assert tuple(emitted) == score.events
    return score


def play(
    frames: Sequence[Frame], condition: str = "normal", object_ids: Sequence[str] = (TARGET, OTHER)
) -> EpisodeScore:
    return play_states(spec_of(object_ids), frames, {key: cube(key) for key in object_ids}, condition)


def above(object_id: str, height: float = 0.0) -> Point:
    """A tool centre over an object's middle, `height` above its top."""
    return (*PLACES[object_id], round(2 * HALF + height, 6))


def approach(object_id: str = TARGET, steps: int = DWELL_STEPS + 1, arm: str = "left", height: float = 0.01) -> list:
    return [Frame(**{arm: above(object_id, height)})] * steps


def lift(
    object_id: str = TARGET, steps: int = DWELL_STEPS + 1, arm: str = "left", rise: float = 0.05, held: bool = True
) -> list[Frame]:
    """The tool goes up with the object between its fingers."""
    item = cube(object_id, rise, held_by=arm if held else "", touched_by=(arm,))
    return [Frame(**{arm: above(object_id, rise - HALF)}, objects={object_id: item})] * steps


FAR = [Frame()]
NEAR = approach()
