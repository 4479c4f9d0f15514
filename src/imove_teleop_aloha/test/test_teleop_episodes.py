"""Episodes as a person asks for them: kept, thrown away, redone, taken back; what cannot go on is marked."""

import json
import threading
import time

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_core.state import ObjectState, RobotState, StepState
from imove_tasks.assets.library import open_library
from imove_tasks.stages.scoring import Arrivals
from imove_tasks.suites import open_suite
from imove_teleop_aloha.commands import Commands
from imove_teleop_aloha.deadman import KEY, NONE, PEDAL, Deadman
from imove_teleop_aloha.dossier import Measured, Run
from imove_teleop_aloha.episodes import LAST_STEPS, Episodes
from imove_teleop_aloha.judge import EpisodeJudge
from imove_teleop_aloha.leaders.keyboard import JoggedLeader
from imove_teleop_aloha.log import FILE, EpisodeLog
from imove_teleop_aloha.loop_clock import Figures
from imove_teleop_aloha.machine import Phase
from imove_teleop_aloha.rates import RateMeter, too_slow
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


@pytest.fixture
def start(tmp_path):
    """Makes sessions; they end with the test."""
    made = []

    def go(**settings):
        made.append(Session(tmp_path / "run", **settings))
        return made[-1]

    yield go
    for session in made:
        session.close()


def test_episode_is_kept_with_the_word_of_the_person_and_of_the_rubrics(start):
    session = start()
    session.drive()
    session.do("stop", '{"success": true}')
    session.settled()
    assert session.table.calls == ["start", "measure", "finish"]
    (record,) = session.table.told
    assert (record["outcome"], record["success"], record["operator"]) == ("kept", True, "Ada")
    assert LAST_STEPS <= record["last_step"] <= HORIZON
    assert record["bag"] == "bags/pick_category/episode_000000"
    (dossier,) = session.recorder.dossiers
    assert (dossier.facts["success"], dossier.facts["success_rubric"]) == ("true", "false")
    spec = SUITE.specs[0]
    assert dossier.facts["target"] == spec.object(spec.instruction("normal").target).phrase
    labels = json.loads(dossier.labels_json)
    assert labels["operator"] == {"name": "Ada", "success": True}
    assert labels["phases"][-1]["last_step"] == record["last_step"]
    provenance = json.loads(dossier.provenance_json)
    assert provenance["scene_provider"] == {"engine": "by hand"}
    assert provenance["suite_spec_hash"] == spec.content_hash
    line = json.loads((session.output / FILE).read_text())
    assert line["score"]["steps"] == record["last_step"]
    assert session.log.next_number == 1


def test_commands_are_taken_only_where_they_make_sense(start):
    session = start()
    session.settled()
    assert session.commands.taken == ("start", "quit")
    for name, argument, said in (
        ("success", "", "'success' is not taken now; allowed: start, quit"),
        ("jog", "{}", "'jog' is not taken now"),
        ("enable", "", "'enable' is not taken now"),
        ("start", '{"now": true}', "unknown key 'now'"),
    ):
        with pytest.raises(ImoveError, match=said):
            session.commands.take(name, argument)
    session.drive()
    assert session.commands.taken == ("stop", "success", "fail", "discard", "redo", "pause", "quit")
    with pytest.raises(ImoveError, match='stop needs {"success": true}'):
        session.commands.take("stop", "")
    session.do("pause")
    assert session.relay.phase is Phase.PAUSED
    session.do("resume")
    session.see(Phase.RUNNING)
    session.do("fail")
    session.settled()
    assert session.commands.taken == ("start", "undo", "quit")


