"""Names of conditions and of groups of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_analysis.conditions import describe_conditions, parse_conditions
from imove_core.errors import ImoveError
from imove_core.spec import CONDITIONS, COUNTERFACTUAL_CONDITIONS

PAPER = ("normal", "alternative", "generic", "empty", "absent")


@pytest.mark.parametrize("condition", CONDITIONS)
def test_one_condition(condition):
    assert parse_conditions(condition) == (condition,)


def test_groups():
    assert parse_conditions("counterfactual") == PAPER == COUNTERFACTUAL_CONDITIONS
    assert parse_conditions("all") == CONDITIONS
    assert len(CONDITIONS) == 9


def test_order_and_repetition_change_nothing():
    assert parse_conditions("empty,normal,empty") == ("normal", "empty")
    assert parse_conditions("scrambled,counterfactual") == (*PAPER, "scrambled")


@pytest.mark.parametrize("text", ["", "normal,", "Normal", "normal, empty", "both"])
def test_anything_else_is_refused_with_what_is_allowed(text):
    with pytest.raises(ImoveError, match="unknown condition .*; allowed: absent, all, .*counterfactual, .*normal"):
        parse_conditions(text)


@given(st.sets(st.sampled_from(CONDITIONS), min_size=1))
def test_description_is_read_back(wanted):
    conditions = parse_conditions(",".join(wanted))
    assert set(conditions) == wanted
    assert parse_conditions(describe_conditions(conditions)) == conditions


def test_groups_are_described_by_their_names():
    assert describe_conditions(PAPER) == "counterfactual"
    assert describe_conditions(CONDITIONS) == "all"
    assert describe_conditions(("normal", "empty")) == "normal,empty"
