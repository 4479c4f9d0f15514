"""Sessions: people and rules, verdicts, the journal over breaks and crashes."""

import json

import numpy as np
import pytest

from imove_core.errors import ImoveError
from imove_core.state import ObjectState
from imove_trials.confirming import MOST_ATTEMPTS, PATIENCE_S, AutomaticOperator
from imove_trials.journal import Journal
from imove_trials.layout_check import Tolerance, check_maker
from imove_trials.machine import COMPLETED, QUIT
from imove_trials.session import SILENT_S, TrialSession
from imove_trials.trial import Trial, judged_by_person

ZERO = np.zeros(3)


class MemoryTable:
    """Keeps what it is asked for; arms get home at once when they are told to."""

    def __init__(self):
        self.done, self.verdicts, self.starts = [], [], 0
        self.obstacle_now = ""

    def home(self):
        self.done.append("home")

    def halt(self):
        self.done.append("halt")

    def unlock(self):
        self.done.append("unlock")

    def obstacle(self):
        return self.obstacle_now

    def announce(self, trial, settled_pose_hash):
        self.done.append("announce")
        self.starts += 1
        return 1000 + self.starts

    def tell(self, trial, start, verdict):
        self.verdicts.append((trial.key, start.stamp_ns, verdict))


def objects_of(spec, shift=0.0):
    return [
        ObjectState(
            item.id,
            np.array(item.position) + [shift, 0.0, 0.0],
            np.array(item.quaternion_xyzw),
            np.array(item.box_min),
            np.array(item.box_max),
            ZERO,
            ZERO,
        )
        for item in spec.objects
    ]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.jsonl"


@pytest.fixture
def make(path, library):
    """Begins a session with its journal on the disk."""

    def begin(automatic=False, trials=0):
        table, complaints = MemoryTable(), []
        session = TrialSession(
            table,
            Journal(path, lambda: 1_900_000_000_000_000_000),
            check_maker(library.get, Tolerance()),
            complaints.append,
            trials,
            AutomaticOperator() if automatic else None,
        )
        return session, table

    return begin


