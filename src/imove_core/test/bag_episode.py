"""A small whole episode bag to write, and to write wrongly."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from imove_core import contract
from imove_core.bag import messages as make
from imove_core.bag.messages import TypedMessage
from imove_core.bag.topics import BagTopic, bag_topics
from imove_core.bag.types import MessageTypes
from imove_core.bag.writer import BagSummary, BagWriter, WriterSettings
from imove_core.rig import Rig
from imove_core.state import ObjectState, RobotState, StepState

INSTRUCTION = 'Put the "red" mug, né: the left one, on the plate.'
PERIOD_NS = 33_333_333
START_NS = 1_000_000_000
FACTS = {
    "schema": "1",
    "episode_id": "000123",
    "task": "place_a2b",
    "instruction": INSTRUCTION,
    "rig": "piperx_dual",
    "seed": "1e5",
    "success": "true",
    "source": "synthesis",
    "dropped_messages": "0",
}
# Small chunks, and no chunk by time, so that tests see the same bytes each time.
SETTINGS = WriterSettings(chunk_bytes=60_000, flush_s=float("inf"), reserve_bytes=0)

Entry = tuple[str, TypedMessage, int]
Change = Callable[[str, TypedMessage, int], list[Entry]]


def step_state(rig: Rig, step: int) -> StepState:
    """A control step whose numbers all differ."""
    rng = np.random.default_rng(step)
    item = ObjectState(
        id="mug_0",
        position=rng.normal(size=3),
        quaternion_xyzw=rng.normal(size=4),
        box_min=rng.normal(size=3),
        box_max=rng.normal(size=3),
        linear_velocity=rng.normal(size=3) * 1e-17,
        angular_velocity=rng.normal(size=3),
        moved=bool(step % 2),
        held_by=("", "left", "right")[step % 3],
        touched_by=("left", "right")[: step % 3],
        supported_by=("table",),
    )
    robot = RobotState(*(rng.normal(size=rig.size) for _ in range(3)))
    return StepState(START_NS + step * PERIOD_NS, step, robot, (item,))


def image_of(step: int) -> np.ndarray:
    """Pixels (48, 64, 3) uint8 that compress as rendered ones do."""
    pixels = np.zeros((48, 64, 3), np.uint8)
    pixels[10:30, step % 40 : step % 40 + 20] = (200, step % 256, 30)
    return pixels


def entries(rig: Rig, types: MessageTypes, steps: int = 31) -> Iterator[Entry]:
    """Topic, message and stamp of everything in an episode, in the order of recording."""
    yield "/tf_static", make.tf(types, 0, [("world", "left_base", np.eye(4))]), START_NS
    yield contract.ROBOT_DESCRIPTION_TOPIC, make.string(types, "<robot/>"), START_NS
    yield contract.INSTRUCTION_TOPIC, make.string(types, INSTRUCTION), START_NS
    episode = make.episode(
        types,
        START_NS,
        episode_id="000123",
        suite="place_a2b/seen",
        condition="normal",
        rig=rig.name,
        spec_json="{}",
        settled_pose_hash="",
    )
    yield contract.EPISODE_TOPIC, episode, START_NS
    for step in range(steps):
        yield from _step(rig, types, step_state(rig, step))


def _step(rig: Rig, types: MessageTypes, state: StepState) -> Iterator[Entry]:
    stamp = state.stamp_ns
    yield contract.CLOCK_TOPIC, make.clock(types, stamp), stamp
    position, velocity, effort = (
        rig.split(values) for values in (state.robot.positions, state.robot.velocities, state.robot.efforts)
    )
    for arm in rig.arms:
        key, names, none = arm.name, arm.joint_names, np.zeros(0)
        measured = make.joint_state(types, stamp, names, position[key], velocity[key], effort[key])
        yield contract.joint_states_topic(key), measured, stamp
        yield contract.joint_target_topic(key), make.joint_state(types, stamp, names, position[key], none, none), stamp
    yield contract.OBJECTS_TOPIC, make.object_states(types, state, "000123", "world"), stamp
    for camera in rig.cameras:
        frame = camera.optical_frame
        info = make.camera_info(types, stamp, frame, camera.intrinsics.resized(64, 48))
        yield contract.color_info_topic(camera.name), info, stamp
        yield contract.color_topic(camera.name), make.image(types, stamp, frame, image_of(state.step)), stamp


def open_writer(
    folder: Path,
    rig: Rig,
    types: MessageTypes,
    settings: WriterSettings = SETTINGS,
    topics: tuple[BagTopic, ...] | None = None,
) -> BagWriter:
    """A writer of an episode bag that has its facts and no attachment yet."""
    chosen = bag_topics(rig, depth=False) if topics is None else topics
    return BagWriter(folder, chosen, settings, FACTS, INSTRUCTION, types)


def attach_all(writer: BagWriter, rig: Rig) -> None:
    """Adds the files of a finished episode."""
    writer.attach("spec.json", b"{}", "application/json")
    writer.attach("rig.json", rig.model_dump_json().encode(), "application/json")
    writer.attach("labels.json", b'{"schema": 1, "success": true}', "application/json")
    writer.attach("provenance.json", b"{}", "application/json")


def write_episode(
    folder: Path,
    rig: Rig,
    types: MessageTypes,
    settings: WriterSettings = SETTINGS,
    change: Change | None = None,
    steps: int = 31,
) -> BagSummary:
    """Writes a whole episode.

    Args:
        folder: Of the bag.
        rig: Whose topics; none of them is required here, so that `change` can leave one out.
        types: Message types.
        settings: Of the writer.
        change: What becomes of each message: none, one or several.
        steps: Control steps.
    """
    topics = tuple(BagTopic(topic.name, topic.type, topic.qos) for topic in bag_topics(rig, depth=False))
    with open_writer(folder, rig, types, settings, topics) as writer:
        for entry in entries(rig, types, steps):
            for topic, message, stamp in change(*entry) if change else [entry]:
                writer.write(topic, types.serialize(message.message, message.type), stamp, stamp)
        attach_all(writer, rig)
        return writer.finish({})
