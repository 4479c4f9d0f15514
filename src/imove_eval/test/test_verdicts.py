"""A person's word on trials: what is kept, what is done again, and what the records and bags say of it."""

from pathlib import Path

import pytest

from imove_analysis.records import (
    COMPLETED,
    DISCARDED,
    POLICY_LOST,
    REDONE,
    STATES_LOST,
    STOPPED,
    make_record,
    public_outcome,
    public_record,
)
from imove_analysis.testing import make_execution, make_spec
from imove_core.recording import LAST_STEP, BagName, Dossier
from imove_eval.conducting import Conductor, bag_name
from imove_eval.runner import Job
from imove_eval.verdicts import Verdict, judged

OPERATOR = {"success": False, "interventions": [{"text": "caught it"}], "overruled": [], "note": "loud"}


@pytest.mark.parametrize(
    ("outcome", "decision", "becomes"),
    [
        (COMPLETED, "keep", COMPLETED),
        (STOPPED, "keep", COMPLETED),
        (COMPLETED, "redo", REDONE),
        (STOPPED, "redo", REDONE),
        (COMPLETED, "discard", DISCARDED),
        (STATES_LOST, "redo", REDONE),
        # What was lost for a technical reason is no result, whatever somebody says.
        (STATES_LOST, "keep", DISCARDED),
    ],
)
def test_what_becomes_of_a_result(outcome, decision, becomes):
    found = judged(make_execution(outcome=outcome, bag="bags/a"), Verdict(decision, OPERATOR))
    assert found.outcome == becomes
    assert found.operator == OPERATOR
    assert (found.bag is None) == (becomes != COMPLETED)
    assert found.next_may_work == (becomes != COMPLETED)


def test_run_that_was_stopped_before_its_first_answer_is_no_result():
    found = judged(make_execution(outcome=STOPPED, inferences=0), Verdict("keep", OPERATOR))
    assert found.outcome == DISCARDED


def test_record_of_a_stopped_trial_says_where_and_why():
    execution = judged(
        make_execution(outcome=STOPPED, last_step=120, message="stopped by the operator"), Verdict("keep", OPERATOR)
    )
    record = make_record(make_spec(), "normal", 0, execution)
    assert (record["outcome"], record[LAST_STEP], record["message"]) == (COMPLETED, 120, "stopped by the operator")
    assert record["operator"] == OPERATOR and record["prompt_verified"]
    assert "operator" not in make_record(make_spec(), "normal", 0, make_execution())


def test_public_record_names_no_policy():
    execution = make_execution(policy_id="secret", message="secret is gone", outcome="aborted: secret is gone")
    record = make_record(make_spec(), "normal", 0, execution, "secret")
    public = public_record(record, "B")
    assert (public["policy_id"], public["outcome"]) == ("B", "aborted")
    assert public["episode_id"].endswith("/normal/B")
    assert "secret" not in str(public)
    assert public_outcome(POLICY_LOST) == POLICY_LOST


class Recorder:
    """Keeps what it is asked for."""

    def __init__(self):
        self.log = []

    def start(self, key, name):
        self.log.append(("start", key))
        return name_folder(name)

    def finish(self, key, dossier):
        self.log.append(("finish", key))

    def discard(self):
        self.log.append(("discard",))


def name_folder(name):
    return Path("/results/bags") / name.task / f"episode_{name.number:06d}"


def test_trial_is_run_until_it_is_not_to_be_done_again():
    job, recorder = Job(make_spec(3), "empty", 7, "A"), Recorder()
    decisions = iter(["redo", "redo", "keep"])
    conductor = Conductor(
        lambda job: make_execution(),
        lambda job, execution: recorder.log.append(("announce", execution.outcome)),
        recorder,
        lambda job: BagName("test", 3),
        lambda job, execution: Dossier({}, "{}", "{}"),
        Path("/results"),
        lambda job, execution: judged(execution, Verdict(next(decisions), OPERATOR)),
    )
    found = list(conductor([job]))
    assert [execution.outcome for _, execution in found] == [REDONE, REDONE, COMPLETED]
    assert [execution.bag is None for _, execution in found] == [True, True, False]
    once = [("start", "test/scene/003/empty/A"), ("announce", COMPLETED)]
    assert recorder.log == [
        *once, ("discard",), *once, ("discard",), *once, ("finish", "test/scene/003/empty/A"),
    ]  # fmt: skip


def test_bags_of_a_comparison_are_told_apart_by_label():
    specs = [make_spec(index) for index in range(2)]
    assert bag_name(Job(specs[1], "normal", 0, "A"), specs) == BagName("test-A", 1)
    assert bag_name(Job(specs[1], "empty", 0, "B"), specs) == BagName("test-empty-B", 1)
    assert bag_name(Job(specs[1], "normal", 0), specs) == BagName("test", 1)
