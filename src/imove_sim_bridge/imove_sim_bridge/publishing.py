"""Publishes states and images of a rig on the topics of the contract, only where somebody listens."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from imove_interfaces.msg import Episode, ObjectStates
from rclpy.duration import Duration
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.frames import moving_frames, static_frames
from imove_core.rig import WORLD_FRAME, Rig
from imove_core.state import StepState
from imove_core.transforms import Array
from imove_description.urdf import rig_urdf
from imove_ros.conversions import (
    camera_info,
    image_message,
    joint_state,
    object_states,
    time_from_ns,
    transform_message,
)
from imove_ros.qos import ContractTopics
from imove_sim_bridge.backend import CameraFrame

RECEIVED_TIMEOUT = Duration(seconds=1)


class StatePublisher:
    """Joints, objects, clock and TF of each control step; the description once, static frames once an episode."""

    def __init__(self, node: Node, rig: Rig) -> None:
        """Creates the publishers and publishes what never changes."""
        self._rig = rig
        topics = ContractTopics(node, rig)
        self._states = {a.name: topics.publisher(JointState, contract.joint_states_topic(a.name)) for a in rig.arms}
        self._targets = {a.name: topics.publisher(JointState, contract.joint_target_topic(a.name)) for a in rig.arms}
        self._objects = topics.publisher(ObjectStates, contract.OBJECTS_TOPIC)
        self._clock = topics.publisher(Clock, contract.CLOCK_TOPIC)
        self._tf = topics.publisher(TFMessage, contract.TF_TOPIC)
        self._tf_static = topics.publisher(TFMessage, contract.TF_STATIC_TOPIC)
        self._description = topics.publisher(String, contract.ROBOT_DESCRIPTION_TOPIC)
        arms = [(arm.joint_prefix, arm.arm_model, arm.world_from_base.matrix) for arm in rig.arms]
        self._description.publish(String(data=rig_urdf(rig.name, arms)))
        self.begin_episode(rig)

    def begin_episode(self, rig: Rig) -> None:
        """Publishes the frames that stay where they are during an episode.

        Args:
            rig: As it is in the episode (`episode_rig`): its cameras may stand a little off.
        """
        fixed = [transform_message(0, *frame) for frame in static_frames(rig)]
        self._tf_static.publish(TFMessage(transforms=fixed))

    def publish(self, episode_id: str, state: StepState, targets: Array) -> None:
        """Publishes one control step; `targets` (D,) are those in force at its end."""
        stamp_ns, robot = state.stamp_ns, state.robot
        self._clock.publish(Clock(clock=time_from_ns(stamp_ns)))
        positions, velocities = self._rig.split(robot.positions), self._rig.split(robot.velocities)
        efforts, wanted = self._rig.split(robot.efforts), self._rig.split(targets)
        for arm in self._rig.arms:
            key, names = arm.name, arm.joint_names
            message = joint_state(stamp_ns, names, positions[key], velocities[key], efforts[key])
            self._states[key].publish(message)
            empty = np.zeros(0)
            self._targets[key].publish(joint_state(stamp_ns, names, wanted[key], empty, empty))
        self._objects.publish(object_states(state, episode_id, WORLD_FRAME))
        if self._tf.get_subscription_count():
            frames = [transform_message(stamp_ns, *frame) for frame in moving_frames(self._rig, state)]
            self._tf.publish(TFMessage(transforms=frames))


class EpisodePublisher:
    """What the episode is, latched."""

    def __init__(self, node: Node, rig: Rig) -> None:
        """Creates the publishers."""
        topics = ContractTopics(node, rig)
        self._episode = topics.publisher(Episode, contract.EPISODE_TOPIC)
        self._instruction = topics.publisher(String, contract.INSTRUCTION_TOPIC)

    def publish(self, episode: Episode, instruction: str) -> None:
        """Publishes the instruction and then the episode, so that who sees the episode can have both."""
        self._instruction.publish(String(data=instruction))
        self._episode.publish(episode)


class CommandPublisher:
    """The commands that are in force, as they came, for who records or watches.

    In lockstep they come with a service call, so that nobody else would see them.
    """

    def __init__(self, node: Node, rig: Rig) -> None:
        """Creates the publishers."""
        topics = ContractTopics(node, rig)
        self._publishers = {
            arm.name: topics.publisher(JointTrajectory, contract.joint_trajectory_topic(arm.name)) for arm in rig.arms
        }

    def publish(self, arm_names: Sequence[str], commands: Sequence[JointTrajectory]) -> None:
        """Publishes accepted commands, one for each arm named, where somebody listens."""
        for name, command in zip(arm_names, commands, strict=True):
            if self._publishers[name].get_subscription_count():
                self._publishers[name].publish(command)


class CameraPublisher:
    """Colour, aligned depth and intrinsics of every camera."""

    def __init__(self, node: Node, rig: Rig) -> None:
        """Creates the publishers."""
        self._node, self._rig = node, rig
        topics = ContractTopics(node, rig)
        self._publishers: dict[str, Any] = {}
        self._unanswered: set[str] = set()
        for camera in rig.cameras:
            name = camera.name
            for topic, kind in (
                (contract.color_topic(name), Image),
                (contract.color_info_topic(name), CameraInfo),
                (contract.depth_topic(name), Image),
                (contract.depth_info_topic(name), CameraInfo),
            ):
                self._publishers[topic] = topics.publisher(kind, topic)

    def wanted(self, requester: str, requester_wants_images: bool) -> tuple[frozenset[str], frozenset[str]]:
        """Names of cameras whose colour, and whose depth, somebody listens to.

        Args:
            requester: Full name of the node that asks for the step; it counts only if it wants images.
            requester_wants_images: Whether it does.
        """
        colour, depth = set(), set()
        for camera in self._rig.cameras:
            for topic, names in (
                (contract.color_topic(camera.name), colour),
                (contract.depth_topic(camera.name), depth),
            ):
                if self._publishers[topic].get_subscription_count() == 0:
                    continue
                listeners = [
                    f"{info.node_namespace.rstrip('/')}/{info.node_name}"
                    for info in self._node.get_subscriptions_info_by_topic(topic)
                ]
                if requester_wants_images or any(name != requester for name in listeners):
                    names.add(camera.name)
        return frozenset(colour | depth), frozenset(depth)

    def publish(self, stamp_ns: int, frames: Mapping[str, CameraFrame]) -> None:
        """Publishes rendered images with their intrinsics."""
        for name, frame in frames.items():
            optical = self._rig.camera(name).optical_frame
            info = camera_info(stamp_ns, optical, frame.intrinsics)
            self._publishers[contract.color_info_topic(name)].publish(info)
            self._publishers[contract.color_topic(name)].publish(image_message(stamp_ns, optical, frame.rgb))
            if frame.depth_mm is not None:
                self._publishers[contract.depth_info_topic(name)].publish(info)
                depth = image_message(stamp_ns, optical, frame.depth_mm)
                self._publishers[contract.depth_topic(name)].publish(depth)

    def wait_until_received(self) -> None:
        """Waits until every reliable listener has what was published.

        Few images are kept for sending, so in lockstep, where steps follow each other as fast as they are computed, a
        slower listener would miss some. A topic with a listener that does not answer is waited for once an episode.
        """
        for topic, publisher in self._publishers.items():
            if topic not in self._unanswered and publisher.get_subscription_count():
                if not publisher.wait_for_all_acked(RECEIVED_TIMEOUT):
                    self._unanswered.add(topic)
                    self._node.get_logger().warning(f"a listener of {topic} does not answer; it may miss images")

    def begin_episode(self) -> None:
        """Waits for every listener again."""
        self._unanswered.clear()
