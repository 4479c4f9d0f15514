"""Episodes one after another, as a person asks for them: set up, driven, judged, kept or thrown away."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from imove_core.errors import ImoveError
from imove_core.recording import EpisodeRecorder
from imove_tasks.assets.model import Asset
from imove_teleop_aloha.dossier import Measured, Run, Verdict, dossier_of, record_of
from imove_teleop_aloha.judge import EpisodeJudge
from imove_teleop_aloha.log import DISCARDED, KEPT, EpisodeLog
from imove_teleop_aloha.machine import Phase
from imove_teleop_aloha.relay import Relay
from imove_teleop_aloha.scenes import Scene, Scenes

POLL_S = 0.1
FIRST_STATE_TIMEOUT_S = 10.0
STATES_TIMEOUT_S = 10.0
READY_TIMEOUT_S = 10.0
LAST_STEPS = 6
"""Control steps from a person's word to the end of the episode: the recorder is to hear of the end before it comes."""
TIME_OVER = "time is over: success, fail, discard or redo"


class Stage(StrEnum):
    """Where an episode stands."""

    IDLE = "idle"
    SETTING_UP = "setting up"
    RUNNING = "running"
    OVER = "over"
    FINISHING = "finishing"


class World(Protocol):
    """What surrounds the episodes; methods raise ImoveError with a sentence about what went wrong."""

    def set_up(self, scene: Scene) -> Mapping[str, Any]:
        """Sets a scene up; returns what the scene provider says of itself."""
        ...

    def judge(self, scene: Scene) -> EpisodeJudge:
        """Begins to score an episode that has been set up."""
        ...

    def announce(self, record: Mapping[str, Any]) -> None:
        """Tells everybody what has become of an episode."""
        ...

    def unlock(self) -> None:
        """Lets arms that were stopped be commanded again."""
        ...

    def trouble(self) -> str:
        """Why the episode that runs cannot be recorded any more, "" where it can."""
        ...

    def too_slow(self) -> str:
        """Which topics come too seldom now, "" for none."""
        ...

    def begin_measuring(self) -> None:
        """Begins to measure how an episode goes."""
        ...

    def measured(self) -> tuple[Measured, str]:
        """How it went, and what was too slow, "" for nothing."""
        ...


@dataclass(frozen=True)
class _Judged:
    """A person's word on the episode that runs."""

    outcome: str
    success: bool | None
    again: bool = False


_START, _UNDO, _QUIT, _RESUME = "start", "undo", "quit", "resume"


