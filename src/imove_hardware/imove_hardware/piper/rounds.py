"""One round after the other of a driver: find the arm, check it, watch it, send what its mode asks for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from imove_core.errors import ImoveError
from imove_core.hardware import ArmDevice
from imove_core.rig import Arm
from imove_core.safety_event import Action, Kind, SafetyEvent
from imove_hardware.arm_state import ArmState, Mode
from imove_hardware.frame_rate import FrameRate
from imove_hardware.piper.bus import parse_address
from imove_hardware.piper.checks import check, effort_scale, speed_limits
from imove_hardware.piper.commanding import ArmCommands
from imove_hardware.piper.connection import RETRY_S, Connection, OnReading
from imove_hardware.piper.identifying import identify
from imove_hardware.piper.limits import motion_limits
from imove_hardware.piper.sending import Sender
from imove_hardware.piper.watching import Fault, fault_of
from imove_hardware.silence import SilenceWatch
from imove_motion.safety.settings import SafetySettings

CHECK_AGAIN_S = 1.0
RECOVERED_S = 0.5
"""How long nothing may be wrong before a fault counts as gone."""
PASSING_S = 1.0
"""How long a fault that goes with the next command may last after `resume`."""
LEAST_SILENCE_S, MOST_SILENCE_S = 0.02, 10.0
MOST_GRIPPER_NM = 5.0
"""What 0x159 can carry."""

OnEvent = Callable[[SafetyEvent], None]


@dataclass(frozen=True)
class DriverOptions:
    """How a driver works.

    Attributes:
        safety: Shares of the rig's speeds and accelerations that targets may use.
        auto_enable: Powers the motors by itself at the first start; never after a loss.
        rate_hz: Rounds a second.
        silence_s: Silence after which the bus counts as lost.
        gripper_effort_nm: With which the gripper closes, N m; 0 to 5.
    """

    safety: SafetySettings = SafetySettings()
    auto_enable: bool = True
    rate_hz: float = 200.0
    silence_s: float = 0.1
    gripper_effort_nm: float = 1.0

    def __post_init__(self) -> None:
        """Raises ImoveError for values that no arm can be driven with."""
        if not LEAST_SILENCE_S <= self.silence_s <= MOST_SILENCE_S:
            raise ImoveError(
                f"silence of a bus counts after {self.silence_s:g} s; allowed: {LEAST_SILENCE_S:g} to "
                f"{MOST_SILENCE_S:g} s"
            )
        if not 0.0 <= self.gripper_effort_nm <= MOST_GRIPPER_NM:
            raise ImoveError(
                f"the gripper's effort is {self.gripper_effort_nm:g} N m; allowed: 0 to {MOST_GRIPPER_NM:g} N m"
            )

    @property
    def period_s(self) -> float:
        """Of a round."""
        return 1.0 / self.rate_hz


class Rounds:
    """What one thread does with an arm; others look and ask under the lock.

    Attributes:
        address: Of the bus.
        state: What is done with the arm.
        connection: To the arm, None while none is open.
        commands: For the arm, None while it is not found, or refused by a check.
        firmware: Of the arm, "" before it was asked.
        silence: Of the bus.
        rate: Of frames.
        letting_go: A person has asked to take the power away.
    """

    def __init__(
        self, arm: Arm, device: ArmDevice, options: DriverOptions, lock: threading.Lock, on_event: OnEvent
    ) -> None:
        """Looks for an arm.

        Args:
            arm: Of the rig.
            device: How it is connected.
            options: How to work.
            lock: Held while anything here changes, and not while the bus is waited for.
            on_event: Told of stops, with the lock held.

        Raises:
            ImoveError: The address of the bus is none.
        """
        self._arm, self._device, self._options, self._lock = arm, device, options, lock
        self._on_event = on_event
        self.address = parse_address(device.bus)
        self.state = ArmState(arm.name)
        self.connection: Connection | None = None
        self.commands: ArmCommands | None = None
        self.firmware = ""
        self.silence, self.rate = SilenceWatch(options.silence_s), FrameRate()
        self.letting_go = False
        self._fault: Fault | None = None
        self._healthy_s = self._passing_until_s = self._next_try_s = 0.0

    def round(self, now_s: float, ending: threading.Event, on_reading: OnReading) -> None:
        """Does one round.

        Args:
            now_s: Steady time.
            ending: Set where all ends.
            on_reading: Told of each reading of a connection that this round may open.
        """
        if self.connection is None and now_s >= self._next_try_s:
            self._connect(ending, on_reading)
        if self.connection is not None and self.commands is None and now_s >= self._next_try_s:
            self._identify(self.connection, ending)
        with self._lock:
            connection, commands = self.connection, self.commands
            if connection is None or self.state.mode is Mode.CONNECTING:
                return
            self.rate.look(connection.frames, now_s)
            # An arm that a check has refused may have no readings, such as one that was left as a leader.
            if self.silence.look(connection.readings if commands is not None else connection.frames, now_s):
                self._lose()
            elif commands is not None:
                self._watch(connection, commands, now_s)
                self._act(commands, now_s)

    def resume(self) -> None:
        """Lets the arm move again on a person's word; raises ImoveError with why not. The lock is held."""
        self.state.resume(passing=self._fault is not None and self._fault.passes)
        self._passing_until_s = time.monotonic() + PASSING_S
        self._begin_enabling()

    def enable(self) -> None:
        """Powers the motors on a person's word; raises ImoveError with why not. The lock is held."""
        self.state.enable()
        self._begin_enabling()

    def disconnect(self) -> None:
        """Closes the bus; the arm stays as it is."""
        connection, self.connection, self.commands = self.connection, None, None
        if connection is not None:
            connection.close()

    def tell(self, kind: Kind, action: Action, sentence: str) -> None:
        """Tells of a stop."""
        nan = float("nan")
        self._on_event(SafetyEvent(time.time_ns(), kind, self._arm.name, "", nan, nan, action, sentence))

    def _connect(self, ending: threading.Event, on_reading: OnReading) -> None:
        """Opens the bus where an arm can be heard on it."""
        try:
            connection = Connection.heard(self.address, ending, on_reading)
        except ImoveError as error:
            self._next_try_s = time.monotonic() + RETRY_S
            with self._lock:
                self.state.wait_for(str(error))
            return
        with self._lock:
            self.connection = connection
            if self.state.mode is Mode.LOST:
                self.state.reconnect()

    def _identify(self, connection: Connection, ending: threading.Event) -> None:
        """Checks an arm that is heard; one that is refused is looked at again from time to time."""
        facts = identify(connection, ending)
        connection.effort_scale = effort_scale(facts.firmware)
        sentence = check(self._arm, self._device.firmware, facts)
        with self._lock:
            now_s = time.monotonic()
            self._next_try_s, self._healthy_s = now_s + CHECK_AGAIN_S, now_s
            self.firmware, self._fault = facts.firmware, None
            self.silence.start(connection.readings, now_s)
            if ending.is_set():
                return
            if sentence:
                self.state.refuse(sentence)
                return
            connection.narrow()
            percent = self._device.speed_percent
            limits = motion_limits(self._arm, self._options.safety, speed_limits(facts.registers, percent))
            sender = Sender(connection.sdk, percent, self._options.gripper_effort_nm)
            self.commands = ArmCommands(self._arm, connection, limits, sender, self._options.period_s, now_s)
            self.state.found(connection.health.all_powered, self._options.auto_enable)

    def _watch(self, connection: Connection, commands: ArmCommands, now_s: float) -> None:
        """Looks for what must stop the arm, and for its end."""
        mode, health = self.state.mode, connection.health
        fault = fault_of(self._arm.name, health, commanding=self.state.may_follow)
        if fault is None and self.state.may_follow:
            fault = commands.lag(now_s)
        if fault is not None and fault.passes and now_s < self._passing_until_s and mode is not Mode.FAULTED:
            return
        if fault is not None:
            self._healthy_s = now_s
            if mode is not Mode.FAULTED:
                self._fail(fault, commands)
            elif fault != self._fault:
                self._fault = fault
                self.state.fail(fault.sentence)
        elif mode is Mode.FAULTED and now_s - self._healthy_s >= RECOVERED_S:
            self._fault = None
            self.state.recover(health.all_powered)
        elif mode in (Mode.HOLDING, Mode.FOLLOWING, Mode.LOCKED) and not health.all_powered:
            joints = [f"joint{number}" for number, powered in enumerate(health.powered, start=1) if not powered]
            sentence = "the power was taken away" if self.letting_go else f"{', '.join(joints)} lost power"
            self.state.unpowered(sentence, asked=self.letting_go)
            if not self.letting_go:
                self.tell("fault", "stopped", f"arm '{self._arm.name}': {sentence}; it is locked")
            self.letting_go = False

    def _act(self, commands: ArmCommands, now_s: float) -> None:
        """Sends what the mode asks for."""
        mode, now_ns = self.state.mode, time.time_ns()
        if self.letting_go:
            commands.let_go()
        elif mode is Mode.ENABLING:
            try:
                if commands.enabling_round(now_s):
                    self.state.taken_over()
            except ImoveError as error:
                self._fail(Fault(str(error), passes=True), commands)
        elif mode in (Mode.HOLDING, Mode.FOLLOWING):
            commands.move_round(now_ns)
            if mode is Mode.FOLLOWING and commands.ran_out(now_ns):
                self.state.ran_out("no command is left")
        elif mode in (Mode.LOCKED, Mode.FAULTED):
            commands.brake_round(now_ns)

    def _begin_enabling(self) -> None:
        if self.commands is not None:
            self.commands.begin_enabling(time.monotonic())

    def _fail(self, fault: Fault, commands: ArmCommands) -> None:
        self._fault, self.letting_go = fault, False
        commands.yield_to(fault)
        self.state.fail(fault.sentence)
        self.tell("fault", "stopped", f"{fault.sentence}: it holds and is locked")

    def _lose(self) -> None:
        silent_ms, allowed_ms = 1000.0 * self.silence.silent_s, 1000.0 * self._options.silence_s
        sentence = (
            f"nothing has come from arm '{self._arm.name}' on {self.address} for {silent_ms:.0f} ms; "
            f"{allowed_ms:.0f} ms is allowed"
        )
        self.state.lose(sentence)
        self.letting_go = False
        self.tell("fault", "stopped", f"{sentence}: it is locked")
        self.disconnect()
