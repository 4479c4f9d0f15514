"""The node that tells where everything of a real rig is: its description, fixed frames once, arms as they move."""

from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from imove_core import contract
from imove_core.frames import arm_frames, static_frames
from imove_core.rig import Arm, load_rig
from imove_description.urdf import rig_urdf
from imove_ros.by_hand import Newest
from imove_ros.conversions import ns_from_time, positions_of, transform_message
from imove_ros.node_main import run_node
from imove_ros.parameters import declare
from imove_ros.qos import ContractTopics


class RigFrames(Node):
    """Publishes what the simulator publishes of its rig, from what the drivers of a real one measure."""

    def __init__(self) -> None:
        """Reads the rig and publishes what never changes."""
        super().__init__("rig_frames")
        rig = load_rig(declare(self, "rig", "piperx_dual"))
        topics = ContractTopics(self, rig)
        self._tf = topics.publisher(TFMessage, contract.TF_TOPIC)
        self._static = topics.publisher(TFMessage, contract.TF_STATIC_TOPIC)
        self._description = topics.publisher(String, contract.ROBOT_DESCRIPTION_TOPIC)
        arms = [(arm.joint_prefix, arm.arm_model, arm.world_from_base.matrix) for arm in rig.arms]
        self._description.publish(String(data=rig_urdf(rig.name, arms)))
        self._static.publish(TFMessage(transforms=[transform_message(0, *frame) for frame in static_frames(rig)]))
        self._states = {arm.name: Newest(self, JointState, contract.joint_states_topic(arm.name)) for arm in rig.arms}
        self._told: dict[str, int] = {}
        # Joint states come faster than anybody looks at frames.
        self._timer = self.create_timer(1.0 / rig.control_rate_hz, lambda: self._publish(rig.arms))

    def _publish(self, arms: tuple[Arm, ...]) -> None:
        if not self._tf.get_subscription_count():
            return
        moved = []
        for arm in arms:
            state = self._states[arm.name].get()
            stamp_ns = 0 if state is None else ns_from_time(state.header.stamp)
            if stamp_ns and stamp_ns != self._told.get(arm.name):
                self._told[arm.name] = stamp_ns
                moved += [transform_message(stamp_ns, *frame) for frame in arm_frames(arm, positions_of(state, arm))]
        if moved:
            self._tf.publish(TFMessage(transforms=moved))


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(RigFrames)
