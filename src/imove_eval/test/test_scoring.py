"""Control steps as they arrive: other episodes, repetitions, gaps, the end."""

import numpy as np
import pytest

from imove_analysis.testing import make_spec
from imove_core.kinematics import tool_pose
from imove_core.state import ObjectState, RobotState, StepState
from imove_tasks.stages.scoring import Arrivals, EpisodeScorer

KEY = "test/scene/000/normal"
HORIZON = 10
TARGETS = np.linspace(0.0, 1.0, 14)


@pytest.fixture
def spec():
    """A short episode."""
    return make_spec(horizon_steps=HORIZON)


@pytest.fixture
def step(rig, spec):
    """Makes a control step at which the left tool is at the target."""
    arm = rig.arm("left")
    place = (arm.world_from_base.matrix @ tool_pose(arm.arm_model, np.array(arm.home)))[:3, 3]

    def make(number):
        objects = tuple(
            ObjectState(
                id=item.id,
                position=place if item.role == "target" else np.array(item.position),
                quaternion_xyzw=np.array(item.quaternion_xyzw),
                box_min=np.full(3, -0.02),
                box_max=np.full(3, 0.02),
                linear_velocity=np.zeros(3),
                angular_velocity=np.zeros(3),
            )
            for item in spec.objects
        )
        robot = RobotState(rig.home_positions, np.zeros(rig.size), np.zeros(rig.size))
        return StepState(1_000_000_000 + number, number, robot, objects)

    return make


@pytest.fixture
def events():
    """What the scorer tells: (stamp, rubric, stage, object)."""
    return []


@pytest.fixture
def scorer(rig, spec, events):
    """A scorer of the short episode."""

    def tell(stamp_ns, event):
        events.append((stamp_ns, event.rubric, event.stage, event.object_id))

    return EpisodeScorer(rig, spec, "normal", KEY, tell)


def arrivals(*items):
    queue = Arrivals()
    for key, state in items:
        queue.put((key, state, TARGETS + state.step))
    return queue


def test_whole_episode(scorer, step, events):
    scorer.take(arrivals(*((KEY, step(number)) for number in range(HORIZON + 1))), 0.0)
    assert (scorer.begun, scorer.finished, scorer.missing) == (True, True, "")
    assert scorer.score().steps == HORIZON
    assert (1_000_000_000, "reference", "reach", "object_0") in events
    # Dwelling for 0.2 s is six control periods.
    assert (1_000_000_006, "strict", "reach", "object_0") in events


def test_each_control_step_is_told_once_with_its_targets(rig, spec, step):
    told = []
    follower = EpisodeScorer(
        rig, spec, "normal", KEY, on_step=lambda state, targets: told.append((state.step, targets.tobytes()))
    )
    items = [("other", step(0)), (KEY, step(0)), (KEY, step(0)), (KEY, step(1))]
    follower.take(arrivals(*items), 0.0)
    assert told == [(number, (TARGETS + number).tobytes()) for number in (0, 1)]


def test_nothing_has_arrived(scorer):
    scorer.take(arrivals(), 0.0)
    assert (scorer.begun, scorer.score(), scorer.missing) == (False, None, f"0 to {HORIZON}")


def test_other_episodes_and_repetitions_do_not_count(scorer, step):
    items = [("other", step(0)), (KEY, step(0)), (KEY, step(0)), ("other", step(1)), (KEY, step(1)), (KEY, step(1))]
    scorer.take(arrivals(*items), 0.0)
    assert scorer.score().steps == 1
    assert scorer.missing == f"2 to {HORIZON}"


def test_steps_before_the_first_observation_do_not_count(scorer, step):
    scorer.take(arrivals((KEY, step(3)), (KEY, step(4))), 0.0)
    assert not scorer.begun
    scorer.take(arrivals((KEY, step(0)), (KEY, step(1))), 0.0)
    assert (scorer.begun, scorer.score().steps) == (True, 1)


def test_first_gap_is_named(scorer, step):
    scorer.take(arrivals(*((KEY, step(number)) for number in (0, 1, 4, 8, HORIZON))), 0.0)
    assert (scorer.finished, scorer.missing) == (True, "2 to 3")


def test_steps_behind_the_horizon_do_not_count(scorer, step):
    scorer.take(arrivals(*((KEY, step(number)) for number in range(HORIZON + 5))), 0.0)
    assert scorer.score().steps == HORIZON


def test_waiting_for_a_step(scorer, step):
    queue = arrivals((KEY, step(0)))
    assert scorer.take_until(lambda: scorer.begun, queue, 60.0)
    assert not scorer.take_until(lambda: scorer.finished, queue, 0.0)
