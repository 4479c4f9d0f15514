"""Messages to values: whatever a node sends, the page has something to show."""

import json
import math

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from imove_interfaces.msg import Episode, EpisodeResult, RecorderStatus, TeleopState, TrackerStatus, TrialState

from imove_console.conversions import (
    episode_from,
    health_from,
    recorder_from,
    result_line,
    teleop_from,
    tracker_from,
    trial_from,
)
from imove_tasks.suites import open_suite


def test_a_trial_with_its_layout():
    layout = [{"id": "object_0", "phrase": "mug", "error_m": 0.01, "ok": False}, "no object", 3]
    trial = trial_from(TrialState(phase="laying_out", match=0.5, layout_json=json.dumps(layout), commands=["recheck"]))
    assert (trial.phase, trial.match, trial.commands) == ("laying_out", 0.5, ("recheck",))
    assert [item["id"] for item in trial.layout] == ["object_0"]
    for broken in ("", "{}", "null", "[", "[" * 3000, "[" + ",".join(["{}"] * 500) + "]"):
        assert len(trial_from(TrialState(layout_json=broken)).layout) <= 64


def test_arrays_of_unequal_length_are_cut():
    teleop = teleop_from(TeleopState(arms=["left", "right"], misalignment=[0.1], leader_age_s=[math.inf, 0.1]))
    assert [leader.arm for leader in teleop.leaders] == ["left"]
    tracker = tracker_from(TrackerStatus(object_ids=["a", "b"], confidence=[0.5, 1.0], basis=["seen"], question="?"))
    assert [(item.id, item.confidence) for item in tracker.objects] == [("a", 0.5)]


def test_the_recorder_is_summed_up():
    recorder = recorder_from(
        RecorderStatus(state="recording", topics=["/a", "/b"], received=[5, 7], written=[5, 4], dropped=[0, 3])
    )
    assert (recorder.received, recorder.written, recorder.dropped, recorder.dropping_topics) == (12, 9, 3, ("/b",))


def test_an_episode_knows_what_its_objects_are_called():
    spec = open_suite("pick_category/seen").first(1)[0]
    episode = episode_from(Episode(episode_id="e", condition="normal", spec_json=spec.to_json()))
    assert episode.phrases == {item.id: item.phrase for item in spec.objects}
    assert episode.target == spec.instruction("normal").target
    assert episode_from(Episode(episode_id="e", spec_json="{}")).phrases == {}
    assert episode_from(Episode(episode_id="e", condition="x", spec_json=spec.to_json())).target == ""


def test_health_has_levels_and_values():
    statuses = [
        DiagnosticStatus(name=name, level=level, values=[KeyValue(key="fault", value="x")])
        for name, level in (("a", b"\x00"), ("b", b"\x01"), ("c", b"\x02"), ("d", b"\x03"))
    ]
    found = list(health_from(DiagnosticArray(status=statuses)))
    assert [item.level for item in found] == ["ok", "warn", "error", "error"]
    assert found[0].values == {"fault": "x"}


def test_the_log_tells_how_an_episode_ended():
    assert result_line(EpisodeResult(episode_id="e", outcome="completed")) == ("ok", "episode e: completed")
    assert result_line(EpisodeResult(episode_id="e", outcome="aborted: emergency stop"))[0] == "warn"
