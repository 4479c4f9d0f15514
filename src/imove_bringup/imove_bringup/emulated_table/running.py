"""The thread in which the simulated table goes on, in real time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

from imove_bringup.emulated_table.cameras import TableCameras
from imove_bringup.emulated_table.placing import EmulatedOperator
from imove_bringup.emulated_table.world import TableWorld
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState

#: A control period is computed this long before it begins, s, so that feedback never has to wait for it.
LEAD_S = 0.012
#: What is behind by more than this is not made up for: the table's time stands still meanwhile, s.
MOST_BEHIND_S = 0.1


class TableLoop:
    """Steps, renders and lays out; everything that touches the simulation happens in its thread."""

    def __init__(
        self,
        world: TableWorld,
        cameras: TableCameras,
        operator: EmulatedOperator,
        first_scene: EpisodeSpec,
        rate_hz: float,
        on_state: Callable[[int, StepState, frozenset[str]], None],
        on_error: Callable[[str], None],
    ) -> None:
        """Prepares the thread.

        Args:
            world: Owned from now on, as are the cameras.
            cameras: Take and send images.
            operator: Lays out.
            first_scene: Begun, with nothing laid out, when the thread starts.
            rate_hz: Control rate.
            on_state: Called at each control tick, in the loop's thread, with the stamp (ns since the epoch), the state
                that is true then, and the ids of the objects that lie on the table.
            on_error: Called there with a sentence where a scene cannot be made or the simulation broke down; the table
                goes on with what it had, or empty.
        """
        self._world, self._cameras, self._operator = world, cameras, operator
        self._first_scene = first_scene
        self._period_s = 1.0 / rate_hz
        self._on_state, self._on_error = on_state, on_error
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ending = threading.Event()
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="emulated_table", daemon=True)

    def start(self) -> None:
        """Starts the thread and waits until the first scene is there.

        Raises:
            ImoveError: The scene cannot be made.
        """
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """Ends the thread, and with it simulator and cameras."""
        self._ending.set()
        self._thread.join()

    def ask(self, work: Callable[[], None]) -> None:
        """Has something done between two control periods."""
        self._asked.put(work)

    def lay_out(self, spec: EpisodeSpec) -> None:
        """Clears the table and has the objects of `spec` laid out."""

        def begin() -> None:
            self._world.begin(spec)
            self._cameras.forget()
            self._operator.lay_out(spec, time.monotonic())

        self.ask(begin)

    def _run(self) -> None:
        try:
            self._world.begin(self._first_scene)
        except BaseException as error:
            self._failure = error
            return
        finally:
            self._started.set()
        tick_s = time.monotonic() + self._period_s
        while not self._ending.is_set():
            self._sleep_until(tick_s - LEAD_S)
            try:
                tick_s = self._tick(tick_s)
            except ImoveError as error:
                self._on_error(str(error))
                self._world.begin(self._first_scene)
        self._cameras.close()
        self._world.close()

    def _tick(self, tick_s: float) -> float:
        """Computes the control period that begins at `tick_s`; returns when the next one does."""
        while not self._asked.empty():
            try:
                self._asked.get()()
            except ImoveError as error:
                self._on_error(str(error))
        for placement in self._operator.due(time.monotonic()):
            self._world.place(placement.object_id, placement.world_from_object)
        if time.monotonic() > tick_s + MOST_BEHIND_S:
            tick_s = time.monotonic() + LEAD_S
        before, laid_out = self._world.state, self._world.laid_out
        after = self._world.step(tick_s, tick_s + self._period_s)
        self._sleep_until(tick_s)
        self._on_state(_wall_ns(tick_s), before, laid_out)
        self._cameras.send()
        next_s = tick_s + self._period_s
        self._cameras.take(next_s, _wall_ns(next_s), after, self._world.observe)
        return next_s

    def _sleep_until(self, at_s: float) -> None:
        self._ending.wait(max(at_s - time.monotonic(), 0.0))


def _wall_ns(at_s: float) -> int:
    """A time of the monotonic clock as ns since the epoch."""
    return time.time_ns() + round((at_s - time.monotonic()) * 1e9)
