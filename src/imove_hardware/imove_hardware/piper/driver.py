"""The driver of one PiPER arm: a thread that goes its rounds, and what others may ask of it. It knows no ROS."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from imove_core.errors import ImoveError
from imove_core.hardware import ArmDevice
from imove_core.rig import Arm
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array
from imove_hardware.arm_state import Mode
from imove_hardware.piper.connection import OnReading
from imove_hardware.piper.health import ArmHealth
from imove_hardware.piper.report import ArmReport
from imove_hardware.piper.rounds import DriverOptions, OnEvent, Rounds
from imove_hardware.piper.winding_up import wind_up


class PiperDriver:
    """Reads an arm and commands it; all methods may be called from any thread."""

    def __init__(
        self,
        arm: Arm,
        device: ArmDevice,
        options: DriverOptions,
        on_reading: OnReading = lambda reading: None,
        on_event: OnEvent = lambda event: None,
        on_change: Callable[[], None] = lambda: None,
        take_commands: Callable[[], None] = lambda: None,
    ) -> None:
        """Does nothing before `start`.

        Args:
            arm: Of the rig.
            device: How it is connected.
            options: How to work.
            on_reading: Told of each reading, in the thread that reads the bus.
            on_event: Told of what was held to limits, and of stops; it must not ask the driver anything.
            on_change: Called after each change of mode or reason.
            take_commands: Called before each round, to hand over what has been commanded by then.

        Raises:
            ImoveError: The address of the bus is none.
        """
        self._arm, self._period_s = arm, options.period_s
        self._on_reading, self._on_event, self._on_change = on_reading, on_event, on_change
        self._take_commands = take_commands
        self._lock = threading.Lock()
        self._rounds = Rounds(arm, device, options, self._lock, on_event)
        self._told = (Mode.CONNECTING, "")
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"{arm.name}_driver", daemon=True)

    def start(self) -> None:
        """Starts to look for the arm."""
        self._thread.start()

    def check_alive(self) -> None:
        """Raises RuntimeError where the thread has ended by an error, which it has printed."""
        if not self._thread.is_alive() and not self._ending.is_set():
            raise RuntimeError(f"the thread of arm '{self._arm.name}' has ended")

    def close(self) -> None:
        """Brings the arm to rest, leaves it there with its power on, and closes the bus; all within some seconds."""
        wind_up(self._thread, self._ending)

    def command(self, command: JointCommand) -> None:
        """Carries out a checked command; raises ImoveError where the arm takes none, or the command is out of time."""
        with self._lock:
            rounds = self._rounds
            rounds.state.check_commands()
            if rounds.commands is None or rounds.letting_go:
                raise ImoveError(f"arm '{self._arm.name}' takes no command: its power is being taken away")
            events = rounds.commands.command(command, time.time_ns())
            rounds.state.commanded()
        for event in events:
            self._on_event(event)

    def hold(self, reason: str) -> None:
        """Drops what is commanded and keeps the arm where it is; the next command is taken."""
        with self._lock:
            rounds = self._rounds
            if rounds.state.mode is not Mode.FOLLOWING or rounds.commands is None:
                return
            rounds.commands.brake()
            rounds.state.ran_out(reason)
            rounds.tell("watchdog", "held", f"arm '{self._arm.name}' holds: {reason}")

    def stop(self, on: bool) -> None:
        """Takes note of the emergency stop, which holds and locks the arm."""
        with self._lock:
            rounds = self._rounds
            comes_on = on and not rounds.state.stopped
            rounds.state.stop(on)
            if not comes_on:
                return
            if rounds.commands is not None:
                rounds.commands.brake()
            sentence = f"emergency stop: arm '{self._arm.name}' holds and is locked"
            rounds.tell("emergency_stop", "stopped", sentence)

    def resume(self) -> str:
        """Unlocks the arm on a person's word; says what comes of it, or raises ImoveError with why not."""
        with self._lock:
            self._rounds.resume()
        return f"arm '{self._arm.name}' is unlocked: it holds where it is and takes commands"

    def enable(self, on: bool) -> str:
        """Powers the motors or takes their power, on a person's word; raises ImoveError with why not."""
        with self._lock:
            rounds = self._rounds
            if on:
                rounds.enable()
                return f"arm '{self._arm.name}' is given power"
            if rounds.commands is None or rounds.state.mode not in (Mode.HOLDING, Mode.LOCKED):
                raise ImoveError(
                    f"arm '{self._arm.name}' is {rounds.state.mode.value}; its power is taken away only while it is "
                    "holding or locked"
                )
            rounds.commands.check_rest()
            rounds.letting_go = True
        return f"the power of arm '{self._arm.name}' is taken away"

    @property
    def target(self) -> Array | None:
        """The target (7,) in force, rad and m; None while the driver has none."""
        commands = self._rounds.commands
        return None if commands is None else commands.target

    def report(self) -> ArmReport:
        """How the arm does."""
        with self._lock:
            rounds = self._rounds
            connection, state = rounds.connection, rounds.state
            return ArmReport(
                bus=str(rounds.address),
                mode=state.mode.value,
                reason=state.reason,
                connected=connection is not None,
                health=connection.health if connection is not None else ArmHealth(),
                silent_s=rounds.silence.silent_s,
                frames_hz=rounds.rate.hz if connection is not None else 0.0,
                mixed=connection.mixed if connection is not None else 0,
                firmware=rounds.firmware,
            )

    def _run(self) -> None:
        next_s = time.monotonic()
        while not self._ending.is_set():
            self._take_commands()
            self._rounds.round(time.monotonic(), self._ending, self._on_reading)
            self._tell_change()
            next_s = max(next_s + self._period_s, time.monotonic())
            self._ending.wait(next_s - time.monotonic())
        self._rest()
        self._rounds.disconnect()

    def _rest(self) -> None:
        """Brings an arm that moves to rest: the last thing that is sent to it."""
        commands = self._rounds.commands
        if commands is None or self._rounds.state.mode not in (Mode.HOLDING, Mode.FOLLOWING, Mode.LOCKED):
            return
        commands.brake()
        while commands.brakes:
            commands.brake_round(time.time_ns())
            time.sleep(self._period_s)

    def _tell_change(self) -> None:
        now = (self._rounds.state.mode, self._rounds.state.reason)
        if now != self._told:
            self._told = now
            self._on_change()
