"""Several suites at once."""

import pytest

from imove_core.errors import ImoveError
from imove_eval.suite_groups import parse_suites
from imove_tasks.suites import suite_names


def test_the_papers_suites_are_the_seven_shipped_ones():
    found = parse_suites("paper")
    assert len(found) == 7
    assert set(found) == set(suite_names())


def test_names_and_files_stay_in_their_order():
    assert parse_suites("place_a2b/seen, my.jsonl") == ("place_a2b/seen", "my.jsonl")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unknown suite ''"),
        ("pick", "unknown suite 'pick'; allowed: .*paper"),
        ("paper,place_a2b/seen", "more than once"),
    ],
)
def test_other_texts_are_refused(text, message):
    with pytest.raises(ImoveError, match=message):
        parse_suites(text)
