"""Episode bags for tests: as a simulator records them in step, and as a table with its own clocks does."""

import copy
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from imove_core import contract
from imove_core.bag import messages
from imove_core.bag.messages import TypedMessage
from imove_core.bag.topics import COMPRESSED_IMAGE, bag_topics
from imove_core.bag.types import message_types
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_core.rig import Rig, load_rig
from imove_core.state import ObjectState, RobotState, StepState

STEP_NS = 33_333_333
TARGET = "object_0"
SEEN = ("take the red mug", "get the red mug")
WIDTH, HEIGHT = 64, 48
Sent = tuple[int, str, TypedMessage]
"""Time of arrival, topic and message."""
STAMPED = np.dtype([("stamp", np.int64), ("positions", np.float64, (14,))])


@dataclass
class Episode:
    """What a test bag holds; tests change single things."""

    rig: Rig = field(default_factory=lambda: load_rig("piperx_dual"))
    steps: int = 12
    name: str = "episode_000000"
    instruction: str = "pick up the red mug"
    jpeg: bool = False
    labelled: bool = True
    seed: int = 0
    size: tuple[int, int] = (WIDTH, HEIGHT)
    custom: dict[str, str] = field(default_factory=dict)
    change: Callable[[list[Sent]], list[Sent]] = lambda sent: sent
    step_ns: int = STEP_NS
    idle: tuple[int, int] = (-1000, 1000)
    """Steps between which it moves."""

    def state(self, step: float) -> np.ndarray:
        """Measured positions (D,) at a step: smooth, and different for every joint and seed."""
        phase = np.arange(self.rig.size) + self.seed
        return self.rig.home_positions + 0.02 * np.sin(0.3 * np.clip(step, *self.idle) + phase) * self.moving

    def target(self, step: float) -> np.ndarray:
        """Targets in force at a step."""
        return self.state(step) + 0.001 * (1 + np.arange(self.rig.size)) * self.moving

    def sent(self) -> list[Sent]:
        """All messages."""
        return [*_latched(self), *_steps(self)]

    @property
    def moving(self) -> np.ndarray:
        """1 for the joints of the first arm: the others stand still, as with two arms and one object."""
        return (np.arange(self.rig.size) < self.rig.arms[0].size).astype(float)

    def pixels(self, camera: int, step: float) -> np.ndarray:
        """A smooth image (H, W, 3) that differs for each camera and step."""
        width, height = self.size
        x, y = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
        waves = [np.sin(3 * x + step / 10 + camera), np.cos(2 * y + self.seed + step / 20), x * y + 0.05 * step % 1]
        return np.clip(np.stack(waves, axis=-1) * 90 + 128, 0, 255).astype(np.uint8)


