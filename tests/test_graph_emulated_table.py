"""The emulated table as a node: it lays out what a trial asks for, tells the truth, and breaks on demand."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from imove_interfaces.msg import ObjectStates, TrialState
from imove_interfaces.srv import OperatorCommand

from imove_bringup.emulated_table.node import FAULT_SERVICE, TRUTH_TOPIC
from imove_bringup.emulated_table.rig_file import rig_file
from imove_core import contract
from imove_core.hardware import CameraProfile
from imove_core.rig import load_rig
from imove_ros.conversions import ns_from_time
from imove_ros.qos import profile
from imove_tasks.suites import open_suite

from .graph_helpers import listener, node_processes, wait_until

pytestmark = pytest.mark.graph
SMALL = CameraProfile(width=64, height=48)


def test_table_lays_out_a_trial_and_reports_on_its_arms(tmp_path: Path) -> None:
    """Objects come onto the table when the state of a trial asks for them, with stamps of the system's clock."""
    rig = rig_file(load_rig("piperx_dual"), tmp_path, profile=SMALL)
    spec = open_suite("pick_category/seen").first(1)[0]
    with node_processes(tmp_path / "log") as nodes, listener(nodes.domain) as hearing:
        table = nodes.start(
            "imove_bringup", "emulated_table", rig=str(rig), use_sim_time=False, placing_pause_s=0.05, seed=3
        )
        table.wait_for("is ready")
        heard: list[ObjectStates] = []
        hearing.node.create_subscription(ObjectStates, TRUTH_TOPIC, heard.append, profile(contract.STEPS))
        wait_until(lambda: heard, lambda: "no truth")
        assert not heard[0].objects and abs(ns_from_time(heard[0].header.stamp) - time.time_ns()) < 60e9
        trials = hearing.topics.publisher(TrialState, contract.TRIAL_TOPIC)
        trials.publish(TrialState(phase="laying_out", episode_id="first", trial=1, spec_json=spec.to_json()))
        wait_until(lambda: len(heard[-1].objects) == len(spec.objects), lambda: f"laid out: {heard[-1]}")
        assert heard[-1].episode_id == "first"
        cut = OperatorCommand.Request(command="bus_cut", argument_json='{"arm": "left"}')
        assert hearing.call(OperatorCommand, FAULT_SERVICE, cut).ok
        wrong = hearing.call(OperatorCommand, FAULT_SERVICE, OperatorCommand.Request(command="earthquake"))
        assert not wrong.ok and "'earthquake'; allowed: arm_fault" in wrong.message
        report = hearing.call(OperatorCommand, FAULT_SERVICE, OperatorCommand.Request(command="report"))
        assert [arm["name"] for arm in json.loads(report.message)["arms"]] == ["left", "right"]
        assert table.interrupt() == 0
