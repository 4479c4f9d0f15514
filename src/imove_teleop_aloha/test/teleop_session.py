"""Teleoperation in this process: episodes, a table whose time passes by itself, a recorder that writes down calls."""

import json
import threading
import time

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_core.state import ObjectState, RobotState, StepState
from imove_tasks.assets.library import open_library
from imove_tasks.stages.scoring import Arrivals
from imove_tasks.suites import open_suite
from imove_teleop_aloha.commands import Commands
from imove_teleop_aloha.deadman import NONE, Deadman
from imove_teleop_aloha.dossier import Measured, Run
from imove_teleop_aloha.episodes import Episodes
from imove_teleop_aloha.judge import EpisodeJudge
from imove_teleop_aloha.log import FILE, EpisodeLog
from imove_teleop_aloha.loop_clock import Figures
from imove_teleop_aloha.machine import Phase
from imove_teleop_aloha.relay import Relay
from imove_teleop_aloha.scenes import Scenes
from imove_teleop_aloha.settings import RELAYED, FollowingSettings

RIG = load_rig("piperx_dual")
SUITE = open_suite("pick_category/seen")
DEADLINE_S = 60.0
PERIOD_S = 0.005
HORIZON, SHORT = 20_000, 40


def until(done, what=lambda: ""):
    deadline = time.monotonic() + DEADLINE_S
    while not done():
        assert time.monotonic() < deadline, what()
        time.sleep(0.005)


class Table:
    """A table in this process: control steps and leaders come by themselves, and a recorder writes down calls."""

    def __init__(self, relay):
        self.relay = relay
        self.arrivals = Arrivals()
        self.told, self.calls, self.events = [], [], []
        self.scene, self.step, self.standing = None, 0, False
        self.slow, self.slow_after, self.lost, self.refuses, self.failing = "", "", "", "", ""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._live)
        self._thread.start()

    def _live(self):
        number = 0
        while not self._ended.is_set():
            now_s, number = time.monotonic(), number + 1
            parts = RIG.split(RIG.home_positions)
            for arm in RIG.arms:
                self.relay.hear_leader(arm.name, arm.joint_names, parts[arm.name], now_s)
                self.relay.hear_follower(arm.name, parts[arm.name], now_s)
            self.relay.tick(now_s)
            if number % 2 == 0 and self.scene is not None and not self.standing:
                self.arrivals.put((self.scene.key, self._state(), RIG.home_positions))
                self.step += 1
            time.sleep(PERIOD_S)

    def _state(self):
        zeros = np.zeros(RIG.size)
        objects = tuple(
            ObjectState(
                item.id,
                np.array(item.position),
                np.array(item.quaternion_xyzw),
                np.array(item.box_min),
                np.array(item.box_max),
                np.zeros(3),
                np.zeros(3),
            )
            for item in self.scene.spec.objects
        )
        return StepState(self.step * 33_333_333, self.step, RobotState(RIG.home_positions, zeros, zeros), objects)

    def close(self):
        self._ended.set()
        self._thread.join()

    def set_up(self, scene):
        if self.refuses:
            raise ImoveError(self.refuses)
        while not self.arrivals.empty():
            self.arrivals.get_nowait()
        self.step, self.scene = 0, scene
        return {"engine": "by hand"}

    def judge(self, scene):
        return EpisodeJudge(
            RIG, scene, self.arrivals, lambda ns, event: self.events.append(event), lambda state, phase: None
        )

    def announce(self, record):
        self.told.append(dict(record))

    def unlock(self):
        if self.refuses:
            raise ImoveError(self.refuses)

    def trouble(self):
        return self.lost

    def too_slow(self):
        return self.slow

    def begin_measuring(self):
        self.calls.append("measure")

    def measured(self):
        return Measured({"/a": 30.0}, Figures(), Figures(), 200.0), self.slow_after


class Recorder:
    """Writes down what it is asked for."""

    def __init__(self, table, output):
        self._table, self._output = table, output
        self.dossiers = []

    def _note(self, what):
        self._table.calls.append(what)
        if what == self._table.failing:
            raise ImoveError(f"{what} went wrong")

    def start(self, key, name):
        self._note("start")
        folder = self._output / "bags" / name.task / f"episode_{name.number:06d}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def finish(self, key, dossier):
        self._note("finish")
        self.dossiers.append(dossier)

    def discard(self):
        self._note("discard")


class Session:
    """Everything together, its commands carried out by another thread."""

    def __init__(self, output, count=3, deadman=NONE, jogged=None, horizon=HORIZON):
        self.output = output
        self.relay = Relay(RIG, RELAYED, Deadman(deadman), FollowingSettings(stale_s=30.0, follower_stale_s=30.0))
        self.table = Table(self.relay)
        self.recorder = Recorder(self.table, output)
        self.log = EpisodeLog(output)
        self.episodes = Episodes(
            Scenes(SUITE, "normal", horizon),
            Run("Ada", "sim", "sim", {"suite": SUITE.name}),
            self.relay,
            self.table,
            self.recorder,
            self.log,
            open_library(()).get,
            output,
            count,
        )
        self.commands = Commands(self.episodes, self.relay, deadman, jogged)
        self._thread = threading.Thread(target=self.episodes.run)
        self._thread.start()

    def do(self, name, argument=""):
        until(lambda: name in self.commands.taken, lambda: f"{name}: {self.commands.taken}, {self.episodes.sentence}")
        return self.commands.take(name, argument)

    def see(self, phase):
        until(lambda: self.relay.phase is phase, lambda: f"{self.relay.phase}: {self.episodes.sentence}")

    def drive(self):
        self.do("start")
        until(lambda: "success" in self.commands.taken, lambda: self.episodes.sentence)
        return self

    def settled(self):
        until(lambda: self.episodes.stage.value == "idle" and self.relay.phase is Phase.READY)
        return self

    @property
    def outcomes(self):
        return [json.loads(line)["outcome"] for line in (self.output / FILE).read_text().splitlines()]

    def close(self):
        if self._thread.is_alive():
            self.commands.take("quit", "")
        self._thread.join()
        self.table.close()