def test_discard_redo_and_undo(start):
    session = start(count=2)
    session.drive().do("discard")
    session.settled().drive().do("redo")
    until(lambda: session.table.calls.count("measure") == 3)
    session.do("success")
    session.settled().drive().do("fail")
    session.settled()
    assert (session.log.kept, session.log.discarded) == (2, 2)
    assert session.commands.taken == ("undo", "quit")
    session.do("undo")
    until(lambda: session.log.kept == 1)
    session.do("undo")
    until(lambda: session.log.kept == 0)
    assert session.outcomes == ["discarded", "discarded", "kept", "kept", "undone", "undone"]
    undone = session.output / "bags" / "pick_category" / ".undone"
    assert sorted(path.name for path in undone.iterdir()) == ["episode_000000.0", "episode_000001.0"]
    numbers = [record["number"] for record in session.table.told]
    assert numbers == [0, 0, 0, 1]
    assert session.log.next_number == 0


def test_time_runs_out_and_a_person_is_asked(start):
    session = start(horizon=SHORT)
    session.do("start")
    session.see(Phase.STOPPED)
    until(lambda: "stop" not in session.commands.taken)
    assert session.episodes.sentence == "time is over: success, fail, discard or redo"
    assert session.commands.taken == ("success", "fail", "discard", "redo", "quit")
    session.do("success")
    session.settled()
    assert session.table.told[0]["last_step"] == SHORT


def test_interruptions_are_kept_with_the_episode(start):
    session = start()
    session.drive()
    session.table.relay.set_fault("driver", "arm 'left': collision")
    session.see(Phase.HOLDING)
    session.do("resume")
    until(lambda: "not resumed" in session.episodes.sentence)
    session.table.relay.set_fault("driver", "")
    session.do("resume")
    session.see(Phase.RUNNING)
    session.do("success")
    session.settled()
    assert session.recorder.dossiers[0].facts["interruptions"] == "1"


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ({"refuses": "emergency stop: no episode"}, "emergency stop: no episode"),
        ({"failing": "start"}, "start went wrong"),
        ({"lost": "the recording has failed: the disk is full"}, "the disk is full"),
    ],
)
def test_episode_that_cannot_go_on_is_marked_and_the_next_one_may_begin(start, trouble, said):
    session = start()
    for name, value in trouble.items():
        setattr(session.table, name, value)
    session.do("start")
    until(lambda: session.log.discarded == 1)
    session.settled()
    assert session.outcomes[0].startswith("aborted: ") and said in session.outcomes[0]
    assert said in session.episodes.sentence
    for name in trouble:
        setattr(session.table, name, "")
    session.drive().do("success")
    session.settled()
    assert session.log.kept == 1


def test_bag_that_cannot_be_finished_is_no_kept_episode(start):
    session = start()
    session.table.failing = "finish"
    session.drive().do("success")
    until(lambda: session.log.discarded == 1)
    assert session.outcomes == ["aborted: finish went wrong"]
    assert session.log.kept == 0


def test_rates_are_looked_at_before_and_after(start):
    session = start()
    session.table.slow = "/a comes at 3.0 Hz"
    session.do("start")
    until(lambda: "not started: /a comes at 3.0 Hz" in session.episodes.sentence)
    assert session.table.calls == []
    session.table.slow, session.table.slow_after = "", "/a comes at 20.0 Hz"
    session.drive().do("success")
    until(lambda: session.log.discarded == 1)
    assert session.outcomes == ["aborted: the episode is thrown away: /a comes at 20.0 Hz"]
    assert session.table.calls == ["start", "measure", "discard"]


def test_quitting_in_an_episode_marks_it(start):
    session = start()
    session.drive()
    session.close()
    assert session.outcomes == ["aborted: teleoperation was ended"]
    assert session.table.calls[-1] == "discard"


def test_run_goes_on_where_it_ended(start):
    first = start()
    first.drive().do("success")
    first.settled()
    first.close()
    with (first.output / FILE).open("a") as file:
        file.write('{"half')
    second = start()
    assert (second.log.kept, second.log.next_number) == (1, 1)
    second.drive().do("fail")
    second.settled()
    assert second.outcomes == ["kept", "kept"]


def test_damaged_log_is_refused(tmp_path):
    (tmp_path / FILE).write_text("[]\n")
    with pytest.raises(ImoveError, match="line 1 is damaged"):
        EpisodeLog(tmp_path)


def test_nothing_to_undo(tmp_path):
    with pytest.raises(ImoveError, match="no episode is kept"):
        EpisodeLog(tmp_path).undo()


