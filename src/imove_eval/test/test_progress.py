"""How fast a run goes, and when it will be finished."""

import io

import pytest
from rich.console import Console

from imove_analysis.records import POLICY_FAILED, Execution, make_record
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_eval.progress import ProgressReporter


class Silent:
    """A reporter that shows nothing but remembers what it was told."""

    def __init__(self):
        self.told = []

    def started(self, total, finished):
        self.told.append("started")

    def episode(self, number, total, spec, record):
        self.told.append(number)

    def summary(self, summary):
        self.told.append("summary")


@pytest.fixture
def record():
    def make(*stages, condition="normal"):
        score = make_score(*(("strict", stage, "object_0") for stage in stages))
        return make_record(make_spec(), condition, 0, make_execution(score))

    return make


@pytest.fixture
def reporter():
    """A reporter over a clock that a test sets, and what it has printed."""
    out, now = io.StringIO(), [100.0]
    inner = Silent()
    made = ProgressReporter(inner, Console(file=out, width=120), clock=lambda: now[0])
    return made, inner, out, now


def test_rates_and_the_time_that_is_left(reporter, record):
    made, inner, out, now = reporter
    made.started(40, 0)
    now[0] = 160.0
    made.episode(1, 40, make_spec(), record("reach", "lift"))
    made.episode(2, 40, make_spec(), record("reach"))
    now[0] = 220.0
    made.episode(3, 40, make_spec(), record(condition="empty"))
    made.episode(4, 40, make_spec(), make_record(make_spec(), "normal", 0, Execution(POLICY_FAILED, None)))
    assert out.getvalue().splitlines() == [
        "2/40  120 episodes/h, 19 min left, Reach 1.00 Lift 0.50",
        "4/40  120 episodes/h, 18 min left, Reach 1.00 Lift 0.50",
    ]
    assert inner.told == ["started", 1, 2, 3, 4]


def test_episodes_that_were_finished_before_do_not_count(reporter, record):
    made, _, out, now = reporter
    made.started(400, 379)
    now[0] = 101.0
    made.episode(380, 400, make_spec(), record())
    assert out.getvalue().startswith("380/400  3600 episodes/h, 20 s left, Reach 0.00 Lift 0.00")


def test_short_runs_have_no_lines_of_their_own(reporter, record):
    made, _, out, _ = reporter
    made.started(2, 0)
    made.episode(1, 2, make_spec(), record())
    made.summary({})
    assert out.getvalue() == ""


def test_the_bar_of_a_terminal_goes_away_however_a_run_ends(record):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=120)
    with pytest.raises(KeyboardInterrupt), ProgressReporter(Silent(), console) as made:
        made.started(10, 0)
        made.episode(1, 10, make_spec(), record("reach"))
        raise KeyboardInterrupt
    assert "1/10" in out.getvalue()
    # The cursor was hidden while the bar was drawn.
    assert out.getvalue().rindex("\x1b[?25h") > out.getvalue().rindex("\x1b[?25l")


def test_notices_are_printed_as_they_are(reporter):
    made, _, out, _ = reporter
    made.notice("server [a] is gone")
    assert out.getvalue() == "server [a] is gone\n"
