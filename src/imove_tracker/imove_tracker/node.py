"""The object tracker of the real table: images of the fixed camera and joints in, states of the objects out."""

from __future__ import annotations

from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from imove_interfaces.msg import Episode, EpisodeResult, ObjectStates, TrackerStatus, TrialState
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image, JointState
from tf2_msgs.msg import TFMessage

from imove_core import contract
from imove_core.fixed_camera import fixed_camera
from imove_core.recording import last_step_in
from imove_core.rig import WORLD_FRAME, load_rig
from imove_ros.by_hand import ByHand, Newest, taken
from imove_ros.conversions import depth_mm_from, ns_from_time, positions_of, rgb_from, time_from_ns
from imove_ros.node_main import run_node
from imove_ros.parameters import declare
from imove_ros.qos import ContractTopics
from imove_tasks.assets.library import folders_from, open_library
from imove_tracker.april import TagReader, load_tags
from imove_tracker.conversions import frames_message, rectifier_from, states_message, status_message
from imove_tracker.health import Health
from imove_tracker.pairing import ImagePairs
from imove_tracker.rectifying import Rectifier
from imove_tracker.tracker import Tracker
from imove_tracker.watching import Told, Watching

JOINTS_HZ = 60.0
"""How often the newest joint states are looked at; drivers send two hundred a second."""


class ObjectTracker(Node):
    """Publishes /imove/objects and /imove/tracking at every control tick."""

    def __init__(self) -> None:
        """Reads the parameters and subscribes."""
        super().__init__("object_tracker")
        self._rig = load_rig(declare(self, "rig", "piperx_dual"))
        camera = fixed_camera(self._rig, declare(self, "camera", ""))
        library = open_library(folders_from(declare(self, "assets", "")))
        tags = declare(self, "tags", "")
        reader = TagReader(load_tags(Path(tags))) if tags else None
        self._camera = camera
        self._watching = Watching(self._rig, Tracker(self._rig, library, camera, reader))
        self._images = ImagePairs(declare(self, "image_rate_hz", 10.0))
        self._health = Health(camera.name)
        self._info: CameraInfo | None = None
        self._rectifier: Rectifier | None = None
        topics = ContractTopics(self, self._rig)
        self._objects = topics.publisher(ObjectStates, contract.OBJECTS_TOPIC)
        self._status = topics.publisher(TrackerStatus, contract.TRACKER_TOPIC)
        self._tf = topics.publisher(TFMessage, contract.TF_TOPIC)
        self._diagnostics = topics.publisher(DiagnosticArray, contract.DIAGNOSTICS_TOPIC)
        self._joints = [
            (
                arm,
                Newest(self, JointState, contract.joint_states_topic(arm.name)),
                Newest(self, JointState, contract.joint_target_topic(arm.name)),
            )
            for arm in self._rig.arms
        ]
        self.create_timer(1.0 / JOINTS_HZ, self._take_joints)
        topics.subscribe(Image, contract.color_topic(camera.name), self._on_color)
        topics.subscribe(Image, contract.depth_topic(camera.name), self._on_depth)
        topics.subscribe(CameraInfo, contract.color_info_topic(camera.name), self._on_info)
        self._announcements = [
            (topics.subscribe(message_type, topic, take, callback_group=ByHand()), take)
            for message_type, topic, take in (
                (Episode, contract.EPISODE_TOPIC, self._on_episode),
                (EpisodeResult, contract.RESULT_TOPIC, self._on_result),
                (TrialState, contract.TRIAL_TOPIC, self._on_trial),
            )
        ]
        self.create_timer(1.0, self._report)

    def _take_announcements(self) -> None:
        """Hears of episodes before it tells of ticks, in the order in which they were sent.

        An episode is announced before it begins: however long an image took, no later tick was told of by then.
        """
        come = [
            (info["source_timestamp"], message, take)
            for subscription, take in self._announcements
            for message, info in taken(subscription)
        ]
        for _, message, take in sorted(come, key=lambda item: item[0]):
            take(message)

    def _take_joints(self) -> None:
        self._take_announcements()
        for arm, states, targets in self._joints:
            state, target = states.get(), targets.get()
            if state is not None:
                self._watching.joints.measured(arm.name, ns_from_time(state.header.stamp), positions_of(state, arm))
            if target is not None:
                self._watching.joints.wanted(arm.name, positions_of(target, arm))
        for told in self._watching.due():
            self._publish(told)

    def _on_info(self, message: CameraInfo) -> None:
        if self._info is None or (message.k != self._info.k).any() or message.d != self._info.d:
            self._info = message
            with self._health.working("camera_info"):
                self._rectifier = rectifier_from(message)

    def _on_color(self, message: Image) -> None:
        self._see(self._images.color(ns_from_time(message.header.stamp), message))

    def _on_depth(self, message: Image) -> None:
        self._see(self._images.depth(ns_from_time(message.header.stamp), message))

    def _see(self, pair: tuple[int, Image, Image] | None) -> None:
        if pair is None or not self._watching.tracker.watches or self._rectifier is None:
            return
        stamp_ns, color, depth = pair
        with self._health.working("image"):
            rgb, depth_mm = self._rectifier.color(rgb_from(color)), self._rectifier.depth(depth_mm_from(depth))
            pose = self._camera.parent_from_optical.matrix
            self._watching.tracker.see(stamp_ns, rgb, depth_mm, pose, self._rectifier.intrinsics)
        self._health.looked()
        self._images.looked(self._health.last_s)

    def _on_episode(self, message: Episode) -> None:
        stamp_ns = ns_from_time(message.header.stamp)
        with self._health.working("episode"):
            self._watching.episode(message.episode_id, stamp_ns, message.spec_json)

    def _on_result(self, message: EpisodeResult) -> None:
        self._watching.result(message.episode_id, last_step_in(message.record_json))

    def _on_trial(self, message: TrialState) -> None:
        with self._health.working("trial"):
            self._watching.trial(message.phase, message.spec_json)

    def _publish(self, told: Told) -> None:
        if told.tracked is None:
            empty = ObjectStates(episode_id=told.episode_id, step=told.step)
            empty.header.stamp, empty.header.frame_id = time_from_ns(told.stamp_ns), WORLD_FRAME
            self._objects.publish(empty)
            return
        tracked = told.tracked
        self._objects.publish(states_message(tracked, told.episode_id, told.step, told.positions, told.shown))
        self._status.publish(status_message(tracked, told.episode_id, told.step))
        if self._tf.get_subscription_count():
            self._tf.publish(frames_message(tracked, told.shown))
        self._health.told(tracked)

    def _report(self) -> None:
        if self._health.fault:
            self.get_logger().warning(self._health.fault)
        message = self._health.report(self._rig.name)
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(ObjectTracker)
