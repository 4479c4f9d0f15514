"""Which commands are taken when."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_console.commands import Command, buttons, check
from imove_console.facts import Teleop, Trial
from imove_console.protocol import Ask, parse_request
from imove_core.errors import ImoveError

ARMS = ("left", "right")
TRIAL = Trial("running", commands=("stop", "success", "overrule", "note"))
TELEOP = Teleop("paused", commands=("resume", "discard"))


def command(target, name, **argument):
    return Command(target=target, command=name, argument=argument)


def test_what_the_state_lists_is_taken():
    check(command("trial", "stop"), TRIAL, None, ARMS)
    check(command("trial", "overrule", stage="lift", object="object_1", happened=False), TRIAL, None, ARMS)
    check(command("teleop", "resume"), None, TELEOP, ARMS)
    check(command("resume_arm", "left"), None, None, ARMS)


@pytest.mark.parametrize(
    ("asked", "trial", "teleop", "words"),
    [
        (command("trial", "start"), TRIAL, None, "start is not taken while running; allowed: stop, success"),
        (command("trial", "stop"), None, TELEOP, "no trial conductor is running"),
        (command("teleop", "start"), TRIAL, None, "no teleoperation is running"),
        (command("teleop", "jog", arm="left"), None, None, "no teleoperation is running"),
        (command("resume_arm", "middle"), TRIAL, TELEOP, "unknown arm 'middle'; allowed: left, right"),
    ],
)
def test_everything_else_is_refused_with_a_sentence(asked, trial, teleop, words):
    with pytest.raises(ImoveError, match=words):
        check(asked, trial, teleop, ARMS)


@pytest.mark.parametrize(
    "fault",
    [
        {"target": "trial", "command": "shutdown"},
        {"target": "teleop", "command": "overrule"},
        {"target": "nobody", "command": "start"},
        {"target": "trial", "command": "start", "argument": {"x": 1}},
        {"target": "trial", "command": "note", "argument": {"text": "  "}},
        {"target": "trial", "command": "note", "argument": {"text": "x" * 2000}},
        {"target": "trial", "command": "overrule", "argument": {"stage": "fly", "object": "o", "happened": True}},
        {"target": "teleop", "command": "jog", "argument": {"arm": "left", "twist": [2.0, 0, 0, 0, 0, 0]}},
        {"target": "teleop", "command": "enable"},
        {"target": "teleop", "command": "enable", "argument": {"hold_s": 3.0}},
        {"target": "enable_arm", "command": "left", "argument": {"data": False}},
    ],
)
def test_what_is_no_command_is_refused(fault):
    with pytest.raises(ImoveError, match="message of the page"):
        parse_request(json.dumps({"type": "command", "id": 1, "command": fault}))


@given(st.text(max_size=200) | st.binary(max_size=50).map(repr))
def test_whatever_a_page_sends_is_a_request_or_an_error(text):
    try:
        parse_request(text)
    except ImoveError:
        return
    raise AssertionError(f"{text!r} was taken")


def test_a_deep_message_is_an_error():
    with pytest.raises(ImoveError):
        parse_request("[" * 5000)


def test_what_is_held_down_goes_out_whatever_the_state_was():
    check(command("teleop", "enable", hold_s=0.5), None, TELEOP, ARMS)
    assert command("teleop", "enable", hold_s=0.5).repeated
    assert not command("teleop", "disable").repeated


def test_arguments_travel_as_json():
    request = parse_request(
        json.dumps({"type": "command", "id": 3, "command": {
            "target": "teleop", "command": "jog", "argument": {"arm": "left", "gripper": 0.1}}})
    )  # fmt: skip
    assert isinstance(request, Ask)
    assert json.loads(request.command.argument_json) == {"arm": "left", "gripper": 0.1}
    assert command("trial", "stop").argument_json == ""


def test_buttons_say_whom_they_are_for_and_why_they_are_not_taken():
    both = {button.command: button for button in buttons(TRIAL, TELEOP)}
    assert both["stop"] == type(both["stop"])("stop", "trial", True, "")
    assert both["start"].reason == "not while running"
    alone = {button.command: button for button in buttons(None, TELEOP)}
    assert alone["resume"].target == "teleop"
    assert "home" not in alone
    assert {button.target for button in buttons(None, None)} == {""}
