"""The websocket: newest state and images, commands and their answers, the emergency stop."""

import time

import pytest

from imove_console.controls import Answer
from imove_console.frames import FRESH_S, Frames

from .console_helpers import DEADLINE_S, INSTRUCTION, picture, running_trial, serving, teleoperating


@pytest.fixture
def console():
    with serving() as served:
        yield served


def wait_until(done):
    deadline = time.monotonic() + DEADLINE_S
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_page_sees_what_is_there_and_what_changes(console):
    with console.socket() as page:
        assert page.state()["trial"] is None
        running_trial(console.board)
        state = page.state(lambda state: state["trial"] and state["stages"])
        assert (state["instruction"], state["trial"]["phase"]) == (INSTRUCTION, "running")
        assert [arm["level"] for arm in state["arms"]] == ["ok", "ok"]


def test_a_command_is_carried_out_and_answered(console):
    running_trial(console.board)
    with console.socket() as page:
        page.send(type="command", id=5, command={"target": "trial", "command": "stop"})
        assert page.answer(5) == {"type": "answer", "id": 5, "ok": True, "message": "done"}
        console.desk.answer = Answer(False, "not now")
        overrule = {"stage": "lift", "object": "object_2", "happened": False}
        page.send(type="command", id=6, command={"target": "trial", "command": "overrule", "argument": overrule})
        assert page.answer(6)["message"] == "not now"
        state = page.state(lambda state: any("not now" in line["text"] for line in state["log"]))
        assert [line["level"] for line in state["log"]][-2:] == ["ok", "warn"]
    assert [item.command for item in console.desk.commands] == ["stop", "overrule"]


def test_what_is_not_taken_now_never_reaches_a_node(console):
    running_trial(console.board)
    with console.socket() as page:
        page.send(type="command", id=1, command={"target": "trial", "command": "start"})
        assert "start is not taken while running" in page.answer(1)["message"]
        page.send(type="command", id=2, command={"target": "trial", "command": "reboot"})
        assert "unknown command of trial 'reboot'" in page.answer(0)["message"]
    assert console.desk.commands == []


def test_the_stop_does_not_wait_for_anything(console):
    running_trial(console.board)
    console.desk.held = []
    with console.socket() as page:
        for number in range(20):
            page.send(type="command", id=number + 1, command={"target": "trial", "command": "stop"})
        page.send(type="stop", id=90, on=True)
        assert page.answer(90)["ok"]
        assert page.state(lambda state: state["stop"]["on"])["log"][-1]["text"] == "EMERGENCY STOP"
        assert console.desk.stops == [True]
        # No more of them wait than a person can have meant.
        assert len(console.desk.commands) == 8


def test_a_page_that_goes_starts_and_stops_nothing(console):
    running_trial(console.board)
    with console.socket() as page:
        page.send(type="watch", sources=["static_camera"])
        page.state()
        wait_until(lambda: console.frames.looked_at == {"static_camera"})
    wait_until(lambda: not console.frames.looked_at)
    assert (console.desk.commands, console.desk.stops) == ([], [])


def test_only_images_that_are_looked_at_are_sent_and_the_newest_wins(console):
    with console.socket() as page:
        page.send(type="watch", sources=["static_camera", "no_such_camera"])
        wait_until(lambda: console.frames.looked_at == {"static_camera"})
        console.frames.put("left_hand_camera", picture(1))
        console.frames.put("static_camera", first := picture(10))
        assert page.frame() == ("static_camera", first)
        # The page has not drawn it yet: what comes meanwhile waits in one place, where the last one stays.
        for shade in range(20, 40):
            console.frames.put("static_camera", picture(shade))
        console.board.tell("ok", "meanwhile")
        page.state(lambda state: state["log"] and state["log"][-1]["text"] == "meanwhile")
        page.send(type="drawn", source="static_camera")
        assert page.frame() == ("static_camera", picture(39))


def test_what_is_held_down_does_not_pile_up(console):
    teleoperating(console.board)
    console.desk.held = []
    with console.socket() as page:
        jog = {"target": "teleop", "command": "jog", "argument": {"arm": "left", "gripper": 0.1}}
        for number in range(50):
            page.send(type="command", id=number + 1, command=jog)
        wait_until(lambda: console.desk.held)
        page.send(type="stop", id=99, on=True)
        page.answer(99)
        assert len(console.desk.commands) == 1
        console.desk.held[0].set_result(Answer(True, ""))
        time.sleep(0.1)
        page.send(type="command", id=100, command=jog)
        wait_until(lambda: len(console.desk.commands) == 2)


def test_pages_see_the_same(console):
    with console.socket() as one, console.socket() as other:
        one.send(type="stop", id=1, on=True)
        assert other.state(lambda state: state["stop"]["on"])["stop"] == {"on": True, "held_here": True}


def test_an_old_image_is_not_shown_as_a_live_one():
    now = [10.0]
    frames = Frames(["static_camera"], clock=lambda: now[0])
    frames.put("static_camera", picture(1))
    assert frames.newest("static_camera").number == 1
    now[0] += FRESH_S
    assert frames.newest("static_camera") is None
    frames.put("static_camera", picture(2))
    assert frames.newest("static_camera").number == 2
