"""Comparisons with an executor that lives in memory: interleaving, resuming, unblinding."""

import json
from dataclasses import replace

import pytest
from rich.console import Console

from imove_analysis.records import DISCARDED, POLICY_FAILED, POLICY_LOST, REDONE
from imove_analysis.runs import EPISODES
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.errors import ImoveError
from imove_eval.blinded.comparison import compare_policies
from imove_eval.blinded.folder import KEY, ORDER
from imove_eval.blinded.order import draw_order
from imove_eval.blinded.policies import PolicyChoice
from imove_eval.blinded.report import COMPARISON, PAGE, TEXT, TerminalReporter, page_of
from imove_eval.blinded.runner import run_study
from imove_eval.blinded.study import Study
from imove_tasks.stages import RUBRICS

NAMES = {"A": "hold", "B": "expert"}


@pytest.fixture
def study(make_run):
    """Six scenes, two policies: B succeeds always, A in every third scene."""
    run = make_run([make_spec(index) for index in range(6)], 6)
    runs = {label: replace(run, settings=replace(run.settings, policy=name)) for label, name in NAMES.items()}
    order = draw_order([spec.id for spec in run.specs], run.conditions, "AB", run.settings.seed)
    return Study({label: PolicyChoice(name) for label, name in NAMES.items()}, runs, order)


@pytest.fixture
def execute():
    """Runs jobs; `results` may say what comes of some of them first."""

    def run_jobs(jobs):
        for job in jobs:
            while True:
                run_jobs.seen.append((job.spec.id, job.label))
                succeeds = job.label == "B" or int(job.spec.id[-3:]) % 3 == 0
                events = [("strict", stage, "object_0") for stage in ("reach", "lift") if succeeds]
                changes = run_jobs.results.pop((job.spec.id, job.label), {})
                execution = make_execution(make_score(*events), simulator={"engine": "memory"}, **changes)
                yield job, execution
                if execution.outcome != REDONE:
                    break

    run_jobs.seen, run_jobs.results = [], {}
    return run_jobs


@pytest.fixture
def go(study, execute, tmp_path, capsys):
    """Runs the comparison once; returns its sentence and what it printed."""

    def run():
        console = Console(width=120)
        reporter = TerminalReporter(console, study.title, tmp_path)
        return run_study(study, execute, study.open(tmp_path, {"domain": "sim"}), reporter), capsys.readouterr().out

    return run


def test_trials_are_run_in_the_frozen_order_and_compared(go, study, execute, tmp_path):
    sentence, printed = go()
    assert sentence == ""
    assert execute.seen == [(trial.spec_id, trial.label) for trial in study.order.trials]
    assert "A was hold" in printed and "B was expert" in printed
    found = json.loads((tmp_path / COMPARISON).read_text())
    (pair,) = found["paired"]["normal"]
    assert (pair["first"], pair["second"]) == ("A", "B")
    lift = pair["outcomes"]["strict/lift"]
    assert (lift["only_first"], lift["only_second"], lift["both"]) == (0, 4, 2)
    assert lift["difference"] == pytest.approx(4 / 6)
    assert lift["p"] == pytest.approx(0.125)
    assert lift["ci95"][0] < lift["difference"] < lift["ci95"][1]
    assert found["policies"]["B"]["by_condition"]["normal"]["outcomes"]["strict/success"]["k"] == 6
    assert found["valid"] and found["primary"] == "strict/success"
    assert "B less A" in (tmp_path / TEXT).read_text()
    page = (tmp_path / PAGE).read_text()
    assert "hold" in page and "+0.667" in page and "http" not in page


def test_nothing_names_a_policy_before_the_end(go, study, execute, tmp_path):
    last = study.order.trials[-1]
    execute.results[last.spec_id, last.label] = {"outcome": POLICY_LOST, "message": "expert is gone"}
    sentence, printed = go()
    assert sentence == f"trial 12 of policy {last.label} was {POLICY_LOST}"
    assert "expert" not in printed + sentence and "hold" not in printed
    assert printed.count("policy A") == printed.count("policy B") == 6
    assert "expert" not in (tmp_path / ORDER).read_text()
    assert not (tmp_path / COMPARISON).exists()