class Episodes:
    """Takes commands from any thread and carries them out in the thread that calls `run`."""

    def __init__(
        self,
        scenes: Scenes,
        run: Run,
        relay: Relay,
        world: World,
        recorder: EpisodeRecorder | None,
        log: EpisodeLog,
        asset: Callable[[str], Asset],
        output: Path,
        count: int,
    ) -> None:
        """Waits for commands.

        Args:
            scenes: What episodes are of.
            run: What they have in common.
            relay: Moves the arms.
            world: What surrounds them.
            recorder: Makes a bag of each; None where nothing is recorded.
            log: Of the run.
            asset: Gives the asset of an id.
            output: Folder of the run.
            count: Episodes that are wanted.
        """
        self._scenes, self._run, self._relay, self._world = scenes, run, relay, world
        self._recorder, self._log, self._asset, self._output, self._count = recorder, log, asset, output, count
        self._orders: queue.Queue[str | _Judged] = queue.Queue()
        self._lock = threading.Lock()
        self.stage = Stage.IDLE
        self.episode_id = ""
        """Of the episode that is set up or runs, "" outside one."""
        self.message = ""
        """What there is to be said outside an episode."""

    def commands(self) -> tuple[str, ...]:
        """What is taken now."""
        phase = self._relay.phase
        named: tuple[str, ...] = ()
        if self.stage is Stage.IDLE:
            start = phase is Phase.READY and self._log.kept < self._count
            named = (*(("start",) if start else ()), *(("resume",) if phase is Phase.WAITING else ()))
            named += ("undo",) if self._log.kept else ()
        elif self.stage is Stage.RUNNING:
            interrupting = ("resume",) if phase in (Phase.PAUSED, Phase.HOLDING) else ("pause",)
            named = ("stop", "success", "fail", "discard", "redo", *interrupting)
        elif self.stage is Stage.OVER:
            named = ("success", "fail", "discard", "redo")
        return (*named, "quit")

    @property
    def sentence(self) -> str:
        """One sentence for the operator."""
        following = self._relay.view()
        if self.stage is Stage.RUNNING:
            return f"{following.message}; {self.message}" if self.message else following.message
        if self.stage is Stage.IDLE and following.phase is Phase.WAITING:
            return f"{self.message}; {following.message}" if self.message else following.message
        return self.message or following.message

    def command(self, name: str, success: bool | None = None) -> str:
        """Takes a command.

        Args:
            name: One of `commands`.
            success: With `stop`: the person's word.

        Returns:
            What is done, in one sentence.

        Raises:
            ImoveError: It is not taken now.
        """
        with self._lock:
            allowed = self.commands()
            if name not in allowed:
                raise ImoveError(f"{name} is not taken now; allowed: {', '.join(allowed)}")
            match name:
                case "start":
                    return self._order(_START, Stage.SETTING_UP, "the next episode is set up")
                case "undo":
                    return self._order(_UNDO, Stage.FINISHING, "the last episode is taken back")
                case "resume":
                    return self._order(_RESUME, self.stage, "the arms are to go on")
                case "quit":
                    return self._order(_QUIT, self.stage, "teleoperation ends")
                case "pause":
                    self._relay.pause()
                    return "paused"
            if name == "stop":
                if success is None:
                    raise ImoveError('stop needs {"success": true} or {"success": false}')
                name = "success" if success else "fail"
            judged = {
                "success": _Judged(KEPT, True),
                "fail": _Judged(KEPT, False),
                "discard": _Judged(DISCARDED, None),
                "redo": _Judged(DISCARDED, None, again=True),
            }[name]
            # At once: what a person has judged is over.
            self._relay.end(f"the episode is over: {name}")
            return self._order(judged, Stage.FINISHING, f"the episode ends: {name}")

    def _order(self, order: str | _Judged, stage: Stage, sentence: str) -> str:
        self.stage = stage
        self._orders.put(order)
        return sentence

    def run(self) -> None:
        """Carries out commands until `quit`."""
        while (order := self._orders.get()) != _QUIT:
            try:
                if order == _START:
                    while self._episode(self._scenes.scene(self._log.next_number)):
                        self.stage = Stage.SETTING_UP
                elif order == _UNDO:
                    self.message = f"episode {self._log.undo()['episode_id']} is taken back"
                elif order == _RESUME:
                    self._world.unlock()
            except ImoveError as error:
                self.message = str(error)
            except _Quit:
                return
            finally:
                self.stage, self.episode_id = Stage.IDLE, ""

    def _episode(self, scene: Scene) -> bool:
        """One episode from its set-up to its end; returns whether the same scene is wanted again at once."""
        self.episode_id, self.message = scene.key, f"episode {scene.key} is set up"
        if slow := self._world.too_slow():
            raise ImoveError(f"not started: {slow}")
        recording = False
        judge: EpisodeJudge | None = None
        try:
            bag = None
            if self._recorder is not None:
                bag = str(self._recorder.start(scene.key, scene.bag).relative_to(self._output))
                recording = True
            provider = self._world.set_up(scene)
            judge = self._world.judge(scene)
            self._begin(scene, judge)
            judged = self._watch(judge)
            if judged.outcome == KEPT:
                self._keep(scene, judge, judged, bag, provider)
            else:
                self._drop(scene, judged.outcome, judge.last_step, recording)
            return judged.again
        except ImoveError as error:
            self._give_up(scene, judge, str(error), recording)
        except BaseException:
            self._give_up(scene, judge, "teleoperation was ended", recording)
            raise
        return False

    def _begin(self, scene: Scene, judge: EpisodeJudge) -> None:
        """Waits for the first observation, and begins to follow."""
        if not judge.wait_for_first(FIRST_STATE_TIMEOUT_S):
            raise ImoveError(f"the first observation of episode {scene.key} did not come; start again")
        deadline = time.monotonic() + READY_TIMEOUT_S
        while self._relay.phase is not Phase.READY and time.monotonic() < deadline:
            judge.take(POLL_S)
        self._world.begin_measuring()
        self._relay.begin()
        self.stage, self.message = Stage.RUNNING, ""

    def _watch(self, judge: EpisodeJudge) -> _Judged:
        """Waits for a person's word; raises ImoveError when the episode cannot go on, _Quit when it is not wanted."""
        heard_s, step = time.monotonic(), judge.last_step
        while True:
            judge.take(POLL_S)
            if judge.last_step != step:
                heard_s, step = time.monotonic(), judge.last_step
            order = self._next_order()
            if isinstance(order, _Judged):
                return order
            if order == _QUIT:
                raise _Quit
            if order == _RESUME:
                self._resume()
            if trouble := self._world.trouble():
                raise ImoveError(trouble)
            if judge.finished:
                self._time_over()
            elif time.monotonic() - heard_s > STATES_TIMEOUT_S:
                raise ImoveError(f"no control step has come after step {step} for {STATES_TIMEOUT_S:g} s")

    def _next_order(self) -> str | _Judged | None:
        try:
            return self._orders.get_nowait()
        except queue.Empty:
            return None

    def _time_over(self) -> None:
        with self._lock:
            if self.stage is Stage.RUNNING:
                self._relay.end(TIME_OVER)
                self.stage = Stage.OVER

    def _resume(self) -> None:
        try:
            self._world.unlock()
            self._relay.resume()
            self.message = ""
        except ImoveError as error:
            self.message = str(error)

    def _keep(
        self, scene: Scene, judge: EpisodeJudge, judged: _Judged, bag: str | None, provider: Mapping[str, Any]
    ) -> None:
        """Finishes the bag and writes the log."""
        measured, slow = self._world.measured()
        if slow:
            raise ImoveError(f"the episode is thrown away: {slow}")
        last_step = judge.last_step if judge.finished else judge.end_after(LAST_STEPS)
        verdict = Verdict(KEPT, judged.success, last_step, self._relay.view().interruptions)
        record = record_of(scene, self._run, verdict, bag)
        self._world.announce(record)
        if not judge.wait_for_last(STATES_TIMEOUT_S):
            raise ImoveError(f"control step {last_step} of episode {scene.key} did not come")
        score = judge.score
        if self._recorder is not None:
            dossier = dossier_of(scene, self._run, verdict, score, judge.phases, measured, self._asset, provider)
            self._recorder.finish(scene.key, dossier)
        self._log.append({**record, "score": score.to_record(), **measured.to_record()})
        word = "success" if judged.success else "failure"
        self.message = f"episode {scene.key} is kept as a {word}: {self._log.kept} of {self._count}"
        self._relay.settle()

    def _drop(self, scene: Scene, outcome: str, last_step: int, recording: bool) -> None:
        """Throws the bag away and writes the log, one even where the other cannot be done."""
        self.message = f"episode {scene.key}: {outcome}"
        record = record_of(scene, self._run, Verdict(outcome, None, last_step, self._relay.view().interruptions), None)
        self._world.announce(record)
        try:
            if recording and self._recorder is not None:
                self._recorder.discard()
        except ImoveError as error:
            self.message = f"{self.message}; {error}"
        finally:
            self._relay.settle()
            self._log.append(record)

    def _give_up(self, scene: Scene, judge: EpisodeJudge | None, reason: str, recording: bool) -> None:
        """Marks an episode that could not be brought to its end."""
        self._relay.end(reason)
        self._drop(scene, f"aborted: {reason}", -1 if judge is None else judge.last_step, recording)


class _Quit(Exception):
    """A person wants no more."""
