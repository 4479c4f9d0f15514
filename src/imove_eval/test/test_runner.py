"""Running a suite with an executor that lives in memory: skipping, stopping, summing up."""

import json

import pytest

from imove_analysis.records import POLICY_FAILED, POLICY_LOST, Execution, policy_seed
from imove_analysis.runs import EPISODES, SUMMARY
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.errors import ImoveError
from imove_eval import runner
from imove_eval.runner import run_suite
from imove_eval.store import RunStore


class Log:
    """A reporter that keeps what it is told."""

    def __init__(self):
        self.start, self.episodes, self.summaries = None, [], []

    def started(self, total, finished):
        self.start = (total, finished)

    def episode(self, number, total, spec, record):
        self.episodes.append((number, total, spec.id, record["outcome"]))

    def summary(self, summary):
        self.summaries.append(summary)


@pytest.fixture
def specs():
    """Four episodes."""
    return [make_spec(index) for index in range(4)]


@pytest.fixture
def run(tmp_path, make_run, specs):
    """Runs the four scenes, or the first of them, with an executor; returns its sentence, log and store."""

    def go(execute, episodes=4, conditions=("normal",)):
        log, wanted = Log(), make_run(specs, episodes, conditions)
        store = RunStore(tmp_path, wanted.settings, {})
        return run_suite(wanted, execute, store, log), log, store

    return go


@pytest.fixture
def execute():
    """An executor in which every episode with an even number lifts its target; it keeps the jobs that it was given."""

    def run_jobs(jobs):
        for job in jobs:
            run_jobs.jobs.append(job)
            lifted = int(job.spec.id[-3:]) % 2 == 0
            events = [("strict", stage, "object_0") for stage in ("reach", "lift") if lifted]
            yield job, make_execution(make_score(*events), simulator={"engine": "memory"})

    run_jobs.jobs = []
    return run_jobs


def summary(folder):
    return json.loads((folder / SUMMARY).read_text())


def test_every_episode_is_run_and_summed_up(tmp_path, run, execute, specs):
    lost, log, store = run(execute)
    assert lost == ""
    assert log.start == (4, 0)
    assert log.episodes == [(number, 4, spec.id, "completed") for number, spec in enumerate(specs, start=1)]
    assert [job.seed for job in execute.jobs] == [policy_seed(5, spec) for spec in specs]
    assert summary(tmp_path) == log.summaries[-1]
    assert summary(tmp_path)["rubrics"]["strict"]["s_pick"]["mean"] == 0.5
    assert summary(tmp_path)["chance"]["strict"]["reach"] == pytest.approx(1 / 3)
    assert [record["spec_id"] for record in store.records] == [spec.id for spec in specs]


def test_what_is_finished_is_not_run_again(tmp_path, run, execute):
    run(execute, episodes=2)
    before = (tmp_path / EPISODES).read_bytes()
    _, log, _ = run(execute)
    assert log.start == (4, 2)
    assert [item[0] for item in log.episodes] == [3, 4]
    assert [job.spec.id for job in execute.jobs] == [f"test/scene/{index:03d}" for index in range(4)]
    assert (tmp_path / EPISODES).read_bytes().startswith(before)
    after = (tmp_path / EPISODES).read_bytes()
    _, log, _ = run(execute)
    assert (log.start, log.episodes, len(execute.jobs)) == ((4, 4), [], 4)
    assert (tmp_path / EPISODES).read_bytes() == after


def test_summary_is_of_the_episodes_asked_for(tmp_path, run, execute):
    run(execute)
    run(execute, episodes=1)
    assert summary(tmp_path)["n"] == 1
    assert summary(tmp_path)["rubrics"]["strict"]["lift"]["rate"] == 1.0
    assert len((tmp_path / EPISODES).read_text().splitlines()) == 4


def test_order_of_the_file_is_that_of_the_suite(tmp_path, run, execute, specs):
    _, log, _ = run(lambda jobs: reversed(list(execute(jobs))))
    assert [item[2] for item in log.episodes] == [spec.id for spec in reversed(specs)]
    written = [json.loads(line)["spec_id"] for line in (tmp_path / EPISODES).read_text().splitlines()]
    assert written == [spec.id for spec in specs]


def test_lost_policy_stops_the_run_and_the_episode_is_run_again(tmp_path, run, execute, specs):
    def loses_the_policy(jobs):
        for job, execution in execute(jobs):
            if job.spec.id == specs[1].id:
                execution = Execution(POLICY_LOST, None, message="the policy node was lost in episode 1")
            yield job, execution

    lost, log, store = run(loses_the_policy)
    assert lost == "the policy node was lost in episode 1"
    assert [item[3] for item in log.episodes] == ["completed", POLICY_LOST]
    assert (log.summaries, summary(tmp_path)["n"]) == ([], 1)
    lost, log, store = run(execute)
    assert (lost, log.start) == ("", (4, 1))
    assert [record["outcome"] for record in store.records] == ["completed"] * 4


def test_abort_without_a_sentence_still_stops_the_run(run, execute):
    lost, _, _ = run(lambda jobs: [(jobs[0], Execution("aborted: no reason", None))])
    assert lost == "aborted: no reason"


