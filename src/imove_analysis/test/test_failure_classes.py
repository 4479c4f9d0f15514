"""The class of an episode, from its events alone and with control steps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_analysis.failures import CLASSES, failures, traces_of
from imove_analysis.records import POLICY_FAILED, POLICY_LOST, REDONE, SIMULATOR_LOST, STOPPED
from imove_core.step_trace import trace_bytes
from imove_tasks.stages import stages_of

from .failure_cases import (
    HELD,
    PICK,
    PLACE,
    STEPS,
    episode_of,
    on_its_side,
    only,
    run_of,
    scene_of,
    stages,
    states_of,
    suite_of,
)


@pytest.mark.parametrize(
    ("suite", "reached", "trace", "name", "certain"),
    [
        (PICK, ["reach", "lift"], None, "success", True),
        (PLACE, ["reach", "lift", "reach_place", "place"], None, "success", True),
        # Events alone: coarser, and marked.
        (PICK, [], None, "never_moved", False),
        (PICK, ["reach"], None, "missed_grasp", False),
        (PLACE, ["reach", "lift"], None, "dropped", False),
        (PLACE, ["reach", "lift", "reach_place"], None, "not_released", False),
        # With control steps.
        (PICK, [], {"moves": False}, "never_moved", True),
        (PICK, [], {}, "timed_out", True),
        (PICK, ["reach"], {}, "missed_grasp", True),
        (PICK, ["reach"], {"held": (10, 11)}, "missed_grasp", True),
        (PICK, ["reach"], {"held": HELD}, "slipped", True),
        (PICK, ["reach"], {"held": HELD, "opens": 21}, "dropped", True),
        (PICK, ["reach"], {"held": range(10, STEPS)}, "timed_out", True),
        (PICK, ["reach"], {"held": HELD, "contacts": False}, "missed_grasp", False),
        (PLACE, ["reach", "lift"], {"held": HELD}, "slipped", True),
        (PLACE, ["reach", "lift"], {"held": HELD, "opens": 20}, "dropped", True),
        (PLACE, ["reach", "lift"], {"held": range(10, STEPS)}, "timed_out", True),
        (PLACE, ["reach", "lift", "reach_place"], {"held": range(10, STEPS)}, "not_released", True),
        (PLACE, ["reach", "lift", "reach_place"], {"held": HELD, "opens": 20}, "dropped", True),
        (PLACE, ["reach", "lift", "reach_place"], {"held": HELD, "contacts": False}, "not_released", False),
    ],
)
def test_what_came_of_the_target(suite, reached, trace, name, certain):
    spec, target, destination, _ = scene_of(suite)
    episode = episode_of(spec, *stages(target, *reached, at=destination))
    states = None if trace is None else states_of(spec, target, **trace)
    found = only(run_of(suite, episode), states)
    assert (found.name, found.certain) == (name, certain)
    assert found.detail
    assert (found.acted_on is None) == (not reached)


def test_another_object():
    spec, target, _, other = scene_of(PICK)
    for events, name in [
        ((("reach", other),), "reached_wrong_object"),
        ((("reach", other), ("lift", other)), "wrong_object_lifted"),
        ((("reach", target), ("reach", other), ("lift", other)), "wrong_object_lifted"),
        ((("reach", other), ("reach", target)), "missed_grasp"),
        ((("reach", other), ("lift", other), ("reach", target), ("lift", target)), "success"),
    ]:
        found = only(run_of(PICK, episode_of(spec, *events)))
        assert found.name == name
        assert found.acted_on == other
    # Whatever the control steps show of the target.
    assert only(run_of(PICK, episode_of(spec, ("reach", other))), states_of(spec, target)).name == (
        "reached_wrong_object"
    )


def test_another_destination():
    spec, target, destination, _ = scene_of(PLACE)
    elsewhere = next(item.id for item in spec.objects if item.role == "other_destination")
    names = ("reach", "lift", "reach_place", "place")
    found = only(run_of(PLACE, episode_of(spec, *stages(target, *names, at=elsewhere))))
    assert (found.name, found.certain, found.detail) == ("wrong_destination", True, f"put at {elsewhere}")
    # First there, then where it belongs.
    events = [*stages(target, *names, at=elsewhere), *stages(target, *names[2:], at=destination)]
    assert only(run_of(PLACE, episode_of(spec, *events))).name == "success"


def test_a_tall_target_on_its_side_was_toppled():
    spec = next(
        spec
        for spec in suite_of(PICK).specs
        if (box := np.subtract((item := spec.object(spec.instruction("normal").target)).box_max, item.box_min))[2]
        > 1.5 * max(box[:2])
    )
    target = spec.instruction("normal").target
    pose = {target: on_its_side(spec.object(target).quaternion_xyzw)}
    for reached in ((), ("reach",)):
        episode = episode_of(spec, *stages(target, *reached))
        found = only(run_of(PICK, episode), states_of(spec, target, pose=pose))
        assert (found.name, found.certain) == ("toppled", True)
    # In the hand it may lie as it likes.
    lying = states_of(spec, target, held=range(10, STEPS), pose=pose)
    assert only(run_of(PICK, episode), lying).name == "timed_out"


def test_a_flat_target_that_rolled_was_not():
    spec = next(
        spec
        for spec in suite_of(PICK).specs
        if (box := np.subtract((item := spec.object(spec.instruction("normal").target)).box_max, item.box_min))[2]
        < 0.9 * min(box[:2])
    )
    target = spec.instruction("normal").target
    pose = {target: on_its_side(spec.object(target).quaternion_xyzw)}
    episode = episode_of(spec, ("reach", target))
    assert only(run_of(PICK, episode), states_of(spec, target, pose=pose)).name == "missed_grasp"


def test_a_destination_on_its_side_was_toppled():
    spec, target, destination, _ = scene_of(PLACE)
    pose = {destination: on_its_side(spec.object(destination).quaternion_xyzw)}
    states = states_of(spec, target, held=HELD, opens=20, pose=pose)
    found = only(run_of(PLACE, episode_of(spec, *stages(target, "reach", "lift"))), states)
    assert (found.name, found.detail) == ("toppled", f"{destination} lies knocked over")


def test_a_touch_is_a_motion():
    spec, target, _, _ = scene_of(PICK)
    found = only(run_of(PICK, episode_of(spec, first_contact=target)))
    assert (found.name, found.certain) == ("timed_out", True)


@pytest.mark.parametrize("outcome", [POLICY_LOST, POLICY_FAILED, "aborted: the answer has NaN in it"])
def test_policies_that_are_lost(outcome):
    spec, target, _, _ = scene_of(PICK)
    episode = episode_of(spec, ("reach", target), outcome=outcome, message="it is gone")
    found = only(run_of(PICK, episode))
    assert (found.name, found.detail) == ("policy_lost", "it is gone")


def test_safety_stops():
    spec, target, _, _ = scene_of(PICK)
    stopped = {"events": 1, "kinds": {"emergency_stop": 1}, "first": "the stop was pressed"}
    for episode in (
        episode_of(spec, ("reach", target), safety=stopped),
        episode_of(spec, ("reach", target), outcome=STOPPED, message="the stop was pressed"),
        replace(episode_of(spec, outcome=STOPPED, message="the stop was pressed"), rubrics={}),
    ):
        found = only(run_of(PICK, episode))
        assert (found.name, found.detail) == ("safety_stop", "the stop was pressed")
    clamped = {"events": 3, "kinds": {"velocity": 3}, "first": "a joint was too fast"}
    assert only(run_of(PICK, episode_of(spec, ("reach", target), safety=clamped))).name == "missed_grasp"
    assert only(run_of(PICK, episode_of(spec, *stages(target, "reach", "lift"), safety=stopped))).name == "success"


def test_what_says_nothing_of_the_policy_is_left_out():
    spec, target, _, _ = scene_of(PICK)
    done = episode_of(spec, *stages(target, "reach", "lift"))
    run = run_of(
        PICK,
        done,
        episode_of(spec, ("reach", target), condition="empty"),
        episode_of(spec, outcome=SIMULATOR_LOST, condition="alternative"),
        episode_of(spec, outcome=REDONE, condition="paraphrase"),
        # Run again since and finished.
        episode_of(spec, outcome=POLICY_LOST),
        replace(done, spec_id="pick_category/seen/999"),
    )
    table = failures(run)
    assert [episode.key for episode in table.episodes] == [f"{spec.id}/normal"]
    assert sorted(table.left_out.values()) == [1, 1, 1, 1]


def test_control_steps_are_asked_for_only_where_events_leave_a_class_open():
    spec, target, _, other = scene_of(PICK)
    asked = []
    run = run_of(
        PICK,
        episode_of(spec, *stages(target, "reach", "lift")),
        episode_of(spec, ("reach", other), condition="alternative", outcome=POLICY_LOST),
        episode_of(spec, ("reach", target), condition="punctuation"),
    )
    failures(run, lambda episode: asked.append(episode.condition))
    assert asked == ["punctuation"]


def test_traces_are_read_from_the_folder_and_damaged_ones_are_told(tmp_path):
    spec, target, _, _ = scene_of(PICK)
    (tmp_path / "whole.npz").write_bytes(trace_bytes(states_of(spec, target, held=HELD)))
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04")
    episode = episode_of(spec, ("reach", target))
    for trace, name, problem in [
        ("whole.npz", "slipped", ""),
        ("cut.npz", "missed_grasp", "cut.npz"),
        ("none.npz", "missed_grasp", "none.npz"),
        ("../outside.npz", "missed_grasp", "outside"),
        (None, "missed_grasp", ""),
    ]:
        run = run_of(PICK, replace(episode, trace=trace), folder=tmp_path)
        table = failures(run, traces_of(run))
        assert table.episodes[0].name == name
        assert len(table.problems) == bool(problem)
        assert all(problem in said for said in table.problems)


def test_every_class_is_reached():
    """On one scene, one after another; together they are all classes."""
    spec, target, destination, other = scene_of(PLACE)
    elsewhere = next(item.id for item in spec.objects if item.role == "other_destination")
    names = ("reach", "lift", "reach_place", "place")
    fallen = {destination: on_its_side(spec.object(destination).quaternion_xyzw)}
    cases = [
        (episode_of(spec, outcome=POLICY_LOST), None),
        (episode_of(spec, outcome=STOPPED), None),
        (episode_of(spec), states_of(spec, target, moves=False)),
        (episode_of(spec), states_of(spec, target)),
        (episode_of(spec), states_of(spec, target, pose=fallen)),
        (episode_of(spec, ("reach", other)), None),
        (episode_of(spec, ("reach", other), ("lift", other)), None),
        *((episode_of(spec, ("reach", target)), states_of(spec, target, held=held)) for held in ((), HELD)),
        (episode_of(spec, *stages(target, *names[:2])), states_of(spec, target, held=HELD, opens=20)),
        (episode_of(spec, *stages(target, *names[:3], at=destination)), states_of(spec, target, held=range(STEPS))),
        *((episode_of(spec, *stages(target, *names, at=place)), None) for place in (elsewhere, destination)),
    ]
    reached = [only(run_of(PLACE, episode), states).name for episode, states in cases]
    assert sorted(reached) == sorted(CLASSES)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_success_is_what_scores_call_one_and_nothing_else_is(data):
    suite = data.draw(st.sampled_from([PICK, PLACE]))
    spec = suite_of(suite).specs[data.draw(st.integers(0, 5))]
    places = [item.id for item in spec.objects if item.region is not None] or [""]
    events = data.draw(
        st.lists(
            st.tuples(
                st.sampled_from(stages_of(spec.primitive)), st.sampled_from(spec.candidates), st.sampled_from(places)
            ),
            max_size=8,
        )
    )
    events = [(stage, key, *((place,) if "place" in stage else ())) for stage, key, place in events]
    episode = episode_of(spec, *events)
    found = only(run_of(suite, episode))
    assert found.name in CLASSES
    assert (found.name == "success") == episode.rubrics["strict"].success