def test_killed_comparison_goes_on_and_repeats_nothing(go, study, execute, tmp_path):
    lost = study.order.trials[5]
    execute.results[lost.spec_id, lost.label] = {"outcome": POLICY_LOST}
    assert go()[0]
    (tmp_path / lost.label / EPISODES).open("a").write('{"half a li')
    before = {name: (tmp_path / name).read_bytes() for name in (ORDER, KEY)}
    sentence, printed = go()
    assert sentence == "" and "5 finished before" in printed
    assert execute.seen[:6] == [(trial.spec_id, trial.label) for trial in study.order.trials[:6]]
    assert execute.seen[6:] == [(trial.spec_id, trial.label) for trial in study.order.trials[5:]]
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    for label in "AB":
        lines = [json.loads(line) for line in (tmp_path / label / EPISODES).read_text().splitlines()]
        assert len({line["spec_id"] for line in lines}) == len(lines) == 6


def test_redone_trial_counts_once_and_discarded_one_is_missing(go, study, execute, tmp_path):
    redone, discarded = study.order.trials[0], study.order.trials[3]
    operator = {"success": None, "interventions": [], "overruled": [], "note": "bumped the table"}
    for trial, outcome in ((redone, REDONE), (discarded, DISCARDED)):
        told = {"outcome": outcome, "next_may_work": True, "operator": operator}
        execute.results[trial.spec_id, trial.label] = told
    assert go()[0] == "1 of 12 trials are not finished"
    assert len(execute.seen) == 13
    lines = [json.loads(line) for label in "AB" for line in (tmp_path / label / EPISODES).open()]
    marked = {(line["spec_id"], line["outcome"]) for line in lines if line["outcome"] != "completed"}
    assert marked == {(redone.spec_id, REDONE), (discarded.spec_id, DISCARDED)}
    assert all(line["operator"]["note"] == "bumped the table" for line in lines if "operator" in line)
    assert go()[0] == ""
    assert execute.seen[13:] == [(discarded.spec_id, discarded.label)]


def test_policy_that_fails_again_and_again_ends_the_comparison(go, study, execute):
    for trial in study.order.trials:
        told = {"outcome": POLICY_FAILED, "message": "expert: no answer", "next_may_work": True}
        execute.results[trial.spec_id, trial.label] = told
    assert go()[0].startswith("trial 3 of policy ")


def test_operators_word_is_what_is_compared_where_every_trial_has_one(study):
    def record(spec_id, success):
        stages = {rubric: {"reach": 0, "lift": 0, "s_pick": 0.0, "success": False} for rubric in RUBRICS}
        operator = {"success": success, "interventions": [{"text": "caught it", "elapsed_s": 3.0}], "overruled": []}
        return {"spec_id": spec_id, "condition": "normal", "score": {"rubrics": stages}, "operator": operator}

    specs = [spec.id for spec in study.runs["A"].specs]
    records = {label: [record(spec_id, label == "B") for spec_id in specs] for label in "AB"}
    summaries = {label: {"valid": True} for label in "AB"}
    found = compare_policies(study, records, summaries)
    assert found["primary"] == "operator/success"
    assert found["policies"]["A"]["interventions"] == 6
    (pair,) = found["paired"]["normal"]
    assert pair["outcomes"]["operator/success"]["difference"] == 1.0
    assert pair["outcomes"]["operator/success"]["p"] == pair["outcomes"]["operator/success"]["p_holm"] == 0.03125
    assert "Success, says the operator" in page_of(found)
    records["A"][0]["operator"]["success"] = None
    assert compare_policies(study, records, summaries)["primary"] == "strict/success"


def test_folder_of_a_single_run_is_refused(study, tmp_path):
    (tmp_path / EPISODES).touch()
    with pytest.raises(ImoveError, match="holds the run of one policy"):
        study.open(tmp_path, {})
