"""Episodes spread over workers: deaths, servers that fail, texts for workers elsewhere, plans of several runs."""

import importlib.util
import json
import os
import signal
from contextlib import suppress
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest

from imove_analysis import testing
from imove_analysis.records import COMPLETED, POLICY_FAILED, Execution, make_record
from imove_bringup.evaluation import steady_worker
from imove_bringup.evaluation.fleet import ATTEMPTS, WORKER_LOST, FleetExecutor
from imove_bringup.evaluation.plan import plan_runs
from imove_bringup.evaluation.processes import ProcessFleet
from imove_bringup.evaluation.protocol_file import PROTOCOL, write_protocol
from imove_bringup.evaluation.running import Means, executor
from imove_bringup.evaluation.steady_worker import Answer, SteadyWorker, parse_servers, servers_of
from imove_bringup.evaluation.texts import (
    answer_from,
    answer_text,
    job_from,
    job_text,
    settings_from,
    settings_text,
)
from imove_bringup.in_process import WorkerSettings
from imove_bringup.ray_cluster import LOCAL
from imove_core.errors import ImoveError
from imove_eval.blinded.policies import PolicyChoice
from imove_eval.runner import Job
from imove_tasks.suites import open_suite

SETTINGS = WorkerSettings("piperx_dual", "mujoco", "hold", "receding", (64, 48))
COMMON = {
    "episodes": 1, "condition": "normal", "rig": "", "clock": "lockstep", "scheduler": "receding", "execute_steps": 0,
    "latency": "0", "safety": "default", "sim": "mujoco", "image_width": 64, "image_height": 48,
}  # fmt: skip


def jobs(count):
    return [Job(testing.make_spec(index), "normal", index) for index in range(count)]


class FakeFleet:
    """Workers in memory; those that get certain jobs die of them so many times."""

    def __init__(self, size, deaths=None, answer=None):
        self.size, self.deaths, self.queue, self.started = size, dict(deaths or {}), [], []
        self.answer = answer or Answer(testing.make_execution())
        self.most_at_once = 0

    def start(self, slot):
        self.started.append(slot)

    def submit(self, slot, job):
        self.queue.append((slot, job))
        self.most_at_once = max(self.most_at_once, len(self.queue))

    def wait(self):
        slot, job = self.queue.pop(0)
        if self.deaths.get(job.key, 0):
            self.deaths[job.key] -= 1
            return slot, None
        return slot, self.answer

    def close(self):
        self.queue.clear()


def test_every_job_ends_once_whatever_dies():
    todo, notices = jobs(7), []
    fleet = FakeFleet(3, deaths={todo[0].key: 1, todo[4].key: 2})
    ended = list(FleetExecutor(fleet, notices.append)(todo))
    assert sorted(job.key for job, _ in ended) == sorted(job.key for job in todo)
    assert {execution.outcome for _, execution in ended} == {COMPLETED}
    assert len(notices) == 3
    assert f"episode {todo[0].key} is run again" in notices[0]


def test_no_more_questions_are_in_flight_than_workers():
    fleet = FakeFleet(2)
    list(FleetExecutor(fleet, print)(jobs(9)))
    assert fleet.most_at_once == 2
    fleet = FakeFleet(5)
    list(FleetExecutor(fleet, print)(jobs(2)))
    assert fleet.started == [0, 1]


def test_an_episode_that_kills_its_workers_is_given_up():
    todo = jobs(2)
    fleet = FakeFleet(1, deaths={todo[0].key: 99})
    ended = dict((job.key, execution) for job, execution in FleetExecutor(fleet, lambda text: None)(todo))
    lost = ended[todo[0].key]
    assert (lost.outcome, lost.next_may_work) == (WORKER_LOST, True)
    assert f"{ATTEMPTS} workers died in episode" in lost.message
    assert ended[todo[1].key].outcome == COMPLETED
    fleet = FakeFleet(1, deaths={todo[0].key: 99})
    list(FleetExecutor(fleet, lambda text: None)(todo[:1]))
    # Nobody takes the place of the last one: nothing is left to do.
    assert len(fleet.started) == ATTEMPTS


