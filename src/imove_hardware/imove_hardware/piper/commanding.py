"""What is done with an arm that has been found: taken over, moved, brought to rest, let go."""

from __future__ import annotations

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.safety_event import SafetyEvent
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array
from imove_hardware.piper.connection import Connection
from imove_hardware.piper.enabling import Enabling
from imove_hardware.piper.following import Motion
from imove_hardware.piper.limits import MotionLimits, Units
from imove_hardware.piper.reading import JOINTS
from imove_hardware.piper.sending import Sender
from imove_hardware.piper.watching import Fault, LagWatch

REST_RAD = 0.1
"""How close to zero joints 2 and 3 must be for the power to be taken away: folded, the arm lies on itself."""
GRIPPING_NM = 0.2
"""Effort from which a gripper that is found closed holds something; without an object it needs less."""


class ArmCommands:
    """All that is sent to one arm over one connection, by one thread."""

    def __init__(
        self, arm: Arm, connection: Connection, limits: MotionLimits, sender: Sender, period_s: float, now_s: float
    ) -> None:
        """Sends nothing yet.

        Args:
            arm: Of the rig.
            connection: To the arm.
            limits: That every target keeps to.
            sender: To the arm.
            period_s: Of a round.
            now_s: Steady time.
        """
        self._arm, self._connection, self._sender = arm, connection, sender
        self._motion, self._units = Motion(arm, limits, period_s), Units(limits)
        self._lag = LagWatch(arm.name, arm.joint_names)
        self._enabling = Enabling(arm.name, connection, sender, now_s)
        self._took_over = self._braking = False

    @property
    def target(self) -> Array | None:
        """The target (7,) that was sent last, None before the arm was taken over."""
        return self._motion.position.copy() if self._took_over else None

    @property
    def brakes(self) -> bool:
        """Whether the arm is still being brought to rest."""
        return self._braking

    @property
    def positions(self) -> Array:
        """Where the arm is (7,)."""
        reading = self._connection.reading
        if reading is None:
            raise ImoveError(f"arm '{self._arm.name}' has not said where it is")
        return reading.positions

    def begin_enabling(self, now_s: float) -> None:
        """Begins to take over the arm where it is."""
        self._enabling = Enabling(self._arm.name, self._connection, self._sender, now_s)

    def enabling_round(self, now_s: float) -> bool:
        """Whether the arm is taken over; raises ImoveError when it has taken too long."""
        if not self._enabling.round(now_s):
            return False
        self._motion.start(self._held())
        self._lag.start()
        self._took_over, self._braking = True, False
        return True

    def _held(self) -> Array:
        """Where the arm is (7,), with a gripper that keeps what it holds: a target at the object would let go of it."""
        held = self.positions.copy()
        if self._took_over:
            held[-1] = min(held[-1], self._motion.position[-1])
        elif self._connection.reading is not None and self._connection.reading.efforts[-1] > GRIPPING_NM:
            held[-1] = self._arm.limits[-1, 0]
        return held

    def command(self, command: JointCommand, now_ns: int) -> list[SafetyEvent]:
        """Takes over a command (`Motion.command`)."""
        return self._motion.command(command, now_ns)

    def ran_out(self, now_ns: int) -> bool:
        """Whether no command is left, and the arm has come to rest."""
        return self._motion.ran_out(now_ns) and self._motion.at_rest

    def brake(self) -> None:
        """Comes to rest in the rounds to come."""
        if self._took_over:
            self._motion.brake()
            self._braking = True

    def yield_to(self, fault: Fault) -> None:
        """Comes to rest in the rounds to come; an arm that meets something stops to push."""
        if self._took_over and fault.pushes:
            self._motion.go_to(np.append(self.positions[:JOINTS], self._motion.position[-1]))
            self._braking = True
        else:
            self.brake()

    def move_round(self, now_ns: int) -> None:
        """Sends the target for now."""
        self._sender.send(self._units.of(self._motion.tick(now_ns)))

    def brake_round(self, now_ns: int) -> None:
        """Sends what brings the arm to rest, and nothing after that: the arm keeps its last target by itself."""
        if self._braking:
            self.move_round(now_ns)
            self._braking = not self._motion.at_rest

    def lag(self, now_s: float) -> Fault | None:
        """What is wrong with how the arm follows, if anything."""
        return self._lag.look(self._motion.position[:JOINTS], self.positions[:JOINTS], now_s)

    def check_rest(self) -> None:
        """Raises ImoveError where the arm would fall without power."""
        for index in (1, 2):
            angle = self.positions[index]
            if abs(angle) > REST_RAD:
                raise ImoveError(
                    f"arm '{self._arm.name}' would fall: {self._arm.joint_names[index]} is at {angle:.2f} rad; its "
                    f"power is taken away only where joints 2 and 3 are within {REST_RAD:g} rad of 0, folded"
                )

    def let_go(self) -> None:
        """Takes the power from all motors; what was held falls, too."""
        self._took_over = self._braking = False
        self._sender.let_go()
