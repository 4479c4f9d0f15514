"""Which topics an episode bag holds, from the topic contract of the rig."""

from collections.abc import Collection
from dataclasses import dataclass

from imove_core import contract
from imove_core.contract import Qos
from imove_core.errors import unknown_name
from imove_core.rig import Rig

COMPRESSED_IMAGE = "sensor_msgs/msg/CompressedImage"
# What tells about the recording is no part of it.
_NOT_RECORDED = frozenset(
    {
        contract.RECORDER_STATUS_TOPIC,
        contract.DIAGNOSTICS_TOPIC,
        contract.TRIAL_TOPIC,
        contract.LAYOUT_VIEW_TOPIC,
        contract.TELEOP_TOPIC,
    }
)


@dataclass(frozen=True)
class BagTopic:
    """A topic of a bag.

    Attributes:
        name: Absolute name.
        type: `package/msg/Type`.
        qos: What the publisher offers.
        required: A bag without a message of it is no demonstration and is refused.
    """

    name: str
    type: str
    qos: Qos
    required: bool = False


def bag_topics(rig: Rig, depth: bool, jpeg: Collection[str] = ()) -> tuple[BagTopic, ...]:
    """Topics of an episode bag.

    Args:
        rig: Whose topics.
        depth: Whether depth images are recorded.
        jpeg: Names of cameras whose colour comes as the driver's JPEG instead of raw images.

    Raises:
        ImoveError: `jpeg` names a camera that the rig has not.
    """
    names = [camera.name for camera in rig.cameras]
    for name in jpeg:
        if name not in names:
            raise unknown_name(f"camera of rig {rig.name}", name, names)
    left_out = set(_NOT_RECORDED) | {contract.compressed_topic(name) for name in names}
    if not depth:
        left_out |= {topic for name in names for topic in (contract.depth_topic(name), contract.depth_info_topic(name))}
    as_jpeg = {contract.color_topic(name): contract.compressed_topic(name) for name in jpeg}
    required = set(required_topics(rig))
    return tuple(
        BagTopic(
            as_jpeg.get(topic.name, topic.name),
            COMPRESSED_IMAGE if topic.name in as_jpeg else topic.type,
            topic.qos,
            topic.name in required,
        )
        for topic in contract.topics(rig)
        if topic.name not in left_out
    )


def required_topics(rig: Rig) -> tuple[str, ...]:
    """Topics without which a bag is no demonstration; JPEG may stand for a raw image (`missing_topics`)."""
    cameras = [camera.name for camera in rig.cameras]
    arms = [arm.name for arm in rig.arms]
    return (
        *(topic for name in cameras for topic in (contract.color_topic(name), contract.color_info_topic(name))),
        *(topic for name in arms for topic in (contract.joint_states_topic(name), contract.joint_target_topic(name))),
        "/tf_static",
        contract.ROBOT_DESCRIPTION_TOPIC,
        contract.EPISODE_TOPIC,
        contract.INSTRUCTION_TOPIC,
        contract.OBJECTS_TOPIC,
    )


def missing_topics(rig: Rig, present: Collection[str]) -> tuple[str, ...]:
    """Required topics that neither themselves nor as JPEG are among `present`."""
    stand_ins = {contract.color_topic(camera.name): contract.compressed_topic(camera.name) for camera in rig.cameras}
    return tuple(
        name for name in required_topics(rig) if name not in present and stand_ins.get(name, name) not in present
    )
