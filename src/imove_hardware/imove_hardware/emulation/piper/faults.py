"""What can go wrong with an emulated arm or its line; set anew at any time as a whole."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from imove_core.values import FrozenValue

Joint = Annotated[int, Field(ge=1, le=6)]


class ArmFaults(FrozenValue):
    """Faults of an arm; joints count from 1.

    Attributes:
        silent_joints: Their drivers do not answer: no frames of theirs, arm state 5.
        collided_joints: They met something: arm state 7.
        hot_joints: Motors above their temperature: their flags, arm state 9.
        low_voltage: The supply sags to 17 V: flags only.
        mute: The arm sends nothing, as with its CAN plug pulled at the arm; it hears nothing either.
    """

    silent_joints: tuple[Joint, ...] = ()
    collided_joints: tuple[Joint, ...] = ()
    hot_joints: tuple[Joint, ...] = ()
    low_voltage: bool = False
    mute: bool = False

    @property
    def halts(self) -> bool:
        """Whether the controller stops the arm where it is."""
        return bool(self.silent_joints or self.collided_joints or self.hot_joints)


class LineFaults(FrozenValue):
    """Faults of a CAN line.

    Attributes:
        loss: Share of frames that vanish, either way.
        delay_s: Time that each frame of an arm is late on its way to the host.
        jitter_s: Further time, drawn uniformly from 0 to this.
        cut: Nothing passes.
        unplugged: The adapter is gone: clients are thrown out and none is let in.
    """

    loss: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    delay_s: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    jitter_s: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    cut: bool = False
    unplugged: bool = False
