"""Keeps what was heard last and makes of it what the page shows."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from imove_console.commands import Command, buttons, check
from imove_console.disk import Disk
from imove_console.facts import Episode, Health, Recorder, Stage, Teleop, Tracker, Trial
from imove_console.heard import Heard, Value
from imove_console.state import ConsoleState, LogLine, Part, Source, Stop, part_of
from imove_core.rig import Rig

DIAGNOSTICS_LOST_S = 3.5
"""Diagnostics come once a second."""
TELEOP_LOST_S = 2.0
TRACKER_LOST_S = 2.0
RECORDER_LOST_S = 3.0
LOG_LINES = 60
MOST_NODES = 64
MOST_STAGES = 200


class Board:
    """Takes what threads hear and shows it to others; every method may be called from any thread."""

    def __init__(
        self,
        rig: Rig,
        *,
        simulated: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Has heard nothing.

        Args:
            rig: Whose arms and cameras are shown.
            simulated: Whether time is simulated.
            monotonic: Seconds since whenever, for ages.
            wall: Seconds since the epoch, for the log.
        """
        self._rig, self._simulated, self._monotonic, self._wall = rig, simulated, monotonic, wall
        self._lock = threading.Lock()
        self._health: dict[str, Heard[Health]] = {}
        self._trial: Heard[Trial] = Heard()
        self._teleop: Heard[Teleop] = Heard(TELEOP_LOST_S)
        self._tracker: Heard[Tracker] = Heard(TRACKER_LOST_S)
        self._recorder: Heard[Recorder] = Heard(RECORDER_LOST_S)
        self._episode: Heard[Episode] = Heard()
        self._instruction: Heard[str] = Heard()
        self._stages: list[Stage] = []
        self._stop = Stop(on=False, held_here=False)
        self._disk: Disk | None = None
        self._log: deque[LogLine] = deque(maxlen=LOG_LINES)
        self._lines = 0
        self._listeners: list[Callable[[], None]] = []

    def on_change(self, listener: Callable[[], None]) -> None:
        """Calls a listener, from whatever thread, whenever there is something new to show."""
        self._listeners.append(listener)

    def take_health(self, statuses: Iterable[Health]) -> None:
        """Keeps what diagnostics say; of components beyond a sane number, nothing."""
        with self._lock:
            for status in statuses:
                if status.name in self._health or len(self._health) < MOST_NODES:
                    self._health.setdefault(status.name, Heard(DIAGNOSTICS_LOST_S)).take(status, self._monotonic())
        self._changed()

    def take_trial(self, trial: Trial) -> None:
        """Keeps where the trial stands."""
        self._take(self._trial, trial)

    def take_teleop(self, teleop: Teleop) -> None:
        """Keeps what teleoperation does."""
        self._take(self._teleop, teleop)

    def take_tracker(self, tracker: Tracker) -> None:
        """Keeps how sure the tracker is."""
        self._take(self._tracker, tracker)

    def take_recorder(self, recorder: Recorder) -> None:
        """Keeps what the recorder does."""
        self._take(self._recorder, recorder)

    def take_instruction(self, text: str) -> None:
        """Keeps the instruction."""
        self._take(self._instruction, text)

    def take_episode(self, episode: Episode) -> None:
        """Keeps which episode is set up; stages of another one are not shown any more."""
        with self._lock:
            before = self._episode.value
            if before is None or (before.id, before.start_ns) != (episode.id, episode.start_ns):
                self._stages.clear()
        self._take(self._episode, episode)

    def take_stage(self, stage: Stage) -> None:
        """Keeps a stage of the episode that is set up."""
        with self._lock:
            episode = self._episode.value
            if episode is None or stage.episode_id != episode.id or len(self._stages) >= MOST_STAGES:
                return
            self._stages.append(stage)
        self._changed()

    def take_stop(self, stop: Stop) -> None:
        """Keeps whether the emergency stop is on; tells of changes in the log."""
        with self._lock:
            turned, self._stop = stop.on != self._stop.on, stop
        if turned:
            self.tell("error" if stop.on else "ok", "EMERGENCY STOP" if stop.on else "emergency stop released")
        self._changed()

    def take_disk(self, disk: Disk | None) -> None:
        """Keeps how much room there is."""
        with self._lock:
            self._disk = disk
        self._changed()

    def take_publishers(self, *, trial: bool, episode: bool) -> None:
        """Takes note of whether anybody publishes what is only said at changes.

        Args:
            trial: Whether a conductor is there.
            episode: Whether whoever sets episodes up is there.
        """
        with self._lock:
            gone = (self._trial.gone, self._episode.gone)
            self._trial.gone, self._episode.gone, self._instruction.gone = not trial, not episode, not episode
        if gone != (not trial, not episode):
            self._changed()

    def tell(self, level: str, text: str) -> None:
        """Writes a line into the log; the same line twice in a row is one."""
        with self._lock:
            if self._log and (self._log[-1].level, self._log[-1].text) == (level, text):
                self._log.pop()
            self._log.append(LogLine(self._lines, self._wall(), level, text))
            self._lines += 1
        self._changed()

    def check(self, command: Command) -> None:
        """Raises ImoveError where a command cannot be taken now."""
        with self._lock:
            trial, teleop = self._current_trial(), self._teleop.current(self._monotonic())
        check(command, trial, teleop, tuple(arm.name for arm in self._rig.arms))

    def state(self) -> ConsoleState:
        """What the page shows now."""
        with self._lock:
            now_s = self._monotonic()
            trial, teleop = self._current_trial(), self._teleop.current(now_s)
            episode = self._episode.current(now_s)
            if trial is not None and episode is not None and trial.episode_id not in ("", episode.id):
                # The next one is being laid out; what happened in the one before is not shown with it.
                episode = None
            return ConsoleState(
                rig=self._rig.name,
                simulated=self._simulated,
                stop=self._stop,
                instruction=self._instruction_now(trial),
                episode=episode,
                stages=tuple(self._stages) if episode is not None else (),
                trial=trial,
                teleop=teleop,
                tracker=self._tracker.current(now_s),
                recorder=self._recorder.current(now_s),
                sources=self._sources(),
                arms=self._parts("arm", [arm.name for arm in self._rig.arms]),
                cameras=self._parts("camera", [camera.name for camera in self._rig.cameras]),
                nodes=self._other_parts(),
                buttons=buttons(trial, teleop),
                disk=self._disk,
                log=tuple(self._log),
            )

    def _take(self, heard: Heard[Value], value: Value) -> None:
        with self._lock:
            heard.take(value, self._monotonic())
        self._changed()

    def _current_trial(self) -> Trial | None:
        return None if self._trial_is_lost() else self._trial.current(self._monotonic())

    def _trial_is_lost(self) -> bool:
        # The topic only speaks at changes, and a node that was killed stays in the graph for a while; its diagnostics
        # come every second.
        health = self._health.get("trial")
        return health is not None and health.presence(self._monotonic()) == "lost"

    def _instruction_now(self, trial: Trial | None) -> str | None:
        # While objects are laid out, the episode that is announced is still the one before.
        if trial is not None and trial.instruction:
            return trial.instruction
        return self._instruction.current(self._monotonic())

    def _sources(self) -> dict[str, Source]:
        now_s = self._monotonic()
        listed: dict[str, Heard[Any]] = {
            "trial": self._trial,
            "teleop": self._teleop,
            "tracker": self._tracker,
            "recorder": self._recorder,
            "episode": self._episode,
        }
        found = {name: Source(heard.presence(now_s), heard.silent_s(now_s)) for name, heard in listed.items()}
        if self._trial_is_lost() and found["trial"].presence == "here":
            found["trial"] = Source("lost", self._health["trial"].silent_s(now_s))
        return found

    def _parts(self, group: str, names: Iterable[str]) -> tuple[Part, ...]:
        now_s = self._monotonic()
        unheard = "simulated" if self._simulated else "no driver heard"
        return tuple(part_of(name, self._health.get(f"{group}/{name}", Heard()), now_s, unheard) for name in names)

    def _other_parts(self) -> tuple[Part, ...]:
        known = {f"arm/{arm.name}" for arm in self._rig.arms} | {f"camera/{item.name}" for item in self._rig.cameras}
        now_s = self._monotonic()
        return tuple(
            part_of(name, heard, now_s, "") for name, heard in sorted(self._health.items()) if name not in known
        )

    def _changed(self) -> None:
        for listener in self._listeners:
            listener()