def test_pedal_starts_and_ends_where_it_is_no_deadman(start):
    session, told = start(), []
    session.settled()
    session.commands.pedal(False, told.append)
    session.commands.pedal(True, told.append)
    until(lambda: "success" in session.commands.taken)
    session.commands.pedal(True, told.append)
    session.settled()
    assert (session.log.kept, told) == (1, [])


def test_pedal_and_key_hold_the_deadman(start, tmp_path):
    session = start(deadman=PEDAL)
    session.do("start")
    session.see(Phase.PAUSED)
    session.commands.pedal(True, lambda said: None)
    session.see(Phase.RUNNING)
    session.commands.pedal(False, lambda said: None)
    session.see(Phase.PAUSED)
    session.close()
    held = start(deadman=KEY)
    held.do("start")
    held.see(Phase.PAUSED)
    held.do("enable")
    held.see(Phase.RUNNING)
    held.do("disable")
    held.see(Phase.PAUSED)


def test_jog_is_taken_where_leaders_are_jogged(start):
    leader = JoggedLeader(RIG)
    session = start(jogged=leader)
    assert session.do("jog", '{"arm": "left", "gripper": -0.1}') == "jogged"
    with pytest.raises(ImoveError, match="unknown arm"):
        session.commands.take("jog", '{"arm": "middle"}')


def test_scenes_go_round_in_the_order_of_the_suite_or_of_a_seed():
    count = len(SUITE.specs)
    plain = Scenes(SUITE, "normal", 900)
    assert [plain.scene(n).spec.id for n in (0, 1, count)] == [SUITE.specs[n].id for n in (0, 1, 0)]
    assert plain.scene(count).key == f"{SUITE.specs[0].id}/normal/2"
    assert (plain.scene(0).spec.horizon_steps, plain.scene(0).suite_spec_hash) == (900, SUITE.specs[0].content_hash)
    assert Scenes(SUITE, "normal", 0).scene(0).spec == SUITE.specs[0]
    drawn = Scenes(SUITE, "normal", 0, seed=4)
    for turn in (0, 1):
        ids = [drawn.scene(turn * count + n).spec.id for n in range(count)]
        assert sorted(ids) == sorted(spec.id for spec in SUITE.specs)
        assert ids != [spec.id for spec in SUITE.specs]
    assert drawn.scene(3) == Scenes(SUITE, "normal", 0, seed=4).scene(3)
    assert Scenes(SUITE, "empty", 0).scene(0).bag.task == "pick_category-empty"
    with pytest.raises(ImoveError, match="condition"):
        Scenes(SUITE, "loud", 0)


def test_rates_are_those_of_stamps():
    meter = RateMeter({"/a": 30.0, "/b": 100.0})
    for number in range(90):
        meter.note("/a", number * 50_000_000, 1000.0 + number)
    assert meter.lately(1089.0) == pytest.approx({"/a": 20.0, "/b": 0.0})
    # A topic that was fast and is silent has no rate.
    assert meter.lately(1091.0)["/a"] == 0.0
    meter.begin()
    assert meter.of_episode() == {"/a": 0.0, "/b": 0.0}
    for number in range(31):
        meter.note("/a", 10**10 + number * 33_333_333, 1100.0)
    assert meter.of_episode()["/a"] == pytest.approx(30.0, rel=1e-6)
    # Time that goes back is that of another simulator.
    meter.note("/a", 0, 1100.0)
    assert meter.lately(1100.0)["/a"] == 0.0


def test_what_is_too_slow_is_named():
    expected = {"/a": 30.0, "/b": 200.0, "/c": 30.0}
    assert too_slow({"/a": 25.3, "/b": 168.0, "/c": 30.0}, expected, 0.84) == ""
    said = too_slow({"/a": 25.0, "/b": 0.0, "/c": 30.0}, expected, 0.84)
    assert said == "/a comes at 25.0 Hz; at least 25.2 Hz are needed, and 1 more topics are too slow"
    assert too_slow({}, expected, 0.0) == ""