@dataclass
class Table(Episode):
    """As a teleoperated table records: joints at 200 Hz, cameras with their own clocks, late and lost messages.

    Attributes:
        sent_states: Stamp and positions of what was measured.
        sent_targets: The same of what was commanded.
        sent_images: Camera number and step of each image that arrived, by camera.
    """

    sent_states: np.ndarray = field(default_factory=lambda: np.zeros(0, STAMPED))
    sent_targets: np.ndarray = field(default_factory=lambda: np.zeros(0, STAMPED))
    sent_images: dict[str, list[tuple[int, float]]] = field(default_factory=dict)

    def sent(self) -> list[Sent]:
        """All messages: stamps jitter, and messages arrive up to 15 ms after them."""
        rng = np.random.default_rng(self.seed)
        end_ns = self.steps * self.step_ns
        self.sent_states = self._rows(np.arange(0, end_ns, 5_000_000), self.state)
        commanded = np.arange(0, end_ns, self.step_ns) + rng.integers(0, 4_000_000, self.steps)
        self.sent_targets = self._rows(commanded, self.target)
        sent = [*_latched(self)]
        for arm in self.rig.arms:
            for topic, rows in (
                (contract.joint_states_topic(arm.name), self.sent_states),
                (contract.joint_target_topic(arm.name), self.sent_targets),
            ):
                for stamp_ns, positions in rows.tolist():
                    mine = self.rig.split(np.array(positions))[arm.name]
                    message = joint_state(self, stamp_ns, arm.joint_names, mine)
                    sent.append((stamp_ns + 2_000_000, topic, message))
        types = message_types()
        for number, camera in enumerate(self.rig.cameras):
            # Each camera starts at its own time, jitters by a millisecond, and loses one image in ten but the first.
            stamps = np.arange(self.steps) * self.step_ns + 7_000_000 * number + rng.integers(0, 10**6, self.steps)
            arrived = (rng.random(self.steps) > 0.1) | (np.arange(self.steps) == 0)
            self.sent_images[camera.name] = [(number, int(s) / self.step_ns) for s in stamps[arrived]]
            info = messages.camera_info(types, 0, camera.optical_frame, camera.intrinsics)
            sent.append((0, contract.color_info_topic(camera.name), info))
            for stamp_ns in stamps[arrived].tolist():
                message = jpeg_of(self.pixels(number, stamp_ns / self.step_ns), stamp_ns)
                sent.append(
                    (stamp_ns + int(rng.integers(5, 15)) * 10**6, contract.compressed_topic(camera.name), message)
                )
        return sent

    def _rows(self, stamps: np.ndarray, positions: Callable[[float], np.ndarray]) -> np.ndarray:
        return np.array([(s, positions(s / self.step_ns)) for s in stamps.tolist()], STAMPED)

    @staticmethod
    def reversed_joints(episode: Episode) -> Episode:
        """The same episode with the joints of the left arm the other way round in every message."""

        def change(sent: list[Sent]) -> list[Sent]:
            return [
                (at, topic, _turned(message) if topic == "/left/joint_states" else message)
                for at, topic, message in sent
            ]

        return replace(episode, change=change)


def _turned(typed: TypedMessage) -> TypedMessage:
    message = copy.copy(typed.message)
    message.name, message.position = message.name[::-1], np.ascontiguousarray(message.position[::-1])
    return TypedMessage(typed.type, message)


def write_bag(dataset: Path, episode: Episode, task: str = "pick_category") -> Path:
    """Writes the bag and returns its folder."""
    types = message_types()
    rig = episode.rig
    sent = episode.change(episode.sent())
    names = {topic for _, topic, _ in sent}
    jpeg = [camera.name for camera in rig.cameras] if episode.jpeg else []
    topics = [
        type(topic)(topic.name, topic.type, topic.qos) for topic in bag_topics(rig, False, jpeg) if topic.name in names
    ]
    custom = {
        "schema": "1",
        "rig": rig.name,
        "instruction": episode.instruction,
        "task": task,
        "split": "seen",
        "condition": "normal",
        "source": "synthesis",
        "success": "true",
        "spec_hash": "0" * 64,
        **episode.custom,
    }
    folder = dataset / task / episode.name
    settings = WriterSettings(reserve_bytes=0, flush_s=float("inf"))
    with BagWriter(folder, topics, settings, custom, episode.instruction, types) as writer:
        for stamp_ns, topic, (kind, message) in sorted(sent, key=lambda item: item[0]):
            writer.write(topic, types.serialize(message, kind), stamp_ns, stamp_ns)
        writer.attach("rig.json", rig.model_dump_json().encode(), "application/json")
        if episode.labelled:
            writer.attach("labels.json", json.dumps(_labels(episode)).encode(), "application/json")
        writer.finish({})
    return folder


def joint_state(episode: Episode, stamp_ns: int, names: Sequence[str], positions: Sequence[float]) -> TypedMessage:
    """A joint state without velocities and efforts."""
    return messages.joint_state(message_types(), stamp_ns, names, positions, (), ())


