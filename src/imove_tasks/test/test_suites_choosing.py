"""Which suite a task is evaluated on, and which rig a suite is for."""

import pytest

from imove_core.errors import ImoveError
from imove_tasks import suites
from imove_tasks.suites import Suite, default_suite, open_suite

SHIPPED = (
    "pick_category/seen",
    "pick_category/seen@franka_single",
    "pick_category/unseen_instance",
    "pick_spatial/near@aloha_dual",
    "pick_spatial/seen@fr3_single",
    "pick_spatial/seen@franka_single",
)


@pytest.fixture
def shipped(monkeypatch):
    """Other suites than those that are shipped."""
    monkeypatch.setattr(suites, "suite_names", lambda: SHIPPED)


@pytest.fixture(scope="module")
def suite():
    """A shipped suite."""
    return open_suite("pick_category/seen")


@pytest.mark.parametrize(
    ("task", "rig", "name"),
    [
        ("pick_category", "", "pick_category/seen"),
        ("pick_category", "piperx_dual", "pick_category/seen"),
        ("pick_category", "franka_single", "pick_category/seen@franka_single"),
        ("pick_spatial", "", "pick_spatial/seen@fr3_single"),
        ("pick_spatial", "franka_single", "pick_spatial/seen@franka_single"),
    ],
)
def test_suite_of_a_task(shipped, task, rig, name):
    assert default_suite(task, rig) == name


@pytest.mark.parametrize(
    ("task", "rig", "there_is"),
    [
        ("place_a2b", "", "of place_a2b there is none"),
        (
            "pick_category",
            "aloha_dual",
            "of pick_category there is pick_category/seen, pick_category/seen@franka_single, pick_category/unseen_inst",
        ),
        ("pick_spatial", "piperx_dual", "of pick_spatial there is pick_spatial/near@aloha_dual, "),
    ],
)
def test_task_without_a_suite_says_how_to_make_one(shipped, task, rig, there_is):
    with pytest.raises(ImoveError) as caught:
        default_suite(task, rig)
    assert f"no suite {task}/seen for rig {rig or 'piperx_dual'} is shipped ({there_is}" in str(caught.value)
    assert f"--task {task} --split seen --rig {rig or 'piperx_dual'} --out FILE.jsonl" in str(caught.value)


def test_every_shipped_suite_opens_its_rig():
    for name in suites.suite_names():
        opened = open_suite(name)
        assert opened.open_rig().name == opened.rig
        assert name.partition("@")[2] in ("", opened.rig)


def test_the_suites_own_rig_may_be_given(suite):
    assert suite.open_rig("piperx_dual") == suite.open_rig()


def test_another_rig_is_refused_with_both_names(suite):
    specs = tuple(spec.model_copy(update={"rig": "other_rig"}) for spec in suite.specs[:2])
    with pytest.raises(ImoveError, match="suite mine is for rig other_rig; rig piperx_dual was given"):
        Suite("mine", 0, "", specs).open_rig("piperx_dual")


def test_suite_for_several_rigs_is_for_none(suite):
    first, second = suite.specs[:2]
    mixed = Suite("mixed", 0, "", (first, second.model_copy(update={"rig": "other_rig"})))
    with pytest.raises(ImoveError, match="suite mixed has episodes for the rigs other_rig, piperx_dual"):
        mixed.open_rig()