def events(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def lay_out(session, spec, now_s=1.0, shift=0.0):
    session.homed("")
    session.command("confirm_layout", "", now_s)
    session.measured(objects_of(spec, shift), now_s + 0.5)
    session.tick(now_s + 1.0)


def test_trial_that_a_person_conducts(make, path, trial, spec):
    session, table = make()
    answer = session.begin(trial)
    assert session.view().phase == "homing"
    lay_out(session, spec)
    view = session.view()
    assert (view.phase, view.match, view.label, view.number) == ("ready", 1.0, "A", 1)
    assert view.instruction == spec.instruction("normal").text and len(view.layout) == len(spec.objects)
    assert not answer.done()
    session.command("start", "", 10.0)
    assert answer.result(0).stamp_ns == 1001 and len(answer.result(0).settled_pose_hash) == 64
    assert session.command("intervention", '{"text": "took the cup away"}', 12.5) == "intervention noted"
    session.command("overrule", json.dumps({"stage": "lift", "object": "object_1", "happened": False}), 13.0)
    session.ended(trial.key, COMPLETED)
    session.command("note", '{"text": "light changed"}', 20.0)
    session.command("fail", "", 21.0)
    ((key, stamp_ns, verdict),) = table.verdicts
    assert (key, stamp_ns, verdict.decision) == (trial.key, 1001, "keep")
    assert verdict.operator == {
        "success": False,
        "interventions": [{"text": "took the cup away", "elapsed_s": 2.5}],
        "overruled": [{"stage": "lift", "object": "object_1", "happened": False}],
        "note": "light changed",
        "stopped_by": "",
        "layout_match": 1.0,
        "layout_accepted": False,
    }
    assert table.done == ["home", "announce", "home"]
    told = [line["event"] for line in events(path)]
    assert told == [
        "session", "trial", "homed", "confirm_layout", "layout", "start", "begun", "intervention", "overrule", "ended",
        "note", "fail", "verdict",
    ]  # fmt: skip


def test_wrong_layout_is_told_and_can_be_accepted(make, trial, spec):
    session, table = make()
    session.begin(trial)
    lay_out(session, spec, shift=0.04)
    view = session.view()
    assert view.phase == "laying_out" and "40 mm off" in view.message and "start" in view.commands
    session.command("start", "", 5.0)
    session.ended(trial.key, COMPLETED)
    session.command("accept", "", 6.0)
    operator = table.verdicts[0][2].operator
    assert operator["layout_accepted"] and operator["layout_match"] == 0.0 and operator["success"] is None


@pytest.mark.parametrize(("outcome", "decision"), [(COMPLETED, "keep"), ("aborted: discarded", "discard")])
def test_trial_that_was_judged_by_who_ran_it_asks_nobody(make, trial, spec, outcome, decision):
    session, table = make()
    session.begin(trial)
    lay_out(session, spec)
    session.command("start", "", 5.0)
    session.ended(trial.key, outcome, judged=True)
    assert [verdict.decision for _, _, verdict in table.verdicts] == [decision]
    assert table.done[-1] == "home" and session.view().phase == "homing"


@pytest.mark.parametrize(
    ("record", "judged"),
    [
        ('{"success": true}', True),
        ('{"success": null}', True),
        ('{"score": {}}', False),
        ("", False),
        ("nonsense", False),
    ],
)
def test_word_of_a_person_is_known_by_the_record(record, judged):
    assert judged_by_person(record) is judged


def test_missing_tracker_is_told(make, trial):
    session, _ = make()
    session.begin(trial)
    session.homed("")
    session.command("recheck", "", 0.0)
    session.tick(1.0)
    assert session.view().phase == "checking"
    session.tick(SILENT_S + 0.1)
    assert "the tracker measures nothing" in session.view().message


def test_object_that_is_moved_after_the_check_is_noticed_but_a_hidden_one_is_not(make, trial, spec):
    session, _ = make()
    session.begin(trial)
    lay_out(session, spec)
    for step in range(30):
        session.measured(objects_of(spec)[1:], 3.0 + step / 10)
        session.tick(3.0 + step / 10)
    assert session.view().phase == "ready"
    for step in range(30):
        session.measured(objects_of(spec, 0.05), 7.0 + step / 10)
        session.tick(7.0 + step / 10)
    assert session.view().phase == "laying_out"


def test_run_does_not_begin_while_something_is_in_the_way(make, trial, spec):
    session, table = make()
    session.begin(trial)
    lay_out(session, spec)
    table.obstacle_now = "arm left is locked"
    with pytest.raises(ImoveError, match="the run cannot begin: arm left is locked"):
        session.command("start")
    assert session.view().phase == "ready" and "announce" not in table.done


@pytest.mark.parametrize(
    ("name", "argument", "fault"),
    [
        ("note", "", "argument of note: text"),
        ("note", "{", "it is no JSON"),
        ("note", '{"text": "a", "more": 1}', "argument of note: more"),
        ("overrule", '{"stage": "fly", "object": "object_0", "happened": true}', "stage is 'fly'; allowed: reach"),
        ("overrule", '{"stage": "lift", "object": "object_0", "happened": "yes"}', "argument of overrule: happened"),
        ("success", "", "'success' is not taken while running; taken now: stop"),
    ],
)
def test_wrong_commands_are_refused_in_a_sentence(make, trial, spec, name, argument, fault):
    session, _ = make()
    session.begin(trial)
    lay_out(session, spec)
    session.command("start", "", 5.0)
    with pytest.raises(ImoveError, match=fault):
        session.command(name, argument, 6.0)
    assert session.view().phase == "running"


def test_rule_conducts_trials_without_a_person(make, trial, spec):
    session, table = make(automatic=True, trials=1)
    answer = session.begin(trial)
    session.homed("")
    for step in range(60):
        session.measured(objects_of(spec), step / 10)
        session.tick(step / 10)
    assert session.view().phase == "running" and answer.done()
    session.ended(trial.key, COMPLETED)
    session.tick(7.0)
    assert table.verdicts[0][2].decision == "keep" and table.verdicts[0][2].operator["success"] is None
    session.homed("")
    session.tick(8.0)
    assert session.view().phase == "done"


def test_rule_does_what_was_lost_again_a_few_times_and_never_resumes(make, trial, spec):
    session, table = make(automatic=True)
    for attempt in range(1, MOST_ATTEMPTS + 1):
        session.begin(trial)
        session.homed("")
        for step in range(60):
            session.measured(objects_of(spec), attempt * 10 + step / 10)
            session.tick(attempt * 10 + step / 10)
        session.ended(trial.key, "aborted: states lost")
        session.tick(attempt * 10 + 7.0)
    assert [verdict.decision for _, _, verdict in table.verdicts] == ["redo", "redo", "discard"]
    session.begin(trial)
    session.emergency_stop(True)
    session.emergency_stop(False)
    before = list(table.done)
    for step in range(100):
        session.tick(100 + step)
    assert session.view().phase == "stopped" and table.done == before


def test_rule_accepts_a_layout_after_a_while_in_which_one_object_is_not_seen(make, trial, spec):
    session, table = make(automatic=True)
    session.begin(trial)
    session.homed("")
    seen = objects_of(spec)[:-1]
    started = []
    for step in range(int(10 * (PATIENCE_S + 10.0))):
        now_s = step / 10
        session.measured(seen, now_s)
        session.tick(now_s)
        if session.view().phase == "running":
            started.append(now_s)
    assert started and started[0] > PATIENCE_S
    assert [verdict.decision for _, _, verdict in table.verdicts] == []
    session.ended(trial.key, "completed")
    session.tick(PATIENCE_S + 20.0)
    ((_, _, verdict),) = table.verdicts
    assert verdict.decision == "keep" and verdict.operator["layout_accepted"] is True


def test_fault_stops_what_moves_and_leaves_alone_what_stands(make, trial, spec):
    session, table = make()
    session.fault("the bus of the left arm is silent")
    assert session.view().phase == "idle"
    session.begin(trial)
    lay_out(session, spec)
    session.command("start", "", 5.0)
    session.fault("the bus of the left arm is silent")
    assert session.view().phase == "stopped" and table.done[-1] == "halt"
    session.ended(trial.key, "aborted: trial stopped")
    session.command("resume")
    session.unlocked("")
    session.command("redo")
    assert table.verdicts[0][2].decision == "redo"
    assert table.verdicts[0][2].operator["stopped_by"] == "the bus of the left arm is silent"


def test_evaluator_that_asks_anew_gets_a_new_trial_and_the_old_one_is_closed(make, trial, spec):
    session, table = make()
    first = session.begin(trial)
    second = session.begin(trial)
    with pytest.raises(ImoveError, match="another trial was asked for"):
        first.result(0)
    assert not second.done() and session.view().number == 1


def test_end_of_the_session_answers_whoever_waits(make, trial):
    session, _ = make()
    answer = session.begin(trial)
    session.homed("")
    session.command("quit")
    with pytest.raises(ImoveError, match=QUIT):
        answer.result(0)
    with pytest.raises(ImoveError, match=QUIT):
        session.begin(trial).result(0)
    again = make()[0]
    waiting = again.begin(trial)
    again.close("told to end")
    with pytest.raises(ImoveError, match="told to end"):
        waiting.result(0)


def test_session_goes_on_after_a_crash(make, path, trial, spec):
    session, _ = make()
    other = Trial(f"{spec.id}/normal/B", spec, "normal")
    session.begin(other)
    lay_out(session, spec)
    session.command("start", "", 5.0)
    session.ended(other.key, COMPLETED)
    session.command("success")
    session.begin(trial)
    with path.open("a") as file:
        file.write('{"event": "note", "te')
    again, _ = make()
    lost = next(line for line in events(path) if line["event"] == "lost")
    assert lost["episode_id"] == trial.key
    again.begin(trial)
    assert again.view().number == 2
    line = events(path)[-1]
    assert (line["event"], line["attempt"], line["label"]) == ("trial", 2, "A")


def test_what_is_no_journal_is_refused(path):
    path.write_text("hello\n")
    with pytest.raises(ImoveError, match="line 1 is damaged; remove the line"):
        Journal(path, lambda: 0)


def test_journal_that_cannot_be_written_stops_nothing(make, path, trial, monkeypatch):
    session, table = make()
    path.unlink()
    path.mkdir()
    session.begin(trial)
    assert table.done == ["home"]
