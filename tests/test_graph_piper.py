"""The driver of a PiPER as a process of its own, over a CAN server, against an emulated arm."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from importlib import resources

import numpy as np
import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.rig import load_rig
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.faults import ArmFaults, LineFaults
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.serving import LineServer
from imove_hardware.emulation.piper.socketcand import SocketcandServer
from imove_ros.conversions import joint_trajectory, ns_from_time, positions_of

from .graph_helpers import Listener, node_processes, wait_until

pytestmark = pytest.mark.graph
NS = 1_000_000_000
ROW = [0.3, 0.8, -0.6, 0.4, 0.2, 0.1, 0.05]
# A real bus is lost after 0.1 s; the processors of a test may be busy for longer.
BUS_SILENCE_S = 2.0
END_S = 20.0
"""Within which a node ends, also on a busy machine; a graph waits for 10 s."""


@dataclass
class Emulated:
    """A leader and its follower on a line of their own each, behind one server."""

    arm: EmulatedPiper
    leader: EmulatedPiper
    lines: list[Line]
    server: LineServer
    port: int


@pytest.fixture
def emulated():
    """All that the nodes are connected to."""
    arm, leader = EmulatedPiper("arm"), EmulatedPiper("leader", leading=True)
    transport = SocketcandServer(["arm", "arm_leader"])
    lines = [Line("arm", [arm], np.random.default_rng(0)), Line("arm_leader", [leader], np.random.default_rng(1))]
    with LineServer(transport, lines) as server:
        yield Emulated(arm, leader, lines, server, transport.port)


@pytest.fixture
def rig(emulated, tmp_path):
    """A rig file of this lab."""
    content = yaml.safe_load((resources.files("imove_description") / "rigs" / "piperx_single.yaml").read_text())
    bus = f"socketcand:127.0.0.1:{emulated.port}"
    content["hardware"] = {"arms": {"arm": {"bus": f"{bus}/arm", "leader_bus": f"{bus}/arm_leader"}}}
    path = tmp_path / "lab.yaml"
    path.write_text(yaml.safe_dump(content))
    return str(path)


@pytest.fixture
def nodes(tmp_path):
    """Processes in one domain."""
    with node_processes(tmp_path / "graph") as nodes:
        yield nodes


@pytest.fixture
def ear(nodes, rig):
    """A listener."""
    ear = Listener(nodes.domain, rig)
    yield ear
    ear.close()


def there(states, row):
    """Whether the newest state is at a row."""
    arm = load_rig("piperx_single").arm("arm")
    return bool(states) and np.allclose(positions_of(states[-1], arm), row, atol=0.01)


def test_a_driver_and_a_leaders_driver_do_what_the_contract_says(emulated, rig, nodes, ear):
    arm, leader = emulated.arm, emulated.leader
    real = {"use_sim_time": False, "rig": rig, "arm": "arm", "bus_silence_s": BUS_SILENCE_S}
    driver = nodes.start("imove_hardware", "piper_driver", role="follower", **real)
    reader = nodes.start("imove_hardware", "piper_driver", role="leader", **real)
    states = ear.hear(JointState, contract.joint_states_topic("arm"))
    led = ear.hear(JointState, contract.leader_states_topic("arm"))
    targets = ear.hear(JointState, contract.joint_target_topic("arm"))
    health = ear.hear(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
    commands = ear.topics.publisher(JointTrajectory, contract.joint_trajectory_topic("arm"))
    stop = ear.topics.publisher(Bool, contract.EMERGENCY_STOP_TOPIC)
    modes = []

    def mode():
        """Of the arm, as it was told last."""
        for message in list(health)[len(modes) :]:
            modes.append({status.name: status for status in message.status})
        told = [status["arm/arm"] for status in modes if "arm/arm" in status]
        return {item.key: item.value for item in told[-1].values}["mode"] if told else ""

    def send(row, seconds):
        """Sends a command to be there then."""
        commands.publish(joint_trajectory(ear.rig.arm("arm"), time.time_ns(), [round(seconds * NS)], np.array([row])))

    def ask(kind, name, request):
        """The answer of a service."""
        answer = ear.call(kind, name, request)
        return answer.success, answer.message

    wait_until(lambda: mode() == "holding", lambda: f"{modes[-1:]}\n{driver.out}\n{driver.err}")
    wait_until(commands.get_subscription_count, lambda: "nobody takes commands")
    send(ROW, 0.5)
    wait_until(lambda: there(states, ROW), lambda: f"{states[-1:]}\n{driver.err}")
    assert list(states[-1].name) == ["joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "gripper"]
    assert len(states[-1].velocity) == len(states[-1].effort) == 7
    stamps = [ns_from_time(state.header.stamp) for state in states]
    assert stamps == sorted(set(stamps)) and abs(stamps[-1] - time.time_ns()) < 60 * NS
    wait_until(lambda: there(targets, ROW), lambda: f"{targets[-1:]}")

    leader.guide((0.1, 0.2, -0.3, 0.0, 0.0, 0.0), 0.02)
    wait_until(lambda: there(led, [0.1, 0.2, -0.3, 0.0, 0.0, 0.0, 0.02]), lambda: f"{led[-1:]}\n{reader.err}")

    send([0.0] * 7, 5.0)
    stop.publish(Bool(data=True))
    wait_until(lambda: mode() == "locked", lambda: f"{modes[-1:]}")
    stop.publish(Bool(data=False))
    assert ask(SetBool, contract.arm_enable_service("arm"), SetBool.Request(data=False))[0] is False
    wait_until(lambda: ask(Trigger, contract.arm_resume_service("arm"), Trigger.Request())[0], lambda: f"{modes[-1:]}")
    wait_until(lambda: mode() == "holding", lambda: f"{modes[-1:]}")

    arm.faults = ArmFaults(mute=True)
    wait_until(lambda: mode() == "lost", lambda: f"{modes[-1:]}")
    arm.faults = ArmFaults()
    wait_until(lambda: mode() == "locked", lambda: f"{modes[-1:]}\n{driver.err}")
    refused = len(states)
    send(ROW, 0.2)
    wait_until(lambda: "takes no command" in driver.err and len(states) > refused + 5, lambda: driver.err)
    assert ask(Trigger, contract.arm_resume_service("arm"), Trigger.Request())[0]
    wait_until(lambda: mode() == "holding", lambda: f"{modes[-1:]}")
    send(ROW, 0.2)
    wait_until(lambda: there(states, ROW), lambda: f"{states[-1:]}")

    for process in (driver, reader):
        process.signal(signal.SIGTERM)
        assert process.wait() == 0
    heard = arm.report()
    assert all(heard["powered"]) and heard["heard"]["resets"] == heard["heard"]["stops"] == 0
    assert not any(leader.report()["heard"].get(key) for key in ("targets", "refused", "stops", "resets"))


@pytest.mark.parametrize("lost", ["bus", "server"])
def test_drivers_end_in_time_whatever_has_become_of_their_bus(lost, emulated, rig, nodes, ear):
    real = {"use_sim_time": False, "rig": rig, "arm": "arm", "bus_silence_s": BUS_SILENCE_S}
    drivers = [nodes.start("imove_hardware", "piper_driver", role=role, **real) for role in ("follower", "leader")]
    states = ear.hear(JointState, contract.joint_states_topic("arm"))
    led = ear.hear(JointState, contract.leader_states_topic("arm"))
    targets = ear.hear(JointState, contract.joint_target_topic("arm"))
    commands = ear.topics.publisher(JointTrajectory, contract.joint_trajectory_topic("arm"))
    wait_until(lambda: states and led and targets, lambda: "\n".join(process.err for process in drivers))
    wait_until(commands.get_subscription_count, lambda: "nobody takes commands")
    # It is lost on the way, when there is something to bring to rest.
    commands.publish(joint_trajectory(ear.rig.arm("arm"), time.time_ns(), [10 * NS], np.array([ROW])))
    wait_until(lambda: positions_of(targets[-1], ear.rig.arm("arm"))[0] > 0.01, lambda: drivers[0].err)
    if lost == "bus":
        for line in emulated.lines:
            line.faults = LineFaults(cut=True)
    else:
        emulated.server.stop()
    for process in drivers:
        process.signal(signal.SIGTERM)
    assert [process.wait(END_S) for process in drivers] == [0, 0], "\n".join(process.err for process in drivers)
    assert not [process.err for process in drivers if "Traceback" in process.err]
