"""A series of graphs against `imove eval` of the same words: interrupted, continued, the same to the last bit."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from imove_bringup.graphs import graph_definition

from .graph_helpers import node_processes, records, small_suite, wait_until

pytestmark = [pytest.mark.graph, pytest.mark.timeout(300)]
STARTED = "[evaluator-3]: started with pid"
RUNS = ("pick_category/small/hold", "pick_category/small/random_object")


def files(output: Path) -> set[str]:
    """What a protocol has written, but for logs and locks."""
    names = {str(path.relative_to(output)) for path in output.rglob("*") if path.is_file()}
    return {name for name in names if "log" not in Path(name).parts and not name.endswith(".lock")}


@pytest.fixture(scope="module")
def suite(tmp_path_factory) -> str:
    """A suite of one short scene."""
    return str(small_suite(tmp_path_factory.mktemp("suite") / "small.jsonl", 1, horizon_steps=15))


def imove_eval(suite: str, output: Path) -> str:
    """Gives the command without a graph; returns what it printed."""
    words = ["--suites", suite, "--policies", "hold,random_object", "--conditions", "normal,empty"]
    words += ["--episodes", "1", "--image-size", "64x48", "--out", str(output)]
    command = [sys.executable, "-m", "imove_bringup.cli", "eval", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=100).stdout


def test_a_series_comes_to_what_the_command_does(suite, tmp_path):
    series, command = tmp_path / "series", tmp_path / "command"
    texts = {"suites": suite, "policies": "hold,random_object", "conditions": "normal,empty", "episodes": "1"}
    (process,) = graph_definition("sim_eval").graph({**texts, "image_size": "64x48", "output": str(series)}).nodes
    with node_processes(tmp_path / "nodes") as nodes:
        interrupted = nodes.start_described(process)
        second = "run 2 of 2: pick_category/small, normal,empty, policy random_object, seed 0"
        interrupted.wait_for(second)
        wait_until(lambda: STARTED in interrupted.out.partition(second)[2], lambda: f"no {STARTED}: {interrupted.out}")
        assert (interrupted.interrupt(), "goes on from here" in interrupted.err) == (130, True)
        pids = re.findall(r"started with pid (\d+)", interrupted.out)
        assert pids and not any(Path("/proc", pid).exists() for pid in pids)

        again = nodes.start_described(process)
        assert (again.wait(), again.err) == (0, "")
        assert "2 episodes, 2 finished before" in again.out
        assert again.out.count(STARTED) == 1

        nothing_left = nodes.start_described(process)
        assert (nothing_left.wait(), nothing_left.err) == (0, "")
        assert nothing_left.out.count("2 episodes, 2 finished before") == 2
        assert "started with pid" not in nothing_left.out

    imove_eval(suite, command)
    assert files(series) == files(command)
    assert json.loads((series / "protocol.json").read_text()) == json.loads((command / "protocol.json").read_text())
    for run in RUNS:
        assert records(series / run) == records(command / run)
        assert (series / run / "summary.json").read_bytes() == (command / run / "summary.json").read_bytes()
    # The folder of one is gone on with by the other.
    assert imove_eval(suite, series).count("2 episodes, 2 finished before") == 2
