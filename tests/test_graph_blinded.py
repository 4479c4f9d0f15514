"""A blinded comparison of two control policies over the graph: killed in mid-trial, resumed, reported."""

import json
import signal

import pytest
from imove_interfaces.msg import EpisodeResult, PolicyStatus

from imove_core import contract

from .graph_helpers import listener, node_processes, records, small_suite

pytestmark = pytest.mark.graph
SCENES = 2
KEY = {"A": "hold", "B": "expert"}


@pytest.fixture
def graph(tmp_path):
    """A simulator, and a node for each policy."""
    with node_processes(tmp_path / "logs") as nodes:
        nodes.simulator()
        for label, name in KEY.items():
            nodes.policy(name, label=label)
        yield nodes


def test_comparison_that_was_killed_goes_on_to_its_report(graph, tmp_path):
    suite, output = small_suite(tmp_path / "small.jsonl", SCENES), tmp_path / "run"

    def evaluate():
        return graph.evaluator(suite, output, episodes=SCENES, policies=",".join(KEY.values()))

    with listener(graph.domain) as listening:
        statuses = listening.hear(PolicyStatus, contract.POLICY_STATUS_TOPIC)
        first = evaluate()
        results = listening.hear(EpisodeResult, contract.RESULT_TOPIC)
        first.wait_for(f"1/{2 * SCENES}  policy ")
        first.signal(signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
        frozen = {name: (output / name).read_bytes() for name in ("order.json", "key.json")}
        again = evaluate()
        assert (again.wait(), again.err) == (0, "")
    assert "finished before" in again.out
    assert {name: (output / name).read_bytes() for name in frozen} == frozen
    for label, name in KEY.items():
        found = records(output / label)
        assert len({record["spec_id"] for record in found}) == len(found) == SCENES
        assert all(record["prompt_verified"] for record in found)
        assert f"{label} was {name}" in again.out
    (pair,) = json.loads((output / "comparison.json").read_text())["paired"]["normal"]
    lift = pair["outcomes"]["strict/lift"]
    assert (lift["only_first"], lift["only_second"], lift["difference"]) == (0, SCENES, 1.0)
    assert (output / "comparison.html").stat().st_size > 0
    # What is on topics, and on the terminal before the end, tells of labels alone.
    before = again.out.partition("Comparison on")[0] + first.out
    told = [message.record_json for message in results] + [message.policy_id for message in statuses]
    assert {message.policy_id for message in statuses} == set(KEY)
    assert not any(name in text for text in [before, *told] for name in KEY.values())
