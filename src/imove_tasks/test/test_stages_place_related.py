"""The stages of a place in a relation to an object, and without contact sensing."""

import dataclasses

import numpy as np
import pytest

from imove_core.state import RobotState, StepState
from imove_tasks.stages import StageMachine

from .place_cases import (
    APPLE,
    APPLE_XY,
    BOWL,
    BOWL_AT_REST,
    BOWL_XY,
    BROUGHT,
    CARRIED,
    FLOOR_M,
    HIGH_M,
    IN_BOWL,
    OVER,
    PEAR,
    PEAR_XY,
    PICK,
    PICKED,
    PLACED,
    TRAY,
    TRAY_XY,
    bowl_at,
    held,
    lying,
    moved,
    place_spec,
    play,
    stages_reached,
    turned,
    unsensed,
    with_objects,
)
from .stage_cases import (
    HALF,
    RIG,
    Frame,
    at,
)

# Relations are to the bowl, on the table: right is -y, in front +x. The apple stands to the left of it at first.
LEFT, RIGHT, FRONT = moved(BOWL_XY, 0.0, 0.13), moved(BOWL_XY, 0.0, -0.13), moved(BOWL_XY, 0.13)


def put(xy: tuple[float, float], *supports: str, bottom_m: float = 0.0) -> list[Frame]:
    return PICK + held(APPLE, xy) + lying(APPLE, xy, bottom_m, *(supports or ("table",)))


RELATED: dict[str, tuple[str, list[Frame], tuple[bool, ...], tuple[bool, ...]]] = {
    "puts it to the right": ("right_of", put(RIGHT), PLACED, PLACED),
    "puts it to the left": ("right_of", put(LEFT), PICKED, PICKED),
    "puts it in front": ("in_front_of", put(FRONT), PLACED, PLACED),
    "puts it near": ("near", put(RIGHT), PLACED, PLACED),
    "puts it not near enough": ("near", put(moved(BOWL_XY, 0.0, -0.16)), PICKED, PICKED),
    "puts it on a diagonal": ("right_of", put(moved(BOWL_XY, 0.08, -0.08)), PICKED, PICKED),
    "holds it to the right": ("right_of", PICK + held(APPLE, RIGHT, steps=20), BROUGHT, BROUGHT),
    "puts it back where it stood, where it was right at first": ("left_of", put(APPLE_XY), PLACED, PLACED),
    "puts it on something to the right": (
        "right_of",
        with_objects(put(RIGHT, PEAR, bottom_m=2 * HALF), at(PEAR, (*RIGHT, HALF), supported_by=("table",))),
        BROUGHT,
        PLACED,
    ),
    "leans it on the bowl": ("right_of", put(RIGHT, BOWL, "table"), BROUGHT, PLACED),
    "throws it to the right": ("right_of", PICK + lying(APPLE, RIGHT, 0.0, "table"), PICKED, PLACED),
    "moves the bowl instead": ("near", with_objects(put(moved(APPLE_XY, 0.01)), bowl_at(0.0, y=0.11)), PICKED, PLACED),
    "turns the bowl over": ("right_of", with_objects(put(RIGHT), turned(BOWL_AT_REST, np.pi)), PLACED, PLACED),
}


@pytest.mark.parametrize("name", RELATED)
def test_confusion_matrix_of_relations(name: str) -> None:
    relation, frames, strict, reference = RELATED[name]
    score = play(frames, relation)
    assert stages_reached(score, "strict") == strict
    assert stages_reached(score, "reference") == reference


def test_a_relation_to_the_other_reference_is_an_event_of_that() -> None:
    xy = moved(TRAY_XY, -0.02, -0.1)
    score = play(put(xy), "right_of")
    placed = [(e.destination_id, e.is_target) for e in score.events if e.rubric == "strict" and e.stage == "place"]
    assert placed == [(TRAY, False)]


UNSENSED = {
    "puts it in": (CARRIED + IN_BOWL, PLACED),
    "holds it above": (CARRIED + held(APPLE, BOWL_XY, steps=30), BROUGHT),
    "holds it low in the bowl": (CARRIED + held(APPLE, BOWL_XY, FLOOR_M + HALF, steps=30), BROUGHT),
    "balances it on the rim": (CARRIED + lying(APPLE, BOWL_XY, FLOOR_M + 0.045), BROUGHT),
    "puts it beside the bowl": (CARRIED + lying(APPLE, moved(BOWL_XY, 0.09), 0.0), BROUGHT),
    "throws it in": (PICK + IN_BOWL, PICKED),
    "leaves it moving": (
        CARRIED + lying(APPLE, BOWL_XY, FLOOR_M, linear_velocity=np.array([0.0, 0.051, 0.0])),
        BROUGHT,
    ),
    "lifts it with another on top": (
        with_objects(PICK + OVER, at(PEAR, (*APPLE_XY, HIGH_M + 2 * HALF))) + IN_BOWL,
        (True,) + (False,) * 3,
    ),
    "carries it while the other arm carries another": (
        [
            dataclasses.replace(frame, right=(*PEAR_XY, HIGH_M))
            for frame in with_objects(PICK + OVER, at(PEAR, (*PEAR_XY, HIGH_M)))
        ]
        + IN_BOWL,
        PLACED,
    ),
}


@pytest.mark.parametrize("name", UNSENSED)
def test_confusion_matrix_without_contacts(name: str) -> None:
    frames, strict = UNSENSED[name]
    machine = StageMachine(RIG, place_spec(), "normal")
    for step, frame in enumerate(unsensed([Frame(), *frames])):
        positions = frame.robot()
        robot = RobotState(positions, np.zeros_like(positions), np.zeros_like(positions))
        machine.update(StepState(step, step, robot, tuple(frame.objects.values())))
    assert stages_reached(machine.score(), "strict") == strict


def test_a_relation_without_contacts_needs_the_object_down_on_the_table() -> None:
    for bottom_m, expected in ((0.0, PLACED), (0.03, BROUGHT)):
        frames = unsensed([Frame(), *PICK, *held(APPLE, RIGHT), *lying(APPLE, RIGHT, bottom_m)])
        machine = StageMachine(RIG, place_spec("right_of"), "normal")
        for step, frame in enumerate(frames):
            robot = RobotState(frame.robot(), np.zeros(RIG.size), np.zeros(RIG.size))
            machine.update(StepState(step, step, robot, tuple(frame.objects.values())))
        assert stages_reached(machine.score(), "strict") == expected
