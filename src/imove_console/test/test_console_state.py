"""What the page shows: never an old value of what is lost."""

import json
import math

import pytest

from imove_console.board import DIAGNOSTICS_LOST_S, TELEOP_LOST_S, Board
from imove_console.disk import Disk, room
from imove_console.facts import Episode, Health, Leader, Recorder, Stage, Teleop, Trial
from imove_console.protocol import state_text
from imove_console.state import Stop
from imove_core.rig import load_rig

from .console_helpers import INSTRUCTION, arm, camera, running_trial


class Clock:
    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def board(clock):
    return Board(load_rig("piperx_dual"), monotonic=clock, wall=lambda: 1.7e9)


def part(parts, name):
    return next(item for item in parts if item.name == name)


def test_what_was_never_heard_is_absent(board):
    state = board.state()
    assert [item.level for item in (*state.arms, *state.cameras)] == ["absent"] * 5
    assert (state.trial, state.teleop, state.recorder, state.instruction) == (None,) * 4
    assert not any(button.allowed for button in state.buttons)
    assert {source.presence for source in state.sources.values()} == {"absent"}


def test_an_arm_that_falls_silent_is_lost_and_its_values_are_gone(board, clock):
    board.take_health([arm("left"), arm("right"), camera("static_camera", rate_hz="29.7")])
    assert part(board.state().arms, "left").values["frames_hz"] == "2680"
    clock.now_s += DIAGNOSTICS_LOST_S + 0.1
    board.take_health([arm("right")])
    state = board.state()
    left = part(state.arms, "left")
    assert (left.level, left.values, left.sentence) == ("lost", {}, "nothing heard for 4 s")
    assert part(state.arms, "right").level == "ok"
    assert part(state.cameras, "static_camera").level == "lost"
    board.take_health([arm("left")])
    assert part(board.state().arms, "left").level == "ok"


def test_a_lost_conductor_takes_its_commands_and_instruction_with_it(board):
    running_trial(board)
    state = board.state()
    assert state.trial.policy_label == "B"
    assert {button.command for button in state.buttons if button.allowed} == {
        "stop", "success", "fail", "discard", "pause"
    }  # fmt: skip
    board.take_publishers(trial=False, episode=False)
    state = board.state()
    assert (state.trial, state.instruction, state.episode, state.stages) == (None, None, None, ())
    assert state.sources["trial"].presence == "lost"
    assert not any(button.allowed for button in state.buttons)
    board.take_publishers(trial=True, episode=True)
    assert board.state().instruction == INSTRUCTION


def test_a_killed_conductor_is_lost_before_the_graph_forgets_it(board, clock):
    running_trial(board)
    clock.now_s += DIAGNOSTICS_LOST_S + 0.1
    board.take_publishers(trial=True, episode=True)
    state = board.state()
    assert state.trial is None
    assert state.sources["trial"].presence == "lost"


def test_silent_teleoperation_is_lost(board, clock):
    board.take_teleop(Teleop("running", True, (Leader("left", 0.0, 0.01),), commands=("stop",)))
    assert board.state().buttons[1].allowed
    clock.now_s += TELEOP_LOST_S + 0.1
    assert board.state().teleop is None


def test_stages_are_those_of_the_episode_that_is_set_up(board):
    running_trial(board)
    assert [stage.object_id for stage in board.state().stages] == ["object_0", "object_2", "object_2"]
    board.take_stage(Stage("another", "strict", "reach", "object_1", "", False, 1.0))
    assert len(board.state().stages) == 3
    # The next one is being laid out: the one before is not shown beside it.
    board.take_trial(Trial("laying_out", "the next", instruction="Pick up the banana"))
    state = board.state()
    assert (state.stages, state.instruction) == ((), "Pick up the banana")
    # The same one again, after a redo.
    board.take_episode(Episode("pick_category/seen/012/normal", "normal", start_ns=2))
    board.take_trial(Trial("running", "pick_category/seen/012/normal"))
    assert board.state().stages == ()


def test_the_log_tells_of_the_stop_once_and_folds_what_is_said_again(board):
    for on in (False, True, True, False):
        board.take_stop(Stop(on, on))
    board.tell("warn", "left_joint4 was to go to 4 rad; its limit is 1.553 rad")
    board.tell("warn", "left_joint4 was to go to 4 rad; its limit is 1.553 rad")
    texts = [line.text for line in board.state().log]
    assert texts[:2] == ["EMERGENCY STOP", "emergency stop released"]
    assert len(texts) == 3


def test_components_beyond_a_sane_number_are_left_out(board):
    board.take_health(Health(f"node/{number}", "ok", "") for number in range(1000))
    assert len(board.state().nodes) == 64


def test_every_state_is_json_whatever_numbers_are_in_it(board):
    running_trial(board)
    board.take_teleop(Teleop("running", leaders=(Leader("left", math.nan, math.inf),), lag_p99_s=math.nan))
    board.take_trial(Trial("laying_out", layout=({"id": "object_0", "error_m": math.inf, "ok": False},)))
    board.take_recorder(Recorder("recording", seconds=1.0, dropped=3, dropping_topics=("/tf",)))
    state = json.loads(state_text(board.state().plain()))["state"]
    assert state["teleop"]["leaders"] == [{"arm": "left", "misalignment": None, "age_s": None}]
    assert state["trial"]["layout"][0]["error_m"] is None
    assert state["recorder"]["dropping_topics"] == ["/tf"]


def test_listeners_hear_of_every_change(board):
    heard = []
    board.on_change(lambda: heard.append(1))
    running_trial(board)
    board.take_disk(Disk(1, 2, "error", None))
    assert len(heard) >= 8
    assert board.state().disk.level == "error"


def test_room_is_measured_where_the_folder_will_be(tmp_path):
    found = room(tmp_path / "not" / "yet", mean_episode_bytes=1e6)
    assert 0 < found.free_bytes <= found.total_bytes
    assert found.episodes_left == int(found.free_bytes / 1e6)
