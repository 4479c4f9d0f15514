"""Every shipped episode, judged by a reader of its own: texts are parsed and looked up in library and poses."""

import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from imove_core.meaning import Description, Meaning
from imove_core.spec import CONDITIONS, EpisodeSpec
from imove_core.state import ObjectState
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.audit import contenders
from imove_tasks.language import lint, lint_disturbed, parse
from imove_tasks.registry import get_family
from imove_tasks.suites import Suite, open_suite, suite_names

from .drawn_scenes import scene_of

LIBRARY = AssetLibrary.shipped()
PAGE = Path(__file__).parents[3] / "docs" / "tasks.md"
DISTURBED = ("scrambled", "punctuation")


@pytest.fixture(scope="module", params=suite_names())
def suite(request: pytest.FixtureRequest) -> Suite:
    return open_suite(request.param)


def states_of(spec: EpisodeSpec) -> tuple[ObjectState, ...]:
    still = np.zeros(3)
    return tuple(
        ObjectState(
            id=item.id,
            position=np.array(item.position),
            quaternion_xyzw=np.array(item.quaternion_xyzw),
            box_min=LIBRARY.get(item.asset).box_min,
            box_max=LIBRARY.get(item.asset).box_max,
            linear_velocity=still,
            angular_velocity=still,
        )
        for item in spec.objects
    )


class Reader:
    """Finds what a description is true of, from the library and object states alone; knows no labels of the spec."""

    def __init__(self, spec: EpisodeSpec) -> None:
        self.rows = {item.id: LIBRARY.row(item.asset) for item in spec.objects}
        self.states = {state.id: state for state in states_of(spec)}

    def find(self, description: Description) -> set[str]:
        if not description.fields and description.size is None and description.relation is None:
            return set()
        found = {
            key
            for key, row in self.rows.items()
            if all(getattr(row, name) == word for name, word in description.fields.items())
        }
        if description.size is not None:
            order = sorted(found, key=lambda key: max(self.states[key].box_max - self.states[key].box_min))
            middle = order[1] if len(order) == 3 else None
            found = {{"smallest": order[0], "largest": order[-1], "medium": middle}[description.size]} - {None}
        if description.relation is not None:
            (reference,) = self.find(description.relation.reference)
            found = {k for k in found - {reference} if self.holds(description.relation.relation, k, reference)}
        return found

    def holds(self, relation: str, subject: str, reference: str) -> bool:
        ahead, left, _ = self.states[subject].position - self.states[reference].position
        if relation in ("near", "far_from"):
            distance = math.hypot(ahead, left)
            return distance < 0.16 if relation == "near" else distance > 0.29
        # Seen from the reference: which of four quarters is it in?
        quarter = round(math.degrees(math.atan2(left, ahead)) / 90) % 4
        return ("in_front_of", "left_of", "behind", "right_of")[quarter] == relation

    def only(self, description: Description) -> str | None:
        found = self.find(description)
        return found.pop() if len(found) == 1 else None

    def about(self, meaning: Meaning) -> tuple[str | None, str | None]:
        place = None if meaning.place is None else self.only(meaning.place.reference)
        return self.only(meaning.pick), place


def test_the_text_leads_to_the_stored_target_in_every_condition(suite: Suite) -> None:
    for spec in suite.specs:
        reader = Reader(spec)
        for condition in CONDITIONS:
            said = spec.instruction(condition)
            if condition in ("empty", "scrambled"):
                assert said.target is None and said.meaning is None
                continue
            assert reader.about(parse(said.text)) == (said.target, said.destination), (spec.id, condition, said.text)


def test_every_goal_of_a_certificate_is_read_the_same_way(suite: Suite) -> None:
    for spec in suite.specs:
        assert spec.certificate is not None
        reader = Reader(spec)
        for goal in spec.certificate.goals:
            assert reader.about(parse(goal.text)) == (goal.target, goal.destination)
            assert lint(goal.text) == []
            assert goal.placed is (None if goal.destination is None else True)
        first = spec.certificate.goals[0]
        normal = spec.instruction("normal")
        assert (first.target, first.destination) == (normal.target, normal.destination)


def test_every_candidate_was_lifted_and_is_the_target_of_a_goal(suite: Suite) -> None:
    for spec in suite.specs:
        certificate = spec.certificate
        assert certificate is not None and certificate.drift_m < 0.001
        lifted = {item.object_id for item in certificate.candidates if item.lift_m >= 0.03}
        assert lifted == {goal.target for goal in certificate.goals} == set(spec.candidates)
        assert set(contenders(spec)) <= lifted
        assert all(item.visible_share >= 0.6 for item in certificate.candidates)


def test_every_text_is_correct(suite: Suite) -> None:
    for spec in suite.specs:
        for condition, said in spec.instructions.items():
            faults = lint_disturbed(said.text) if condition in DISTURBED else lint(said.text)
            assert faults == [], (spec.id, condition, said.text)


def test_objects_are_of_the_split(suite: Suite) -> None:
    for spec in suite.specs:
        allowed = get_family(spec.family).library_split(spec.split)
        for item in spec.objects:
            row = LIBRARY.row(item.asset)
            assert row.split == allowed
            assert {name: getattr(row, name) for name in item.labels} == item.labels


def test_a_suite_is_balanced(suite: Suite) -> None:
    targets = Counter(spec.object(spec.instruction("normal").target or "").asset for spec in suite.specs)
    assert len(suite.specs) == 100
    # The eight held-out categories have 136 objects, the split of a place has fewer that fit.
    assert max(targets.values()) <= 5
    texts = {spec.instruction("normal").text for spec in suite.specs}
    assert len(texts) > 90


def test_no_id_seed_or_layout_is_shared(suite: Suite) -> None:
    others = [open_suite(name) for name in suite_names() if name != suite.name]
    assert not {spec.id for other in others for spec in other.specs} & {spec.id for spec in suite.specs}
    seeds = {spec.seed for other in others for spec in other.specs}
    assert not seeds & {spec.seed for spec in suite.specs}
    train = [scene_of(suite.specs[0].family, index, "train", suite.rig, seed=0) for index in range(3)]
    assert not {scene.seed for scene in train} & {spec.seed for spec in suite.specs}
    places = {item.position[:2] for spec in suite.specs for item in spec.objects}
    assert not places & {item.position[:2] for scene in train for item in scene.objects}
    held_out = {row.uuid for row in LIBRARY.rows() if row.split != "seen"}
    assert not held_out & {item.asset for scene in train for item in scene.objects}


def test_the_page_lists_every_suite_with_its_hash() -> None:
    listed = dict(re.findall(r"^\| `(\S+)` \|.*\| `([0-9a-f]{12})` \|$", PAGE.read_text(), re.MULTILINE))
    assert listed == {name: open_suite(name).content_hash[:12] for name in suite_names()}
