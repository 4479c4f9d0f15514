"""Phases of scripted motions, with and without contact sensing: what the robot does when, told as it happens."""

from collections.abc import Sequence

import numpy as np
import pytest

from imove_core.state import ObjectState, RobotState, StepState
from imove_tasks.stages.phases import LOST_STEPS, PHASES, STANDS_STEPS, PhaseMachine, PhaseSpan, phase_spans

from .stage_cases import HALF, OTHER, PLACES, RIG, TARGET, Frame, at, blind, cube

X, Y = PLACES[TARGET]
ABOVE, THERE = 0.15, HALF
OPEN_M, CLOSED_M = 0.06, 0.03
CARRIED_X = X + 0.08


def tool(height: float, opening_m: float, x: float = X, *, item: ObjectState | None = None) -> Frame:
    """The left hand over, or around, the target; `item` is the target where it is not at rest."""
    objects = {} if item is None else {TARGET: item}
    return Frame(left=(x, Y, height), openings={"left": opening_m}, objects=objects)


def lifted(rise: float, x: float = X) -> ObjectState:
    return at(TARGET, (x, Y, HALF + rise), held_by="left")


APPROACHES = [tool(height, OPEN_M) for height in (ABOVE, 0.1, 0.06, THERE)]
GRASPS = [tool(THERE, opening) for opening in (0.05, CLOSED_M, CLOSED_M)]
LIFTS = [tool(THERE + rise, CLOSED_M, item=lifted(rise)) for rise in (0.01, 0.04, 0.08)]
CARRIES = [tool(THERE + 0.08, CLOSED_M, x, item=lifted(0.08, x)) for x in (X + 0.04, CARRIED_X)]
CARRIES += [tool(THERE, CLOSED_M, CARRIED_X, item=lifted(0.001, CARRIED_X))]
DOWN_AGAIN = at(TARGET, (CARRIED_X, Y, HALF))
RELEASES = [tool(THERE, opening, CARRIED_X, item=DOWN_AGAIN) for opening in (0.045, OPEN_M)]
RETREATS = [tool(height, OPEN_M, CARRIED_X, item=DOWN_AGAIN) for height in (0.05, 0.1, ABOVE)]
WHOLE = [*APPROACHES, *GRASPS, *LIFTS, *CARRIES, *RELEASES, *RETREATS]


def phases_of(frames: Sequence[Frame], sensed: bool = True) -> list[str]:
    """Phases of frames after one in which all is at rest; targets are where the joints are."""
    machine, found = PhaseMachine(RIG), []
    rest = {key: cube(key) for key in (TARGET, OTHER)}
    for step, frame in enumerate([Frame(), *frames]):
        positions = frame.robot()
        robot = RobotState(positions, np.zeros_like(positions), np.zeros_like(positions))
        objects = tuple(frame.objects.get(key, item) for key, item in rest.items())
        shown = objects if sensed else tuple(blind(item) for item in objects)
        found.append(machine.update(StepState(step * 33_333_333, step, robot, shown), positions))
    return found


@pytest.mark.parametrize("sensed", [True, False])
def test_a_pick_with_a_place_goes_through_all_phases(sensed: bool) -> None:
    found = phases_of(WHOLE, sensed)
    assert [span.phase for span in phase_spans(found)] == list(PHASES)
    parts = (APPROACHES, GRASPS, LIFTS, CARRIES, RELEASES, RETREATS)
    told = [phase for phase, frames in zip(PHASES[1:], parts, strict=True) for _ in frames]
    # A tool retreats from the step on at which it is clear of where it let go.
    assert found == ["idle", *told]


def test_nothing_is_told_that_depends_on_what_comes_later() -> None:
    whole = phases_of(WHOLE)
    for length in range(len(WHOLE)):
        assert phases_of(WHOLE[:length]) == whole[: length + 1]


def test_resting_arms_are_idle_and_a_policy_that_trembles_does_not_grasp() -> None:
    assert set(phases_of([Frame()] * 5)) == {"idle"}
    trembling = [tool(THERE, OPEN_M - 0.001 * (step % 3)) for step in range(12)]
    assert phases_of([*APPROACHES, *trembling])[-1] == "approach"


def test_closing_far_from_everything_is_no_grasp() -> None:
    assert phases_of([tool(ABOVE, OPEN_M), tool(ABOVE, CLOSED_M)])[-1] == "approach"


def test_a_grasp_that_is_opened_again_is_an_approach_and_can_be_tried_anew() -> None:
    again = [*APPROACHES, *GRASPS, tool(THERE, 0.05), *GRASPS[1:], *LIFTS]
    told = [span.phase for span in phase_spans(phases_of(again))]
    assert told == ["idle", "approach", "grasp", "approach", "grasp", "lift"]


def test_an_object_that_slips_out_of_the_hand_is_gone_for_again() -> None:
    fallen = [tool(0.1, CLOSED_M, item=cube(TARGET))] * (LOST_STEPS + 2)
    found = phases_of([*APPROACHES, *GRASPS, *LIFTS, *fallen])
    assert found[-1] == "approach"
    assert found[-3] == "lift"


def test_a_motion_that_begins_after_a_rest_goes_for_something_new() -> None:
    rests = [RETREATS[-1]] * (STANDS_STEPS + 2)
    moves = [tool(0.12, OPEN_M, CARRIED_X, item=DOWN_AGAIN)]
    found = phases_of([*WHOLE, *rests, *moves])
    assert found[-2:] == ["retreat", "approach"]


def test_the_arm_that_changed_last_speaks_for_the_rig() -> None:
    right = Frame(left=(X, Y, ABOVE), right=(*PLACES[OTHER], 0.1), openings={"left": OPEN_M})
    assert phases_of([*APPROACHES, *GRASPS, right])[-1] == "approach"


def test_spans_join_equal_phases() -> None:
    assert phase_spans(["idle", "approach", "approach", "grasp"]) == (
        PhaseSpan("idle", 0, 0),
        PhaseSpan("approach", 1, 2),
        PhaseSpan("grasp", 3, 3),
    )
