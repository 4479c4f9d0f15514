"""Arms that are only read: leaders, and a follower that its leader drives over the same bus. Nothing is commanded."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_core.trajectory import JointCommand
from imove_core.transforms import Array
from imove_hardware.arm_state import Mode
from imove_hardware.frame_rate import FrameRate
from imove_hardware.piper.bus import parse_address
from imove_hardware.piper.connection import RETRY_S, Connection, OnReading
from imove_hardware.piper.health import ArmHealth
from imove_hardware.piper.reading import FRESH_S, NS, Reading
from imove_hardware.piper.report import LISTENING, ArmReport
from imove_hardware.piper.sending import emergency_stop
from imove_hardware.piper.watching import fault_of
from imove_hardware.piper.winding_up import wind_up
from imove_hardware.silence import SilenceWatch

PERIOD_S = 0.01


class PiperListener:
    """Reads a leader, and with it the follower where both are on one bus; all methods may be called from any thread."""

    def __init__(
        self,
        arm: Arm,
        bus: str,
        drives: bool,
        silence_s: float,
        on_reading: OnReading = lambda reading: None,
        on_leader: OnReading = lambda reading: None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """Does nothing before `start`.

        Args:
            arm: Of the rig: the follower.
            bus: Address of the bus that the leader is on.
            drives: Whether the follower is on it, too, and the leader drives it.
            silence_s: Silence after which the bus counts as lost.
            on_reading: Told of each reading of the follower, in the thread that reads the bus.
            on_leader: Told of each reading of the leader, in the same thread.
            on_change: Called after each change of mode or reason.

        Raises:
            ImoveError: The address of the bus is none.
        """
        self._arm, self._address, self._drives = arm, parse_address(bus), drives
        self._on_reading, self._on_leader, self._on_change = on_reading, on_leader, on_change
        self._silence, self._leader_silence = SilenceWatch(silence_s), SilenceWatch(silence_s)
        self._rate = FrameRate()
        self._connection: Connection | None = None
        self._mode, self._reason = Mode.CONNECTING.value, ""
        self._led = f"the leader on {bus} drives arm '{arm.name}'"
        self._stopping, self._stopped = threading.Event(), False
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"{arm.name}_listener", daemon=True)

    def start(self) -> None:
        """Starts to listen."""
        self._thread.start()

    def check_alive(self) -> None:
        """Raises RuntimeError where the thread has ended by an error, which it has printed."""
        if not self._thread.is_alive() and not self._ending.is_set():
            raise RuntimeError(f"the thread of arm '{self._arm.name}' has ended")

    def close(self) -> None:
        """Closes the bus, within some seconds."""
        wind_up(self._thread, self._ending)

    def stop(self, on: bool) -> None:
        """Stops a follower by the emergency stop of its controller, the one thing that overrides its leader."""
        comes_on, self._stopped = on and not self._stopped, on
        if comes_on and self._drives:
            self._stopping.set()
        if not on:
            self._stopping.clear()

    def command(self, command: JointCommand) -> None:
        """Raises ImoveError, since no command reaches the arm."""
        raise ImoveError(f"{self._led}: it takes no command from this computer")

    def resume(self) -> str:
        """Raises ImoveError, since only the arm's own emergency stop can have stopped it."""
        raise ImoveError(
            f"{self._led}: nothing here can release it. Hold it, and reset it at the arm, which takes its power away"
        )

    def enable(self, on: bool) -> str:
        """Raises ImoveError, since the arm powers its motors by itself."""
        raise ImoveError(f"{self._led}: its power cannot be switched {'on' if on else 'off'} from here")

    @property
    def target(self) -> Array | None:
        """What the leader tells its follower (7,), rad and m; None where it drives none."""
        connection = self._connection
        if connection is None or connection.leader_reading is None or not self._drives:
            return None
        return connection.leader_reading.positions

    def report(self) -> ArmReport:
        """How the follower does, or the leader where it is alone."""
        connection = self._connection
        return ArmReport(
            bus=str(self._address),
            mode=self._mode,
            reason=self._reason,
            connected=connection is not None,
            health=connection.health if connection is not None else ArmHealth(),
            silent_s=self._silence.silent_s,
            frames_hz=self._rate.hz if connection is not None else 0.0,
            mixed=connection.mixed if connection is not None else 0,
            firmware="",
        )

    def _run(self) -> None:
        while not self._ending.wait(PERIOD_S):
            now_s = time.monotonic()
            connection = self._connection
            if connection is None:
                self._connect(now_s)
            else:
                self._rate.look(connection.frames, now_s)
                self._watch(connection, now_s)
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self, now_s: float) -> None:
        try:
            connection = Connection.heard(self._address, self._ending, self._hear, self._on_leader)
        except ImoveError as error:
            if self._mode != Mode.LOST.value:
                self._go(Mode.CONNECTING.value, str(error))
            self._ending.wait(RETRY_S)
            return
        connection.narrow()
        self._silence.start(connection.readings, now_s)
        self._leader_silence.start(connection.leader_readings, now_s)
        self._connection = connection

    def _watch(self, connection: Connection, now_s: float) -> None:
        if self._stopping.is_set():
            self._stopping.clear()
            emergency_stop(connection.sdk)
        readings = connection.readings if self._drives else connection.readings + connection.leader_readings
        leader_silent = self._leader_silence.look(connection.leader_readings, now_s)
        if self._silence.look(readings, now_s):
            self._go(Mode.LOST.value, f"nothing has come on {self._address} for {1000 * self._silence.silent_s:.0f} ms")
            self._connection = None
            connection.close()
            return
        fault = fault_of(self._arm.name, connection.health, commanding=False) if self._drives else None
        if fault is not None:
            self._go(Mode.FAULTED.value, fault.sentence)
        elif self._drives and leader_silent:
            self._go(LISTENING, "the leader is silent")
        else:
            self._go(LISTENING, "")

    def _hear(self, reading: Reading) -> None:
        """A leader that is taught by hand tells where it is as any arm does; one that leads does so by its commands."""
        if self._drives:
            self._on_reading(reading)
            return
        connection = self._connection
        led = connection.leader_reading if connection is not None else None
        if led is None or reading.stamp_ns - led.stamp_ns > FRESH_S * NS:
            self._on_leader(reading)

    def _go(self, mode: str, reason: str) -> None:
        if (mode, reason) != (self._mode, self._reason):
            self._mode, self._reason = mode, reason
            self._on_change()
