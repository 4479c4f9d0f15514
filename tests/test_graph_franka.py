"""The Franka adapter as a process of its own, between the contract and an emulated franka_ros2."""

from __future__ import annotations

import signal
import time
from importlib import resources

import numpy as np
import pytest
import yaml
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_ros.conversions import joint_trajectory, ns_from_time, positions_of

from .graph_helpers import Listener, node_processes, wait_until

pytestmark = pytest.mark.graph
NS = 1_000_000_000
ROW = [0.3, -0.6, 0.2, -2.2, 0.1, 1.7, 0.9, 0.0]
# A real arm is lost after 0.1 s; the processors of a test may be busy for longer.
SILENCE = {"state_silence_s": 3.0, "hand_silence_s": 10.0}
OBJECT_M = 0.04


@pytest.fixture
def rig(tmp_path):
    """A rig file of this lab."""
    content = yaml.safe_load((resources.files("imove_description") / "rigs" / "fr3_single.yaml").read_text())
    content["hardware"] = {"arms": {"arm": {"bus": "ros2_control:fr3_arm_controller"}}}
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


def test_the_adapter_does_what_the_contract_says_and_comes_back_from_a_reflex_on_a_persons_word(rig, nodes, ear):
    real = {"use_sim_time": False, "rig": rig, "arm": "arm"}
    # On a busy machine messages are late, which an arm with reflexes would answer.
    slow = {"rate_hz": 50, "reflexes": False}
    emulator = nodes.start("imove_hardware", "franka_emulator", object_m=OBJECT_M, **slow, **real)
    adapter = nodes.start("imove_hardware", "franka_adapter", **real, **SILENCE)
    arm = ear.rig.arm("arm")
    states = ear.hear(JointState, contract.joint_states_topic("arm"))
    targets = ear.hear(JointState, contract.joint_target_topic("arm"))
    health = ear.hear(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
    commands = ear.topics.publisher(JointTrajectory, contract.joint_trajectory_topic("arm"))
    stop = ear.topics.publisher(Bool, contract.EMERGENCY_STOP_TOPIC)

    def told(key="mode"):
        """What the arm's diagnostics said last."""
        statuses = [status for message in list(health) for status in message.status if status.name == "arm/arm"]
        return {item.key: item.value for item in statuses[-1].values}[key] if statuses else ""

    def shown():
        """Everything, where something is not as it should be."""
        last = {key: told(key) for key in ("mode", "holding", "robot_mode", "errors", "hand")} if health else {}
        return f"{last}\n{states[-1:]}\n{adapter.err}\n{emulator.err}"

    def reached(mode):
        wait_until(lambda: told() == mode, shown)

    def send(row, seconds):
        """Sends a command to be there then."""
        commands.publish(joint_trajectory(arm, time.time_ns(), [round(seconds * NS)], np.array([row])))

    def there(row, of):
        """Whether the newest message is at a row."""
        return bool(of) and np.allclose(positions_of(of[-1], arm), row, atol=0.01)

    def resume():
        """The answer to a person who lets the arm move again."""
        answer = ear.call(Trigger, contract.arm_resume_service("arm"), Trigger.Request())
        return answer.success, answer.message

    def break_by(fault):
        """Sets a fault of the emulated arm."""
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=fault)
        request = SetParameters.Request(parameters=[Parameter(name="fault", value=value)])
        assert ear.call(SetParameters, "/franka_emulator/set_parameters", request).results[0].successful

    reached("holding")
    wait_until(commands.get_subscription_count, lambda: "nobody takes commands")
    send(ROW, 0.5)
    wait_until(lambda: there([*ROW[:7], OBJECT_M], states), shown)
    wait_until(lambda: there(ROW, targets), shown)
    wait_until(lambda: told("hand") == "holds", shown)
    assert list(states[-1].name) == [*(f"joint{number}" for number in range(1, 8)), "gripper"]
    assert len(states[-1].velocity) == len(states[-1].effort) == 8
    stamps = [ns_from_time(state.header.stamp) for state in states]
    assert stamps == sorted(set(stamps)) and abs(stamps[-1] - time.time_ns()) < 60 * NS

    send([0.0, -0.6, 0.2, -2.2, 0.1, 1.7, 0.9, 0.08], 5.0)
    reached("following")
    stop.publish(Bool(data=True))
    reached("locked")
    assert not resume()[0]
    stop.publish(Bool(data=False))
    wait_until(lambda: resume()[0], shown)
    reached("holding")
    assert "Desk" in ear.call(SetBool, contract.arm_enable_service("arm"), SetBool.Request(data=False)).message

    break_by("joint_reflex")
    wait_until(lambda: told() in ("faulted", "lost") and "joint_reflex" in told("fault"), shown)
    send(ROW, 0.5)
    wait_until(lambda: "takes no command" in adapter.err, shown)
    success, message = resume()
    assert success, f"{message}\n{shown()}"
    reached("holding")
    send([*ROW[:7], 0.08], 0.5)
    wait_until(lambda: there([*ROW[:7], 0.08], states), shown)

    break_by("user_stop")
    wait_until(lambda: "activation device" in told("fault"), shown)
    assert not resume()[0]

    for process in (adapter, emulator):
        process.signal(signal.SIGTERM)
        assert process.wait() == 0, process.err
    refusals = [line for line in emulator.err.splitlines() if "refused" in line]
    assert all("ends in the past" in line for line in refusals), (
        "nothing is refused but what this machine was late with"
    )
