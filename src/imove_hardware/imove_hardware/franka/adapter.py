"""What is done with a Franka: taken over, moved, held, locked. It knows no ROS, and is asked by one thread only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.safety_event import Action, Kind, SafetyEvent
from imove_core.trajectory import JointCommand, TrajectoryFollower
from imove_core.transforms import Array
from imove_hardware.arm_state import ArmState, Mode
from imove_hardware.command_checks import beyond_limits, check_times
from imove_hardware.franka.course import Course, course_limits
from imove_hardware.franka.hand_control import AHEAD_NS, Hand, HandControl
from imove_hardware.franka.hearing import Hearing
from imove_hardware.franka.report import FrankaReport
from imove_hardware.franka.spline import Way
from imove_hardware.franka.watching import Apart, RobotMode, fault_of
from imove_motion.safety.settings import SafetySettings

RECOVERED_S = 0.3
"""How long nothing may be wrong before a fault counts as gone."""
TAKE_OVER_RAD = 0.2
"""How far from where its controller wants it an arm may be that is taken over."""
STRAY_RAD, STRAY_PATIENCE_S = 0.2, 0.3
"""How far, and for how long, the controller may be from what it was sent: at 2.6 rad/s an arm is 0.1 rad further on
when a message of 40 ms arrives."""
LAG_RAD, LAG_PATIENCE_S = 0.25, 0.5
"""How far, and for how long, the arm may be from its target."""
_STILL_RAD_S = 1e-3


@dataclass(frozen=True)
class AdapterOptions:
    """How an adapter works.

    Attributes:
        safety: Shares of the rig's speeds and accelerations that may be used; of the accelerations never more than all.
        speed_share: Of the speeds, as the rig's hardware says for this arm.
        silence_s: Silence of arm, state or controller after which they count as lost.
        hand_silence_s: The same for the hand.
        force_n: With which the hand closes.
    """

    safety: SafetySettings = SafetySettings()
    speed_share: float = 1.0
    silence_s: float = 0.1
    hand_silence_s: float = 1.0
    force_n: float = 20.0


class FrankaAdapter:
    """Between the commands of the contract and a trajectory controller with a hand."""

    def __init__(
        self,
        arm: Arm,
        bus: str,
        options: AdapterOptions,
        send: Callable[[Way], None],
        hand: Hand,
        on_event: Callable[[SafetyEvent], None] = lambda event: None,
    ) -> None:
        """Waits for the arm.

        Args:
            arm: Of the rig.
            bus: Its controller, for reports.
            options: How to work.
            send: Gives the controller a way that replaces the one before.
            hand: Of the arm.
            on_event: Told of what is held to limits, and of stops.
        """
        self._arm, self._bus, self._send, self._on_event = arm, bus, send, on_event
        self._names = arm.joint_names[:-1]
        safety = options.safety
        speed_share, acceleration_share = safety.speed_scale * options.speed_share, min(1.0, safety.acceleration_scale)
        self._limits = course_limits(arm, speed_share, acceleration_share)
        self._hand = HandControl(arm, hand, options.force_n)
        self.state = ArmState(arm.name)
        """What is done with the arm."""
        self.hearing = Hearing(options.silence_s, options.hand_silence_s)
        """What is heard of it."""
        self._course: Course | None = None
        self._commands = TrajectoryFollower(arm.limits, arm.home_positions, arm.velocity_limits)
        self._last_ns, self._healthy_s = 0, 0.0
        self._stray = Apart(
            STRAY_RAD,
            STRAY_PATIENCE_S,
            f"the controller of arm '{arm.name}' does not follow what it is sent: {{joint}} has been {{angle}} rad "
            "away for {seconds} s; does another program command it, or is its clock another one?",
        )
        self._lag = Apart(
            LAG_RAD,
            LAG_PATIENCE_S,
            f"arm '{arm.name}' does not follow: {{joint}} has been {{angle}} rad from its target for {{seconds}} s; it "
            "meets something, or its controller's gains are too low",
        )

    def command(self, command: JointCommand, now_ns: int) -> None:
        """Carries out a checked command; raises ImoveError where the arm takes none, or the command is out of time."""
        self.state.check_commands()
        check_times(self._arm, command, now_ns)
        for event in beyond_limits(self._arm, command):
            self._on_event(event)
        self._commands.command(command)
        self._last_ns = int(command.times_ns[-1])
        self.state.commanded()

    def hold(self, reason: str, now_ns: int) -> None:
        """Drops what is commanded and comes to rest; the next command is taken."""
        if self.state.mode is not Mode.FOLLOWING:
            return
        self._brake(now_ns)
        self.state.ran_out(reason)
        self._tell("watchdog", "held", f"arm '{self._arm.name}' holds: {reason}", now_ns)

    def stop(self, on: bool, now_ns: int) -> None:
        """Takes note of the emergency stop, which holds and locks the arm and stops its hand."""
        comes_on = on and not self.state.stopped
        self.state.stop(on)
        if comes_on:
            self._brake(now_ns)
            self._hand.cancel()
            sentence = f"emergency stop: arm '{self._arm.name}' holds and is locked"
            self._tell("emergency_stop", "stopped", sentence, now_ns)

    @property
    def needs_recovery(self) -> bool:
        """Whether the arm has to be told to recover before it can be unlocked.

        With a reflex its hardware interface may end, and with that everything that tells of the reflex.
        """
        robot, mode = self.hearing.robot, self.state.mode
        if robot is None or self.state.stopped or mode not in (Mode.FAULTED, Mode.LOST):
            return False
        return robot.mode is RobotMode.REFLEX or bool(robot.errors) or (mode is Mode.LOST and self.hearing.robot_silent)

    def resume(self) -> str:
        """Unlocks the arm on a person's word; says what comes of it, or raises ImoveError with why not."""
        self.state.resume()
        return f"arm '{self._arm.name}' is unlocked: it holds where it is and takes commands"

    def enable(self, on: bool) -> str:
        """Raises ImoveError: the power of a Franka is not switched from here."""
        what = "given power" if on else "let go"
        raise ImoveError(
            f"arm '{self._arm.name}' is not {what} from here: the brakes of a Franka are opened and closed in Desk; "
            "without power they hold it"
        )

    def home_hand(self) -> None:
        """Lets the hand find its largest opening, unless it is busy."""
        self._hand.home()

    def hand_finished(self, failure: str, now_s: float) -> None:
        """The hand has done what it was told, or why not."""
        self._hand.finished(self.hearing.opening_m or 0.0, failure, now_s)

    def target(self, now_ns: int) -> Array | None:
        """The target (8,) in force, rad and m; None before the arm was taken over."""
        if self._course is None:
            return None
        opening_m = np.clip(self._commands.target(now_ns)[-1:], *self._arm.limits[-1])
        return np.concatenate([self._course.position(now_ns), opening_m])

    def round(self, now_ns: int, now_s: float) -> None:
        """Does one round: looks at everything, then sends what the mode asks for.

        Args:
            now_ns: The present, on the clock of commands and states.
            now_s: Steady time.
        """
        silent = self.hearing.look(now_s, controlled=not self._fault())
        mode = self.state.mode
        if mode is Mode.CONNECTING:
            self._find(silent)
        elif mode is Mode.LOST:
            if not silent:
                self.state.reconnect()
        elif silent:
            self._brake(now_ns)
            self._hand.cancel()
            self.state.lose(self._fault() or f"arm '{self._arm.name}': {silent}")
            self._tell("fault", "stopped", f"{self.state.reason}: it is locked", now_ns)
        else:
            self._watch(now_ns, now_s)
            self._act(now_ns, now_s)

    def report(self) -> FrankaReport:
        """How the arm does."""
        return FrankaReport(
            bus=self._bus,
            mode=self.state.mode.value,
            reason=self.state.reason,
            connected=self.state.mode not in (Mode.CONNECTING, Mode.LOST),
            health=self.hearing.robot,
            silent_s=self.hearing.silent_s,
            states_hz=self.hearing.states_hz,
            hand=self._hand.report,
        )

    def _find(self, silent: str) -> None:
        fault = "" if silent else self._fault()
        if silent:
            self.state.wait_for(silent)
        elif fault:
            self.state.fail(fault)
        else:
            self.state.found(powered=True, enable=True)

    def _fault(self) -> str:
        robot = self.hearing.robot
        return fault_of(self._arm.name, robot) if robot is not None else ""

    def _watch(self, now_ns: int, now_s: float) -> None:
        """Looks for what must stop the arm, and for its end."""
        fault, arm, reference = self._fault(), self.hearing.arm, self.hearing.reference
        if not fault and self.state.may_follow and self._course is not None and arm and reference:
            wanted = self._course.position(now_ns)
            fault = self._stray.look(self._names, wanted, reference[0], now_s)
            fault = fault or self._lag.look(self._names, wanted, arm.positions, now_s)
        if fault:
            self._healthy_s = now_s
            if self.state.mode is not Mode.FAULTED:
                self._fail(fault, now_ns)
            elif fault != self.state.reason:
                self.state.fail(fault)
        elif self.state.mode is Mode.FAULTED and now_s - self._healthy_s >= RECOVERED_S:
            self.state.recover(powered=True)

    def _act(self, now_ns: int, now_s: float) -> None:
        if self.state.mode is Mode.ENABLING:
            self._take_over(now_ns)
        if not self.state.may_follow or self._course is None:
            return
        if self.state.mode is Mode.FOLLOWING:
            self._send(self._course.follow(now_ns, lambda stamp_ns: self._commands.target(stamp_ns)[:-1]))
            if now_ns >= self._last_ns and self._course.at_rest(now_ns):
                self.state.ran_out("no command is left")
        wanted_m = float(self._commands.target(now_ns + AHEAD_NS)[-1])
        self._hand.want(wanted_m, self.hearing.opening_m or 0.0, now_s)

    def _take_over(self, now_ns: int) -> None:
        """Goes on from where the controller wants the arm, as soon as it is at rest."""
        arm, reference, opening_m = self.hearing.arm, self.hearing.reference, self.hearing.opening_m
        if arm is None or reference is None or opening_m is None:
            return
        positions, velocities = reference
        if np.any(np.abs(velocities) > _STILL_RAD_S):
            return
        if np.any(np.abs(positions - arm.positions) > TAKE_OVER_RAD):
            self._fail(f"arm '{self._arm.name}' is not where its controller wants it; is it held by something?", now_ns)
            return
        self._course = Course(self._limits, positions, now_ns)
        # Where the hand is would mean to let go of what it holds.
        self._commands.hold(np.append(positions, self._hand.opening(opening_m)))
        self._stray.start()
        self._lag.start()
        self.state.taken_over()

    def _brake(self, now_ns: int) -> None:
        """Sends what brings the arm to rest, and nothing after that: the controller then keeps it there."""
        if self._course is None:
            return
        way = self._course.brake(now_ns)
        self._commands.hold(np.append(way.positions[-1], self._commands.target(now_ns)[-1]))
        self._send(way)

    def _fail(self, sentence: str, now_ns: int) -> None:
        self._brake(now_ns)
        self._hand.cancel()
        self.state.fail(sentence)
        self._tell("fault", "stopped", f"{sentence}: it holds and is locked", now_ns)

    def _tell(self, kind: Kind, action: Action, sentence: str, now_ns: int) -> None:
        nan = float("nan")
        self._on_event(SafetyEvent(now_ns, kind, self._arm.name, "", nan, nan, action, sentence))
