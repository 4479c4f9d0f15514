"""Failures of every class, made up: events alone, and with control steps."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_analysis.failures import CLASSES, CUES, choose, failures, rank, traces_of
from imove_analysis.failures.browsing import surprise_bits
from imove_analysis.failures.cues import CueScene, cues_of, estimated_salience, tools_of
from imove_analysis.failures.overlap import WrongChoice, overlaps
from imove_analysis.failures.tables import failure_tables
from imove_analysis.records import POLICY_FAILED, POLICY_LOST, REDONE, SIMULATOR_LOST, STOPPED, make_record
from imove_analysis.runs import Run, episode_from
from imove_analysis.testing import make_execution
from imove_core.errors import ImoveError
from imove_core.rig import load_rig
from imove_core.state import ObjectState, RobotState, StepState
from imove_core.step_trace import trace_bytes
from imove_tasks.stages import RUBRICS, EpisodeScore, StageEvent, stages_of
from imove_tasks.suites import open_suite

PICK, PLACE = "pick_category/seen", "place_a2b/seen"
STEPS = 40
OPEN_M, CLOSED_M = 0.06, 0.01


@pytest.fixture(scope="module")
def suites():
    return {name: open_suite(name) for name in (PICK, PLACE)}


@pytest.fixture(scope="module")
def make_run(suites):
    def make(suite, *episodes, folder=Path("runs/made-up")):
        run_settings = {"policy": "made up", "suite": suite, "suite_hash": suites[suite].content_hash}
        finished = tuple(episode for episode in episodes if episode.finished)
        aborted = tuple(episode for episode in episodes if not episode.finished)
        run = Run(folder, run_settings, {"settings": run_settings}, finished, aborted)
        # Opened once for all tests.
        run.__dict__["suite"] = suites[suite]
        return run

    return make


@pytest.fixture(scope="module")
def scene(suites):
    """The first scene of a suite: its spec, the target and destination of normal, and another candidate."""

    def find(suite, index=0):
        spec = suites[suite].specs[index]
        normal = spec.instruction("normal")
        other = next(key for key in spec.candidates if key != normal.target)
        return spec, normal.target, normal.destination, other

    return find


def episode_of(spec, *events, condition="normal", outcome="completed", first_contact=None, safety=None, **changes):
    """An episode in which stages were reached one after another: (stage, object) or (stage, object, destination)."""
    instruction = spec.instruction(condition)
    made = []
    for step, (stage, object_id, *where) in enumerate(events, start=10):
        there = where[0] if where else ""
        right = object_id == instruction.target and there in ("", instruction.destination)
        made += [StageEvent(rubric, stage, object_id, right, step, step / 30, there) for rubric in RUBRICS]
    score = EpisodeScore(
        instruction.target, tuple(made), first_contact, 300, instruction.destination, stages_of(spec.primitive)
    )
    execution = make_execution(score, instruction.text, outcome=outcome, safety=safety or {}, **changes)
    return episode_from(make_record(spec, condition, 0, execution))


def states_of(spec, target, held=(), opens=None, moves=True, pose=None, contacts=True):
    """Control steps in which the target is held by the left arm at some of them, and its hand opens at one.

    Args:
        spec: Scene.
        target: Object that is held.
        held: Control steps.
        opens: Control step from which the hand is open, None for never.
        moves: Whether the arms move.
        pose: Orientations (x, y, z, w) that objects have at the end.
        contacts: Whether contacts are sensed.
    """
    rig = load_rig(spec.rig)
    home = np.concatenate([arm.home_positions for arm in rig.arms])
    gripper = rig.arms[0].size - 1
    ends = pose or {}
    states = []
    for step in range(STEPS):
        positions = home.copy()
        if moves:
            positions[0] += 0.01 * step
            positions[gripper] = OPEN_M if opens is not None and step >= opens else CLOSED_M
        objects = tuple(
            ObjectState(
                id=item.id,
                position=np.array(item.position),
                quaternion_xyzw=np.array(ends.get(item.id, item.quaternion_xyzw) if step else item.quaternion_xyzw),
                box_min=np.array(item.box_min),
                box_max=np.array(item.box_max),
                linear_velocity=np.zeros(3),
                angular_velocity=np.zeros(3),
                held_by=rig.arms[0].name if item.id == target and step in held else "",
                contacts_known=contacts,
            )
            for item in spec.objects
        )
        robot = RobotState(positions, np.zeros_like(home), np.zeros_like(home))
        states.append(StepState(step * 33_333_333, step, robot, objects))
    return tuple(states)


def only(run, states=None):
    """The one episode of a run, classed."""
    (found,) = failures(run, lambda episode: states).episodes
    return found


def stages(target, *names, at=None):
    return [(name, target, *((at,) if name in ("reach_place", "place") else ())) for name in names]


HELD = range(10, 20)


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
def test_what_came_of_the_target(scene, make_run, suite, reached, trace, name, certain):
    spec, target, destination, _ = scene(suite)
    episode = episode_of(spec, *stages(target, *reached, at=destination))
    states = None if trace is None else states_of(spec, target, **trace)
    found = only(make_run(suite, episode), states)
    assert (found.name, found.certain) == (name, certain)
    assert found.detail
    assert (found.acted_on is None) == (not reached)


def test_another_object(scene, make_run):
    spec, target, _, other = scene(PICK)
    for events, name in [
        ((("reach", other),), "reached_wrong_object"),
        ((("reach", other), ("lift", other)), "wrong_object_lifted"),
        ((("reach", target), ("reach", other), ("lift", other)), "wrong_object_lifted"),
        ((("reach", other), ("reach", target)), "missed_grasp"),
        ((("reach", other), ("lift", other), ("reach", target), ("lift", target)), "success"),
    ]:
        found = only(make_run(PICK, episode_of(spec, *events)))
        assert found.name == name
        assert found.acted_on == other
    # Whatever the control steps show of the target.
    assert only(make_run(PICK, episode_of(spec, ("reach", other))), states_of(spec, target)).name == (
        "reached_wrong_object"
    )


def test_another_destination(scene, make_run):
    spec, target, destination, _ = scene(PLACE)
    elsewhere = next(item.id for item in spec.objects if item.role == "other_destination")
    names = ("reach", "lift", "reach_place", "place")
    found = only(make_run(PLACE, episode_of(spec, *stages(target, *names, at=elsewhere))))
    assert (found.name, found.certain, found.detail) == ("wrong_destination", True, f"put at {elsewhere}")
    # First there, then where it belongs.
    events = [*stages(target, *names, at=elsewhere), *stages(target, *names[2:], at=destination)]
    assert only(make_run(PLACE, episode_of(spec, *events))).name == "success"


def on_its_side(quaternion):
    """The orientation turned by 90 degrees about a horizontal axis of the world."""
    x, y, z, w = quaternion
    half = np.sqrt(0.5)
    # (half, 0, 0; half) times the quaternion.
    return (half * w + half * x, half * y - half * z, half * z + half * y, half * w - half * x)


def test_a_tall_target_on_its_side_was_toppled(suites, make_run):
    spec = next(
        spec
        for spec in suites[PICK].specs
        if (box := np.subtract((item := spec.object(spec.instruction("normal").target)).box_max, item.box_min))[2]
        > 1.5 * max(box[:2])
    )
    target = spec.instruction("normal").target
    pose = {target: on_its_side(spec.object(target).quaternion_xyzw)}
    for reached in ((), ("reach",)):
        episode = episode_of(spec, *stages(target, *reached))
        found = only(make_run(PICK, episode), states_of(spec, target, pose=pose))
        assert (found.name, found.certain) == ("toppled", True)
    # In the hand it may lie as it likes.
    lying = states_of(spec, target, held=range(10, STEPS), pose=pose)
    assert only(make_run(PICK, episode), lying).name == "timed_out"


def test_a_flat_target_that_rolled_was_not(suites, make_run):
    spec = next(
        spec
        for spec in suites[PICK].specs
        if (box := np.subtract((item := spec.object(spec.instruction("normal").target)).box_max, item.box_min))[2]
        < 0.9 * min(box[:2])
    )
    target = spec.instruction("normal").target
    pose = {target: on_its_side(spec.object(target).quaternion_xyzw)}
    episode = episode_of(spec, ("reach", target))
    assert only(make_run(PICK, episode), states_of(spec, target, pose=pose)).name == "missed_grasp"


def test_a_destination_on_its_side_was_toppled(scene, make_run):
    spec, target, destination, _ = scene(PLACE)
    pose = {destination: on_its_side(spec.object(destination).quaternion_xyzw)}
    states = states_of(spec, target, held=HELD, opens=20, pose=pose)
    found = only(make_run(PLACE, episode_of(spec, *stages(target, "reach", "lift"))), states)
    assert (found.name, found.detail) == ("toppled", f"{destination} lies knocked over")


def test_a_touch_is_a_motion(scene, make_run):
    spec, target, _, _ = scene(PICK)
    found = only(make_run(PICK, episode_of(spec, first_contact=target)))
    assert (found.name, found.certain) == ("timed_out", True)


@pytest.mark.parametrize("outcome", [POLICY_LOST, POLICY_FAILED, "aborted: the answer has NaN in it"])
def test_policies_that_are_lost(scene, make_run, outcome):
    spec, target, _, _ = scene(PICK)
    episode = episode_of(spec, ("reach", target), outcome=outcome, message="it is gone")
    found = only(make_run(PICK, episode))
    assert (found.name, found.detail) == ("policy_lost", "it is gone")


def test_safety_stops(scene, make_run):
    spec, target, _, _ = scene(PICK)
    stopped = {"events": 1, "kinds": {"emergency_stop": 1}, "first": "the stop was pressed"}
    for episode in (
        episode_of(spec, ("reach", target), safety=stopped),
        episode_of(spec, ("reach", target), outcome=STOPPED, message="the stop was pressed"),
        replace(episode_of(spec, outcome=STOPPED, message="the stop was pressed"), rubrics={}),
    ):
        found = only(make_run(PICK, episode))
        assert (found.name, found.detail) == ("safety_stop", "the stop was pressed")
    clamped = {"events": 3, "kinds": {"velocity": 3}, "first": "a joint was too fast"}
    assert only(make_run(PICK, episode_of(spec, ("reach", target), safety=clamped))).name == "missed_grasp"
    assert only(make_run(PICK, episode_of(spec, *stages(target, "reach", "lift"), safety=stopped))).name == "success"


def test_what_says_nothing_of_the_policy_is_left_out(scene, make_run):
    spec, target, _, _ = scene(PICK)
    done = episode_of(spec, *stages(target, "reach", "lift"))
    run = make_run(
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


def test_control_steps_are_asked_for_only_where_events_leave_a_class_open(scene, make_run):
    spec, target, _, other = scene(PICK)
    asked = []
    run = make_run(
        PICK,
        episode_of(spec, *stages(target, "reach", "lift")),
        episode_of(spec, ("reach", other), condition="alternative", outcome=POLICY_LOST),
        episode_of(spec, ("reach", target), condition="punctuation"),
    )
    failures(run, lambda episode: asked.append(episode.condition))
    assert asked == ["punctuation"]


def test_traces_are_read_from_the_folder_and_damaged_ones_are_told(scene, make_run, tmp_path):
    spec, target, _, _ = scene(PICK)
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
        run = make_run(PICK, replace(episode, trace=trace), folder=tmp_path)
        table = failures(run, traces_of(run))
        assert table.episodes[0].name == name
        assert len(table.problems) == bool(problem)
        assert all(problem in said for said in table.problems)


def test_every_class_is_reached(scene, make_run):
    """On one scene, one after another; together they are all classes."""
    spec, target, destination, other = scene(PLACE)
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
    reached = [only(make_run(PLACE, episode), states).name for episode, states in cases]
    assert sorted(reached) == sorted(CLASSES)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_a_success_is_what_scores_call_one_and_nothing_else_is(data, suites):
    suite = data.draw(st.sampled_from([PICK, PLACE]))
    spec = suites[suite].specs[data.draw(st.integers(0, 5))]
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
    run_settings = {"policy": "made up", "suite": suite, "suite_hash": suites[suite].content_hash}
    run = Run(Path(), run_settings, {}, (episode,))
    run.__dict__["suite"] = suites[suite]
    found = only(run)
    assert found.name in CLASSES
    assert (found.name == "success") == episode.rubrics["strict"].success


def test_confusions(scene, make_run):
    spec, target, _, other = scene(PICK)
    run = make_run(
        PICK,
        episode_of(spec, ("reach", other), ("lift", other)),
        episode_of(spec, ("reach", other), condition="paraphrase"),
        episode_of(spec, *stages(target, "reach", "lift"), condition="punctuation"),
        episode_of(spec, condition="alternative"),
    )
    confusions = failures(run).confusions
    named = {key: spec.object(key).labels["category"] for key in (target, other)}
    cells = {(cell.named, cell.acted_on): (cell.k, cell.n) for cell in confusions["category"]}
    alternative = spec.object(spec.instruction("alternative").target).labels["category"]
    assert cells[named[target], named[other]] == (2, 3)
    assert cells[named[target], named[target]] == (1, 3)
    assert cells[alternative, "nothing"] == (1, 1)
    assert confusions["category"][0].k == 2
    roles = {(cell.named, cell.acted_on): cell.k for cell in confusions["role"]}
    assert roles == {("target", "distractor"): 2, ("target", "target"): 1, ("distractor", "nothing"): 1}
    assert {cell.named for cell in confusions["asset"]} == {
        spec.object(key).asset for key in (target, spec.instruction("alternative").target)
    }


def test_cues_of_a_scene(scene):
    """The first scene of the suite, looked at by a person: bread is named."""
    spec, target, _, _ = scene(PICK)
    rig = load_rig(spec.rig)
    bread = spec.object(target)
    salience = estimated_salience(spec)
    found = {
        spec.object(key).phrase: cues
        for key, cues in cues_of(CueScene(spec, spec.instruction("normal"), bread, tools_of(rig), salience)).items()
    }
    assert set(found) == {"carrot", "mini hammer", "milk carton", "magnifier", "phone stand"}
    assert "material" in found["carrot"]
    assert "color" in found["milk carton"]
    assert "color_or_shape" in found["milk carton"]
    assert "nearest_to_target" in found["mini hammer"]
    assert "same_side" not in found["magnifier"]
    # A wide bowl of another colour, or whatever it is: one of all candidates, or the named one itself.
    assert sum("most_salient" in cues for cues in found.values()) == (max(salience, key=salience.get) != target)
    assert sum("nearest_to_tool" in cues for cues in found.values()) <= 1
    assert not any("named_word" in cues for cues in found.values())
    blind = CueScene(spec, spec.instruction("normal"), bread, None, salience)
    assert not any("nearest_to_tool" in cues for cues in cues_of(blind).values())


def test_words_of_the_text_are_cues(scene):
    spec, target, _, _ = scene(PICK)
    text = spec.instruction("alternative")
    assert text.text == "get the rectangular paper milk carton for me"
    found = cues_of(CueScene(spec, text, spec.object(text.target), None, {}))
    assert {spec.object(key).phrase for key, cues in found.items() if "named_word" in cues} == {"phone stand"}


def choices(rng, prefers, n=60, share=0.0):
    """Wrong choices among five others, of which one or two have the colour, with probability `share` preferred."""
    made = []
    for number in range(n):
        cues = {f"object_{k}": frozenset({"color"} if k < 1 + number % 2 else ()) for k in range(5)}
        taken = f"object_{rng.integers(5)}"
        if prefers and rng.random() < share:
            taken = "object_0"
        made.append(WrongChoice(f"scene_{number % 30}", taken, cues))
    return made


def test_overlap_with_a_cue_that_draws_and_with_none(rng):
    (drawn,) = overlaps(choices(rng, True, share=0.6), ["color"], rng)
    assert drawn.base == pytest.approx(0.3)
    assert drawn.rate == drawn.k / 60
    assert drawn.difference == pytest.approx(drawn.rate - drawn.base)
    assert drawn.difference_ci95[0] > 0.1
    assert drawn.sentence.startswith("More often than by chance: color speaks for")
    missed = sum(
        not low <= 0 <= high
        for low, high in (overlaps(choices(rng, False), ["color"], rng)[0].difference_ci95 for _ in range(100))
    )
    assert missed <= 12


def test_cues_that_cannot_be_told(rng):
    cues = {"object_0": frozenset({"category"}), "object_1": frozenset({"category"})}
    found = overlaps([WrongChoice("a", "object_0", cues)], ["category", "color"], rng)
    assert [one.difference for one in found] == [0.0, 0.0]
    assert all(one.sentence.startswith("Cannot be told") for one in found)
    assert overlaps([], ["color"], rng) == ()


def test_wrong_choices_have_their_cues_and_containers_are_none(scene, make_run):
    spec, target, destination, other = scene(PLACE)
    bowl = episode_of(spec, ("reach", destination), condition="paraphrase")
    table = failures(make_run(PLACE, episode_of(spec, ("reach", other)), bowl))
    assert [episode.name for episode in table.episodes] == ["reached_wrong_object"] * 2
    assert [cue.n for cue in table.cues] == [1] * len(CUES)
    assert table.episodes[1].cues == ()
    shared = {cue.cue for cue in table.cues if cue.k}
    assert set(table.episodes[0].cues) == shared


@pytest.fixture
def mixed(suites, make_run):
    """A run in which most scenes fail by a missed grasp, one by a wrong lift."""
    episodes = []
    for index, spec in enumerate(suites[PICK].specs[:6]):
        target = spec.instruction("normal").target
        other = next(key for key in spec.candidates if key != target)
        wrong = index == 3
        episodes += [
            episode_of(spec, ("reach", other), ("lift", other)) if wrong else episode_of(spec, ("reach", target)),
            episode_of(spec, *stages(target, "reach", "lift"), condition="paraphrase"),
        ]
    return failures(make_run(PICK, *episodes))


def test_failures_are_chosen(mixed):
    assert Counter(episode.name for episode in mixed.failed) == {"missed_grasp": 5, "wrong_object_lifted": 1}
    (wrong,) = choose(mixed.episodes, classes=["wrong_object_lifted"])
    assert choose(mixed.episodes, objects=[wrong.called[0]], classes=["wrong_object_lifted"]) == (wrong,)
    assert wrong in choose(mixed.episodes, objects=wrong.acted_on_called)
    assert choose(mixed.failed, conditions=["paraphrase"]) == ()
    assert len(choose(mixed.episodes, scenes=[wrong.spec_id])) == 2
    assert choose(mixed.episodes) == mixed.episodes


def test_the_rare_failure_comes_first(mixed):
    ranked = rank(mixed.failed, mixed.episodes)
    assert ranked[0].name == "wrong_object_lifted"
    assert sorted(ranked, key=lambda episode: episode.key) == list(mixed.failed)
    bits = [surprise_bits(episode, mixed.episodes) for episode in ranked]
    assert bits == sorted(bits, reverse=True)
    assert bits[0] == pytest.approx(-np.log2(2 / 8) - np.log2(2 / 4))
    assert rank(mixed.failed, mixed.episodes, "scene") == mixed.failed
    assert rank(mixed.failed, mixed.episodes, "cues")[0].name == "wrong_object_lifted"
    with pytest.raises(ImoveError, match="surprise"):
        rank(mixed.failed, mixed.episodes, "beauty")


def test_counts_and_record(mixed):
    counts = mixed.counts()
    assert list(counts) == list(CLASSES)
    assert sum(found["k"] for found in counts.values()) == 12
    assert (counts["missed_grasp"]["k"], counts["missed_grasp"]["certain"]) == (5, 0)
    record = json.loads(json.dumps(mixed.to_record()))
    assert [found["success"]["k"] for found in record["by_condition"].values()] == [0, 6]
    assert {found["success"]["n"] for found in record["by_condition"].values()} == {6}
    assert (len(record["episodes"]), len(record["cues"])) == (12, len(CUES))
    assert record["episodes"][0]["called"] == list(mixed.episodes[0].called)


def test_tables(mixed):
    titles = [str(table.title).partition(",")[0] for table in failure_tables(mixed, mixed.failed)]
    assert titles[:3] == ["pick_category/seen", "Named against acted on", "Named against acted on"]
    assert titles[3:] == ["Cues in 1 wrong choices", "6 episodes"]


def test_the_order_of_a_file_decides_nothing(suites, make_run):
    episodes = [
        episode_of(spec, ("reach", spec.candidates[index % 3]), condition=condition)
        for index, spec in enumerate(suites[PICK].specs[:5])
        for condition in ("normal", "alternative")
    ]
    first, second = (failures(make_run(PICK, *order)).to_record() for order in (episodes, reversed(episodes)))
    assert first == second