def jpeg_of(pixels: np.ndarray, stamp_ns: int) -> TypedMessage:
    """An image as a camera driver compresses it."""
    types = message_types()
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, "JPEG", quality=95, subsampling=0)
    message = types.make(
        COMPRESSED_IMAGE,
        header=_header(stamp_ns),
        format="rgb8; jpeg compressed bgr8",
        data=np.frombuffer(data.getvalue(), np.uint8),
    )
    return TypedMessage(COMPRESSED_IMAGE, message)


def _header(stamp_ns: int) -> Any:
    types = message_types()
    stamp = types.make("builtin_interfaces/msg/Time", sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)
    return types.make("std_msgs/msg/Header", stamp=stamp, frame_id="camera")


def _latched(episode: Episode) -> list[Sent]:
    types = message_types()
    texts = {contract.ROBOT_DESCRIPTION_TOPIC: "<robot/>", contract.INSTRUCTION_TOPIC: episode.instruction}
    return [(0, topic, messages.string(types, text)) for topic, text in texts.items()]


def _steps(episode: Episode) -> list[Sent]:
    types, rig = message_types(), episode.rig
    sent: list[Sent] = []
    for step in range(episode.steps + 1):
        stamp_ns = step * episode.step_ns
        state, target = rig.split(episode.state(step)), rig.split(episode.target(step))
        for arm in rig.arms:
            names = arm.joint_names
            measured = joint_state(episode, stamp_ns, names, state[arm.name])
            sent.append((stamp_ns, contract.joint_states_topic(arm.name), measured))
            goal = joint_state(episode, stamp_ns, names, target[arm.name])
            sent.append((stamp_ns, contract.joint_target_topic(arm.name), goal))
        for number, camera in enumerate(rig.cameras):
            pixels = episode.pixels(number, step)
            info = messages.camera_info(types, stamp_ns, camera.optical_frame, camera.intrinsics)
            sent.append((stamp_ns, contract.color_info_topic(camera.name), info))
            if episode.jpeg:
                sent.append((stamp_ns, contract.compressed_topic(camera.name), jpeg_of(pixels, stamp_ns)))
            else:
                image = messages.image(types, stamp_ns, camera.optical_frame, pixels)
                sent.append((stamp_ns, contract.color_topic(camera.name), image))
        if episode.labelled:
            sent += _label_messages(episode, step, stamp_ns)
    return sent


def _label_messages(episode: Episode, step: int, stamp_ns: int) -> list[Sent]:
    types = message_types()
    half = episode.steps // 2
    phase = "approach" if step < half else "lift"
    held = "left" if step >= half else ""
    zeros = np.zeros(3)
    item = ObjectState(TARGET, zeros, np.array([0.0, 0, 0, 1]), zeros, zeros + 0.1, zeros, zeros, held_by=held)
    robot = RobotState(*(np.zeros(episode.rig.size) for _ in range(3)))
    objects = messages.object_states(types, StepState(stamp_ns, step, robot, (item,)), "e", "world")
    sent = [
        (stamp_ns, contract.OBJECTS_TOPIC, objects),
        (stamp_ns, contract.PHASE_TOPIC, messages.phase(types, stamp_ns, episode_id="e", step=step, phase=phase)),
    ]
    if step == half:
        event = messages.stage_event(
            types,
            stamp_ns,
            episode_id="e",
            rubric="strict",
            stage="reach",
            object_id=TARGET,
            destination_id="",
            is_target=True,
            elapsed_s=stamp_ns / 1e9,
        )
        sent.append((stamp_ns, contract.STAGE_EVENTS_TOPIC, event))
    return sent


def _labels(episode: Episode) -> dict[str, Any]:
    return {
        "schema": 1,
        "instruction": episode.instruction,
        "target": TARGET,
        "paraphrases": {"seen": list(SEEN), "unseen": ["never shown"]},
        "success": True,
    }