@pytest.fixture
def fails(execute):
    """Makes an executor whose policy fails in the scenes of these numbers."""

    def make(*numbers):
        def run_jobs(jobs):
            for job, execution in execute(jobs):
                if int(job.spec.id[-3:]) in numbers:
                    execution = Execution(POLICY_FAILED, None, message="the server is gone", next_may_work=True)
                yield job, execution

        return run_jobs

    return make


def test_run_goes_on_after_an_answer_that_failed(tmp_path, run, execute, fails):
    lost, log, store = run(fails(1))
    assert lost == "1 of 4 episodes were aborted: the server is gone"
    assert [item[3] for item in log.episodes] == ["completed", POLICY_FAILED, "completed", "completed"]
    written = [json.loads(line) for line in (tmp_path / EPISODES).read_text().splitlines()]
    assert [record["outcome"] for record in written] == [item[3] for item in log.episodes]
    assert (summary(tmp_path)["n"], len(store.records)) == (3, 3)
    lost, log, store = run(execute)
    assert (lost, log.start, len(store.records)) == ("", (4, 3), 4)


def test_policy_that_fails_again_and_again_ends_the_run(run, fails):
    lost, log, _ = run(fails(1, 2, 3))
    assert lost == "the policy failed in 3 episodes one after another: the server is gone"
    assert (len(log.episodes), log.summaries) == (4, [])
    assert run(fails(1, 3))[0] == "2 of 4 episodes were aborted: the server is gone"


def test_run_whose_policy_read_another_text_is_not_valid(tmp_path, run):
    def deaf(jobs):
        for job in jobs:
            yield job, make_execution(make_score(), prompt="" if job.spec.id.endswith("2") else "pick up the mug")

    lost, log, _ = run(deaf)
    assert lost == "the policy did not receive the texts of the specs: the evaluation is not valid"
    assert (summary(tmp_path)["valid"], summary(tmp_path)["language"]["prompt_verified"]["k"]) == (False, 3)
    assert log.summaries[-1]["valid"] is False


def test_summary_grows_with_the_run(tmp_path, run, execute, monkeypatch):
    monkeypatch.setattr(runner, "SUMMARY_PERIOD_S", 0.0)
    sizes = []

    def watched(jobs):
        for item in execute(jobs):
            yield item
            sizes.append(summary(tmp_path)["n"])

    run(watched)
    assert sizes == [1, 2, 3, 4]


def test_run_that_is_interrupted_loses_nothing_finished(tmp_path, run, execute):
    def interrupted(jobs):
        for index, item in enumerate(execute(jobs)):
            if index == 2:
                raise KeyboardInterrupt
            yield item

    with pytest.raises(KeyboardInterrupt):
        run(interrupted)
    assert len((tmp_path / EPISODES).read_text().splitlines()) == summary(tmp_path)["n"] == 2


def test_folder_that_became_unwritable_ends_the_run(tmp_path, run, execute):
    def removes_the_folder(jobs):
        for item in execute(jobs):
            for path in tmp_path.iterdir():
                path.unlink()
            tmp_path.rmdir()
            yield item

    with pytest.raises(ImoveError, match="cannot be written: no such file or directory"):
        run(removes_the_folder)


def test_a_scene_runs_through_all_conditions_before_the_next(run, execute, specs):
    conditions = ("normal", "alternative", "empty")
    _, log, _ = run(execute, episodes=2, conditions=conditions)
    assert log.start == (6, 0)
    assert [(job.spec.id, job.condition) for job in execute.jobs] == [
        (spec.id, condition) for spec in specs[:2] for condition in conditions
    ]
    assert {job.seed for job in execute.jobs if job.spec is specs[0]} == {policy_seed(5, specs[0])}


def test_conditions_and_scenes_can_be_added_to_a_run(tmp_path, run, execute, specs):
    run(execute, episodes=1, conditions=("alternative",))
    run(execute, episodes=2, conditions=("normal", "empty"))
    _, log, _ = run(execute, episodes=3, conditions=("normal", "alternative", "empty"))
    assert log.start == (9, 5)
    grown = (tmp_path / EPISODES).read_bytes()
    assert len(execute.jobs) == 9
    assert set(summary(tmp_path)["by_condition"]) == {"normal", "alternative", "empty"}
    for path in tmp_path.iterdir():
        path.unlink()
    run(execute, episodes=3, conditions=("normal", "alternative", "empty"))
    assert (tmp_path / EPISODES).read_bytes() == grown


def test_summary_is_of_the_conditions_asked_for(tmp_path, run, execute):
    run(execute, conditions=("normal", "empty"))
    run(execute, conditions=("normal",))
    assert summary(tmp_path)["n"] == 4
    assert len((tmp_path / EPISODES).read_text().splitlines()) == 8


def test_executor_that_ends_out_of_order_leaves_the_same_file(tmp_path, run, execute):
    conditions = ("normal", "generic", "scrambled")
    run(execute, conditions=conditions)
    in_order = (tmp_path / EPISODES).read_bytes(), summary(tmp_path)
    for path in tmp_path.iterdir():
        path.unlink()
    run(lambda jobs: reversed(list(execute(jobs))), conditions=conditions)
    assert ((tmp_path / EPISODES).read_bytes(), summary(tmp_path)) == in_order