def test_workers_that_cannot_be_made_end_the_run():
    fleet = FakeFleet(2, answer=Answer(None, error="no such weights"))
    with pytest.raises(ImoveError, match="no such weights"):
        list(FleetExecutor(fleet, print)(jobs(3)))


def test_servers_are_shared_and_inherited_evenly():
    servers = ("a", "b", "c")
    orders = [servers_of(servers, index) for index in range(6)]
    assert [order[0] for order in orders] == ["a", "b", "c", "a", "b", "c"]
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)
    # The two that begin with a do not both turn to b.
    assert {orders[0][1], orders[3][1]} == {"b", "c"}
    assert servers_of(("",), 5) == ("",)


@pytest.mark.parametrize("text", ["a,,b", "a,a", ",a"])
def test_lists_of_servers_that_mean_nothing_are_refused(text):
    with pytest.raises(ImoveError, match="separated by commas"):
        parse_servers(text)


@pytest.fixture
def fake_worker(monkeypatch):
    """A worker whose servers answer or are gone; returns the addresses that were asked."""
    asked, gone = [], set()

    class Fake:
        def __init__(self, settings):
            self.url = settings.policy_url

        def use_server(self, url):
            self.url = url

        def run(self, job):
            asked.append(self.url)
            if self.url in gone:
                return Execution(POLICY_FAILED, None, message=f"{self.url} is gone", next_may_work=True)
            return testing.make_execution()

    monkeypatch.setattr(steady_worker, "Worker", Fake)
    return asked, gone


def test_a_dead_server_costs_no_episode(fake_worker):
    asked, gone = fake_worker
    worker = SteadyWorker(replace(SETTINGS, policy_url="a,b"))
    one, two = jobs(2)
    assert worker.run(one).execution.outcome == COMPLETED
    gone.add("a")
    answer = worker.run(two)
    assert answer.execution.outcome == COMPLETED
    assert answer.notes == (f"a is gone; episode {two.key} goes to b",)
    worker.run(one)
    assert asked == ["a", "a", "b", "b"]


def test_an_episode_fails_where_all_servers_do(fake_worker):
    asked, gone = fake_worker
    gone.update("abc")
    answer = SteadyWorker(replace(SETTINGS, policy_url="a,b,c"), index=1).run(jobs(1)[0])
    assert answer.execution.outcome == POLICY_FAILED
    assert asked == ["b", "c", "a"]


def test_texts_for_workers_elsewhere_say_everything():
    score = testing.make_score(("strict", "reach", "object_0"), ("reference", "lift", "object_1"))
    execution = testing.make_execution(score, trace=b"\x00\xffsteps", phases=("reach",), loop={"late": 1})
    job = jobs(1)[0]
    answer = answer_from(answer_text(Answer(execution, ("said",))))
    assert answer == Answer(execution, ("said",))
    assert make_record(job.spec, "normal", 0, answer.execution) == make_record(job.spec, "normal", 0, execution)
    assert job_from(job_text(job)) == job
    assert answer_from(answer_text(Answer(None, error="why"))) == Answer(None, error="why")
    assert settings_from(settings_text(SETTINGS)) == SETTINGS
    with pytest.raises(ImoveError, match="no answer"):
        answer_from("{}")


def test_a_worker_process_that_is_killed_is_replaced():
    suite = open_suite("pick_category/seen")
    spec = suite.specs[0].model_copy(update={"horizon_steps": 30})
    todo = [Job(spec, condition, 1) for condition in ("normal", "empty")]
    execute = FleetExecutor(ProcessFleet(SETTINGS, 1), lambda text: None)
    try:
        ended = execute(todo)
        job, execution = next(ended)
        assert (job.condition, execution.outcome) == ("normal", COMPLETED)
        (worker,) = active_children()
        os.kill(worker.pid, signal.SIGKILL)
        job, execution = next(ended)
        assert (job.condition, execution.outcome) == ("empty", COMPLETED)
        assert list(ended) == []
    finally:
        execute.close()
    assert active_children() == []


