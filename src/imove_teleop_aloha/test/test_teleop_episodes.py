"""Episodes as a person asks for them: kept, thrown away, redone, taken back; what cannot go on is marked."""

import json

import pytest

from imove_core.errors import ImoveError
from imove_teleop_aloha.deadman import KEY, PEDAL
from imove_teleop_aloha.episodes import LAST_STEPS
from imove_teleop_aloha.leaders.keyboard import JoggedLeader
from imove_teleop_aloha.log import FILE, EpisodeLog
from imove_teleop_aloha.machine import Phase

from .teleop_session import HORIZON, RIG, SHORT, SUITE, Session, until


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
