"""What a person may ask for at the console, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, ValidationError, model_validator

from imove_console.facts import Teleop, Trial
from imove_core.errors import ImoveError, unknown_name
from imove_core.values import FrozenValue, first_fault

Target = Literal["trial", "teleop", "resume_arm", "enable_arm"]
TRIAL, TELEOP, RESUME_ARM, ENABLE_ARM = "trial", "teleop", "resume_arm", "enable_arm"

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Speed = Annotated[float, Field(ge=-1.0, le=1.0)]


class NoArgument(FrozenValue):
    """Nothing further."""


class Overrule(FrozenValue):
    """What a person says about a stage event."""

    stage: Literal["reach", "lift", "reach_place", "place"]
    object: Name
    happened: bool


class Words(FrozenValue):
    """What a person writes down."""

    text: Text


class Verdict(FrozenValue):
    """How an episode ended; without `success` the recorder's own judgement counts."""

    success: bool | None = None


class Jog(FrozenValue):
    """How fast a tool is to move.

    Attributes:
        arm: Whose.
        twist: Along x, y and z in m/s, then about x, y and z in rad/s.
        gripper: Speed of the opening, m/s; negative closes.
        frame: Of the twist: `world`, or `tool` for the tool's own axes.
    """

    arm: Name
    twist: tuple[Speed, Speed, Speed, Speed, Speed, Speed] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    gripper: Speed = 0.0
    frame: Literal["world", "tool"] = "world"


class Hold(FrozenValue):
    """Holds the deadman for a moment: a page that is gone must not hold it any longer."""

    hold_s: Annotated[float, Field(gt=0.0, le=1.0)]


_PLAIN = ("start", "success", "fail", "discard", "redo", "pause", "resume", "quit")
_ARGUMENTS: Mapping[str, Mapping[str, type[FrozenValue]]] = MappingProxyType(
    {
        TRIAL: {
            **dict.fromkeys((*_PLAIN, "accept", "confirm_layout", "recheck", "stop", "home"), NoArgument),
            "overrule": Overrule,
            "note": Words,
            "intervention": Words,
        },
        TELEOP: {
            **dict.fromkeys((*_PLAIN, "undo", "disable"), NoArgument),
            "enable": Hold,
            "stop": Verdict,
            "jog": Jog,
        },
    }
)
REPEATED = ("jog", "enable")
"""Commands that come again and again while a person holds something: nobody waits for their answers."""

BUTTONS = ("start", "stop", "success", "fail", "accept", "discard", "redo", "pause", "resume", "home")
"""The big ones, in the order of the page."""


class Command(FrozenValue):
    """One thing that a person asks for.

    Attributes:
        target: Who is to do it; an arm's driver for `resume_arm` and `enable_arm`.
        command: What, of the commands of the target; the arm's name for an arm's driver.
        argument: Further facts.
    """

    target: Target
    command: Name
    argument: dict[str, Any] = {}

    @model_validator(mode="after")
    def _check(self) -> Command:
        if self.target in _ARGUMENTS:
            known = _ARGUMENTS[self.target]
            if self.command not in known:
                raise ValueError(str(unknown_name(f"command of {self.target}", self.command, known)))
            try:
                known[self.command].model_validate(self.argument)
            except ValidationError as error:
                raise ValueError(first_fault(error, f"the argument of {self.command}")) from error
        elif self.argument:
            raise ValueError(f"an arm takes no argument, got {self.argument!r}")
        return self

    @property
    def argument_json(self) -> str:
        """The argument as OperatorCommand.srv wants it, "" for none."""
        return json.dumps(self.argument, sort_keys=True) if self.argument else ""

    @property
    def repeated(self) -> bool:
        """Whether it comes again and again."""
        return self.target == TELEOP and self.command in REPEATED


@dataclass(frozen=True)
class Button:
    """One of the big buttons.

    Attributes:
        command: What it asks for.
        target: Whom; "" where nobody is there.
        allowed: Whether it is taken now.
        reason: Why it is not, "" where it is.
    """

    command: str
    target: str
    allowed: bool
    reason: str


def buttons(trial: Trial | None, teleop: Teleop | None) -> tuple[Button, ...]:
    """The big buttons as they are now.

    A trial comes first: where both are there, teleoperation is what the trial's operator uses in between.

    Args:
        trial: What the conductor says, None where there is none.
        teleop: What teleoperation says, None where there is none.
    """
    state: Trial | Teleop | None = trial if trial is not None else teleop
    if state is None:
        return tuple(Button(name, "", False, "nobody who takes commands is running") for name in BUTTONS)
    target = TRIAL if state is trial else TELEOP
    refusal = f"not while {state.phase.replace('_', ' ')}"
    return tuple(
        Button(name, target, name in state.commands, "" if name in state.commands else refusal)
        for name in BUTTONS
        if name in _ARGUMENTS[target]
    )


def check(command: Command, trial: Trial | None, teleop: Teleop | None, arms: tuple[str, ...]) -> None:
    """Raises ImoveError, with one sentence, where a command cannot be taken now.

    Args:
        command: What is asked for.
        trial: What the conductor says, None where there is none.
        teleop: What teleoperation says, None where there is none.
        arms: Names of the rig's arms.
    """
    if command.target in (RESUME_ARM, ENABLE_ARM):
        if command.command not in arms:
            raise unknown_name("arm", command.command, arms)
        return
    state: Trial | Teleop | None = trial if command.target == TRIAL else teleop
    who = "trial conductor" if command.target == TRIAL else "teleoperation"
    if state is None:
        raise ImoveError(f"{command.command} was not sent: no {who} is running, or it is lost")
    # What is held down comes while states change: its receiver judges it.
    if command.command not in state.commands and not command.repeated:
        allowed = ", ".join(state.commands) or "nothing"
        raise ImoveError(f"{command.command} is not taken while {state.phase.replace('_', ' ')}; allowed: {allowed}")