def test_the_death_of_a_worker_that_has_nothing_to_do_is_no_matter():
    spec = open_suite("pick_category/seen").specs[0]
    todo = [Job(spec.model_copy(update={"horizon_steps": steps}), "normal", 1) for steps in (30, 300)]
    fleet, processes = ProcessFleet(SETTINGS, 2), []
    try:
        for slot, job in enumerate(todo):
            fleet.start(slot)
            processes += set(active_children()) - set(processes)
            fleet.submit(slot, job)
        idle, _ = fleet.wait()
        processes[idle].kill()
        processes[idle].join()
        slot, answer = fleet.wait()
        assert (slot, answer.execution.outcome) == (1 - idle, COMPLETED)
    finally:
        fleet.close()


def ray_workers():
    """Ids of the processes of Ray that run our workers."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):
                if (folder / "cmdline").read_bytes().startswith(b"ray::RemoteWorker"):
                    found.append(int(folder.name))
    return found


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is an extra: ./imove setup --ray")
def test_a_cluster_whose_workers_are_killed_gives_the_same():
    specs = [spec.model_copy(update={"horizon_steps": 90}) for spec in open_suite("pick_category/seen").specs[:6]]
    todo = [Job(spec, "normal", 1) for spec in specs]
    means, settings, notices = Means(workers=2, ray=LOCAL), replace(SETTINGS, policy="random_object"), []

    def records(pairs):
        made = [make_record(job.spec, job.condition, 0, execution) for job, execution in pairs]
        kept = [{key: value for key, value in record.items() if key != "wall"} for record in made]
        return sorted(kept, key=lambda record: record["spec_id"])

    with executor(settings, means, notices.append) as execute:
        ended = iter(execute(todo))
        pairs = [next(ended)]
        killed = ray_workers()
        for worker in killed:
            os.kill(worker, signal.SIGKILL)
        pairs += ended
    assert len(killed) == 2
    assert sum("a worker died" in notice for notice in notices) == 2
    with executor(settings, Means(), print) as execute:
        assert records(pairs) == records(execute(todo))


def test_runs_of_a_protocol_have_folders_of_their_own(tmp_path):
    policies = (PolicyChoice("hold"), PolicyChoice("blind:expert"), PolicyChoice("openpi", "pi0_imove", "ws://a"))
    planned = plan_runs(["pick_category/seen", "place_a2b/seen"], policies, (3,), COMMON, tmp_path)
    assert [str(each.folder.relative_to(tmp_path)) for each in planned[:3]] == [
        "pick_category/seen/hold",
        "pick_category/seen/blind-expert",
        "pick_category/seen/openpi-pi0_imove",
    ]
    assert {each.run.settings.seed for each in planned} == {3}
    assert planned[2].policy_url == "ws://a"
    repeated = plan_runs(["pick_category/seen"], policies[:1], (3, 4), COMMON, tmp_path)
    assert [each.folder.name for each in repeated] == ["seed_3", "seed_4"]
    write_protocol(tmp_path, planned)
    write_protocol(tmp_path, repeated)
    runs = json.loads((tmp_path / PROTOCOL).read_text())["runs"]
    assert runs.keys() == {str(each.folder.relative_to(tmp_path)) for each in (*planned, *repeated)}
    assert runs["pick_category/seen/hold/seed_4"]["settings"]["seed"] == 4


def test_runs_that_would_share_a_folder_are_refused(tmp_path):
    twice = (PolicyChoice("hold"), PolicyChoice("hold"))
    with pytest.raises(ImoveError, match="two runs would be written to"):
        plan_runs(["pick_category/seen"], twice, (0,), COMMON, tmp_path)
    folder = tmp_path / "pick_category/seen/hold"
    folder.mkdir(parents=True)
    (folder / "provenance.json").write_text("{}")
    with pytest.raises(ImoveError, match="holds a run without repeats"):
        plan_runs(["pick_category/seen"], twice[:1], (0, 1), COMMON, tmp_path)
    (folder / "provenance.json").unlink()
    (folder / "seed_0").mkdir()
    for name in ("provenance.json", "episodes.jsonl"):
        (folder / "seed_0" / name).write_text("")
    with pytest.raises(ImoveError, match="holds runs with repeats"):
        plan_runs(["pick_category/seen"], twice[:1], (0,), COMMON, tmp_path)


def test_a_damaged_protocol_is_told(tmp_path):
    (tmp_path / PROTOCOL).write_text("[")
    with pytest.raises(ImoveError, match=r"protocol\.json is damaged"):
        write_protocol(tmp_path, [])
