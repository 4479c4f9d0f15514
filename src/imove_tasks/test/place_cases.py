"""Scripted episodes of a place, true and false ones, in a container."""

import dataclasses

import numpy as np

from imove_core.spec import EpisodeSpec, PlaceRegion
from imove_core.state import ObjectState
from imove_core.transforms import quaternion_from_rotation, rotation_about_axis
from imove_tasks.stages import PLACE_STAGES, EpisodeScore

from .stage_cases import (
    DWELL_STEPS,
    HALF,
    Frame,
    Point,
    at,
    blind,
    instruction,
    make_spec,
    play_states,
    scene_object,
)

APPLE, PEAR, BOWL, TRAY = "apple", "pear", "bowl", "tray"
BOWL_HALF, TRAY_HALF = (0.06, 0.06, 0.025), (0.05, 0.05, 0.01)
# The floor of the bowl is 5 mm above the table and its rim 45 mm above that; the tray's rim is 15 mm above its floor.
BOWL_REGION = PlaceRegion(center=(0.0, 0.0, -0.02), half_extents=(0.04, 0.04), round=True)
TRAY_REGION = PlaceRegion(center=(0.0, 0.0, -0.005), half_extents=(0.04, 0.03), round=False)
APPLE_XY, PEAR_XY, BOWL_XY, TRAY_XY = (0.32, 0.2), (0.36, -0.25), (0.34, 0.03), (0.38, 0.33)
FLOOR_M = 0.005
HIGH_M = 0.15
LONG = DWELL_STEPS + 1
REST = {
    APPLE: at(APPLE, (*APPLE_XY, HALF), supported_by=("table",)),
    PEAR: at(PEAR, (*PEAR_XY, HALF), supported_by=("table",)),
    BOWL: at(BOWL, (*BOWL_XY, BOWL_HALF[2]), BOWL_HALF, supported_by=("table",)),
    TRAY: at(TRAY, (*TRAY_XY, TRAY_HALF[2]), TRAY_HALF, supported_by=("table",)),
}


def box_of(half: Point) -> tuple[Point, Point]:
    return tuple(-value for value in half), half


def place_spec(relation: str = "in", order: tuple[str, ...] = tuple(REST)) -> EpisodeSpec:
    objects = {
        APPLE: scene_object(APPLE, "target"),
        PEAR: scene_object(PEAR),
        BOWL: scene_object(BOWL, "destination", BOWL_REGION, box_of(BOWL_HALF)),
        TRAY: scene_object(TRAY, "other_destination", TRAY_REGION, box_of(TRAY_HALF)),
    }
    return make_spec(
        [objects[key] for key in order],
        "pick_and_place",
        normal=instruction(APPLE, relation, BOWL),
        alternative=instruction(PEAR, relation, TRAY),
    )


def play(
    frames: list[Frame], relation: str = "in", condition: str = "normal", order: tuple[str, ...] = tuple(REST)
) -> EpisodeScore:
    return play_states(place_spec(relation, order), frames, {key: REST[key] for key in order}, condition)


def with_objects(frames: list[Frame], *items: ObjectState) -> list[Frame]:
    """The same with other objects elsewhere than at rest."""
    changed = {item.id: item for item in items}
    return [dataclasses.replace(frame, objects={**frame.objects, **changed}) for frame in frames]


def held(object_id: str, xy: tuple[float, float], height: float = HIGH_M, arm: str = "left", steps: int = 1) -> list:
    """An arm holds an object with its middle at a place; the gripper is half closed."""
    item = at(object_id, (*xy, height), held_by=arm)
    return [Frame(**{arm: (*xy, height)}, objects={object_id: item}, openings={arm: 2 * HALF})] * steps


def near(object_id: str, xy: tuple[float, float], arm: str = "left", steps: int = LONG) -> list[Frame]:
    return [Frame(**{arm: (*xy, 2 * HALF + 0.01)})] * steps


def lying(
    object_id: str, xy: tuple[float, float], bottom_m: float, *supports: str, steps: int = LONG, **changes: object
) -> list[Frame]:
    """An object lies by itself; hands are at home and open."""
    item = dataclasses.replace(at(object_id, (*xy, bottom_m + HALF), supported_by=supports), **changes)
    return [Frame(objects={object_id: item})] * steps


def moved(xy: tuple[float, float], x: float, y: float = 0.0) -> tuple[float, float]:
    return xy[0] + x, xy[1] + y


def turned(item: ObjectState, angle_rad: float) -> ObjectState:
    """An object tilted about x."""
    return dataclasses.replace(
        item, quaternion_xyzw=quaternion_from_rotation(rotation_about_axis([1, 0, 0], angle_rad))
    )


def unsensed(frames: list[Frame]) -> list[Frame]:
    return [
        dataclasses.replace(frame, objects={key: blind(frame.objects.get(key, item)) for key, item in REST.items()})
        for frame in frames
    ]


PICK = near(APPLE, APPLE_XY) + held(APPLE, APPLE_XY, steps=LONG)
PICK_PEAR = near(PEAR, PEAR_XY, "right") + held(PEAR, PEAR_XY, arm="right", steps=LONG)
OVER = held(APPLE, BOWL_XY)
IN_BOWL = lying(APPLE, BOWL_XY, FLOOR_M, BOWL)
BOWL_AT_REST = REST[BOWL]
CARRIED = PICK + OVER
NOTHING, PICKED, BROUGHT, PLACED = (False,) * 4, (True, True, False, False), (True, True, True, False), (True,) * 4


def bowl_at(x: float, z: float = 0.0, y: float = 0.0) -> ObjectState:
    """The bowl elsewhere than at first."""
    return dataclasses.replace(BOWL_AT_REST, position=BOWL_AT_REST.position + np.array([x, y, z]))


# What happens; which stages are true of the target (strict), and which the reference rubric grants it.
SCRIPTS: dict[str, tuple[list[Frame], tuple[bool, ...], tuple[bool, ...]]] = {
    "puts it in": (CARRIED + IN_BOWL, PLACED, PLACED),
    "drops it in from high above": (CARRIED + lying(APPLE, BOWL_XY, 0.08, steps=3) + IN_BOWL, PLACED, PLACED),
    "holds it above": (CARRIED + held(APPLE, BOWL_XY, steps=30), BROUGHT, BROUGHT),
    "holds it low in the bowl": (CARRIED + held(APPLE, BOWL_XY, FLOOR_M + HALF, steps=30), BROUGHT, BROUGHT),
    "opens but touches it still": (
        CARRIED + lying(APPLE, BOWL_XY, FLOOR_M, BOWL, touched_by=("left",)),
        BROUGHT,
        PLACED,
    ),
    "lets it go for too short a time": (CARRIED + IN_BOWL[:DWELL_STEPS] + OVER, BROUGHT, PLACED),
    "lets it go twice for too short a time": (CARRIED + (IN_BOWL[:4] + OVER) * 3, BROUGHT, PLACED),
    "puts it on the table": (PICK + lying(APPLE, (0.3, 0.3), 0.0, "table"), PICKED, PICKED),
    "puts it beside the bowl": (
        CARRIED + lying(APPLE, moved(BOWL_XY, 0.09), 0.0, "table"),
        BROUGHT,
        BROUGHT,
    ),
    "drops it before it is there, and it rolls in": (PICK + IN_BOWL, PICKED, PLACED),
    "throws it over the bowl": (
        PICK + lying(APPLE, BOWL_XY, HIGH_M, steps=2) + lying(APPLE, (0.3, -0.1), 0.0, "table"),
        PICKED,
        # Its centre passes over the box while both hands are open.
        PLACED,
    ),
    "holds it over the rim only": (PICK + held(APPLE, moved(BOWL_XY, 0.05)), PICKED, BROUGHT),
    "holds it over a corner of the round floor's square": (
        PICK + held(APPLE, moved(BOWL_XY, 0.03, 0.03)),
        PICKED,
        BROUGHT,
    ),
    "holds it just over the floor": (PICK + held(APPLE, moved(BOWL_XY, 0.0395)), BROUGHT, BROUGHT),
    "leaves it half out": (CARRIED + lying(APPLE, moved(BOWL_XY, 0.05), FLOOR_M, BOWL), BROUGHT, PLACED),
    "leans it on the rim with a foot on the table": (
        CARRIED + lying(APPLE, moved(BOWL_XY, 0.03), FLOOR_M, BOWL, "table"),
        BROUGHT,
        PLACED,
    ),
    "balances it on the rim": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.045, BOWL), BROUGHT, PLACED),
    "leaves it as high as it may be": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.0199, BOWL), PLACED, PLACED),
    "leaves it a little higher": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.0201, BOWL), BROUGHT, PLACED),
    "leaves it afloat": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M), BROUGHT, PLACED),
    "leaves it moving": (
        CARRIED + lying(APPLE, BOWL_XY, FLOOR_M, BOWL, linear_velocity=np.array([0.0, 0.051, 0.0])),
        BROUGHT,
        PLACED,
    ),
    "leaves it turning": (
        CARRIED + lying(APPLE, BOWL_XY, FLOOR_M, BOWL, angular_velocity=np.array([0.0, 0.0, 0.51])),
        BROUGHT,
        PLACED,
    ),
    "puts it on something in the bowl": (
        with_objects(
            CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 2 * HALF, PEAR),
            at(PEAR, (*BOWL_XY, FLOOR_M + HALF), supported_by=(BOWL,)),
        ),
        PLACED,
        PLACED,
    ),
    "puts it on something on the rim": (
        with_objects(
            CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.045 + 2 * HALF, PEAR),
            at(PEAR, (*BOWL_XY, FLOOR_M + 0.045 + HALF), supported_by=(BOWL,)),
        ),
        BROUGHT,
        PLACED,
    ),
    "leans it on something outside": (
        with_objects(
            CARRIED + lying(APPLE, moved(BOWL_XY, 0.03), FLOOR_M, BOWL, PEAR),
            at(PEAR, (*moved(BOWL_XY, 0.09), HALF), supported_by=("table",)),
        ),
        BROUGHT,
        PLACED,
    ),
    "puts it in and pushes it out": (
        CARRIED + IN_BOWL + lying(APPLE, moved(BOWL_XY, 0.1), 0.0, "table"),
        PLACED,
        PLACED,
    ),
    "puts it into a bowl that was pushed aside": (
        with_objects(PICK + held(APPLE, moved(BOWL_XY, 0.09)), bowl_at(0.09))
        + with_objects(lying(APPLE, moved(BOWL_XY, 0.09), FLOOR_M, BOWL), bowl_at(0.09)),
        PLACED,
        PLACED,
    ),
    "puts it into a bowl that was carried off": (
        with_objects(PICK + held(APPLE, moved(BOWL_XY, 0.11)), bowl_at(0.11))
        + with_objects(lying(APPLE, moved(BOWL_XY, 0.11), FLOOR_M, BOWL), bowl_at(0.11)),
        PICKED,
        PLACED,
    ),
    "lifts the bowl under it": (
        with_objects(CARRIED[:-1] + OVER + lying(APPLE, BOWL_XY, FLOOR_M + 0.04, BOWL), bowl_at(0.0, 0.04)),
        PICKED,
        PLACED,
    ),
    "lifts the bowl a little": (
        with_objects(CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.02, BOWL), bowl_at(0.0, 0.02)),
        PLACED,
        PLACED,
    ),
    "brings it and then lifts the bowl": (
        CARRIED + with_objects(lying(APPLE, BOWL_XY, FLOOR_M + 0.04, BOWL), bowl_at(0.0, 0.04)),
        BROUGHT,
        PLACED,
    ),
    "puts it into a toppled bowl": (
        CARRIED + with_objects(IN_BOWL, turned(BOWL_AT_REST, np.deg2rad(35))),
        BROUGHT,
        PLACED,
    ),
    "puts it into a leaning bowl": (
        CARRIED + with_objects(IN_BOWL, turned(BOWL_AT_REST, np.deg2rad(10))),
        PLACED,
        PLACED,
    ),
    "puts it under an upturned bowl": (
        CARRIED + with_objects(IN_BOWL, turned(BOWL_AT_REST, np.pi)),
        BROUGHT,
        PLACED,
    ),
    "hands it over on the way": (PICK + held(APPLE, BOWL_XY, arm="right") + IN_BOWL, PLACED, PLACED),
    "puts it in with the other arm alone": (
        near(APPLE, APPLE_XY, "right") + held(APPLE, APPLE_XY, arm="right", steps=LONG)
        + held(APPLE, BOWL_XY, arm="right") + IN_BOWL,
        PLACED,
        PLACED,
    ),
    "pushes it in without a lift": (near(APPLE, APPLE_XY) + OVER + IN_BOWL, (True,) + (False,) * 3, PLACED),
    "does not pick it": (near(APPLE, APPLE_XY) + IN_BOWL, (True,) + (False,) * 3, (True,) + (False,) * 3),
    "puts it into the tray": (
        PICK + held(APPLE, TRAY_XY) + lying(APPLE, TRAY_XY, 0.005, TRAY), PICKED, PICKED,
    ),
    "puts another into the bowl": (
        PICK_PEAR + held(PEAR, BOWL_XY, arm="right") + lying(PEAR, BOWL_XY, FLOOR_M, BOWL), NOTHING, NOTHING,
    ),
    "lifts two at once": (
        with_objects(PICK + OVER, at(PEAR, (*moved(APPLE_XY, 0.03), HIGH_M), held_by="left"))
        + with_objects(IN_BOWL, at(PEAR, (*moved(BOWL_XY, 0.03), FLOOR_M + HALF), supported_by=(BOWL,))),
        (True,) + (False,) * 3,
        PLACED,
    ),
    "lifts it with another on top": (
        with_objects(PICK + OVER, at(PEAR, (*APPLE_XY, HIGH_M + 2 * HALF), supported_by=(APPLE,))) + IN_BOWL,
        (True,) + (False,) * 3,
        PLACED,
    ),
    "lifts it with another on a third on top": (
        with_objects(
            PICK + OVER,
            at(PEAR, (*APPLE_XY, HIGH_M + 2 * HALF), supported_by=(APPLE,)),
            at(TRAY, (*APPLE_XY, HIGH_M + 4 * HALF), TRAY_HALF, supported_by=(PEAR,)),
        )
        + IN_BOWL,
        (True,) + (False,) * 3,
        PLACED,
    ),
    "lifts it with another on the hand": (
        with_objects(PICK + OVER, at(PEAR, (*moved(APPLE_XY, 0.06), HIGH_M), touched_by=("left",))) + IN_BOWL,
        (True,) + (False,) * 3,
        PLACED,
    ),
    "drags another along that leans on it": (
        with_objects(
            PICK, at(PEAR, (*moved(APPLE_XY, 0.04), 0.06), supported_by=(APPLE, "table"))
        ) + OVER + IN_BOWL,
        PLACED,
        PLACED,
    ),
    "carries it while the other arm carries another": (
        with_objects(PICK + OVER, at(PEAR, (*PEAR_XY, HIGH_M), held_by="right")) + IN_BOWL,
        PLACED,
        PLACED,
    ),
    "puts it in with the other hand closed": (
        CARRIED + [dataclasses.replace(frame, openings={"right": 0.0}) for frame in IN_BOWL],
        PLACED,
        BROUGHT,
    ),
    "opens the hand by less than 80 %": (
        CARRIED + [dataclasses.replace(frame, openings={"left": 0.0559}) for frame in IN_BOWL],
        PLACED,
        BROUGHT,
    ),
    "opens the hand by 80 %": (
        CARRIED + [dataclasses.replace(frame, openings={"left": 0.0561}) for frame in IN_BOWL],
        PLACED,
        PLACED,
    ),
}  # fmt: skip


def stages_reached(score: EpisodeScore, rubric: str) -> tuple[bool, ...]:
    return tuple(score.reached_stage(rubric, stage) for stage in PLACE_STAGES)
