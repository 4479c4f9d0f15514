"""Values to messages and back without ROS."""

import numpy as np
import pytest

from imove_core.bag import messages
from imove_core.bag.errors import BagError

from .bag_episode import START_NS, image_of, step_state


def wired(types, typed):
    """The message as it comes out of a bag."""
    return types.deserialize(types.serialize(typed.message, typed.type), typed.type)


def same_bits(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def test_control_step_keeps_every_bit(rig, types):
    state = step_state(rig, 4)
    split = [rig.split(values) for values in (state.robot.positions, state.robot.velocities, state.robot.efforts)]
    joints = {
        arm.name: wired(
            types,
            messages.joint_state(types, state.stamp_ns, arm.joint_names, *(part[arm.name] for part in split)),
        )
        for arm in rig.arms
    }
    back = messages.step_state_from(rig, joints, wired(types, messages.object_states(types, state, "e", "world")))
    assert (back.stamp_ns, back.step) == (state.stamp_ns, state.step)
    for name in ("positions", "velocities", "efforts"):
        assert same_bits(getattr(back.robot, name), getattr(state.robot, name))
    for sent, received in zip(state.objects, back.objects, strict=True):
        for name, value in vars(sent).items():
            if isinstance(value, np.ndarray):
                assert same_bits(value, getattr(received, name)), name
            else:
                assert value == getattr(received, name), name


def test_step_without_an_arm_is_refused(rig, types):
    objects = messages.object_states(types, step_state(rig, 0), "e", "world").message
    with pytest.raises(BagError, match="has no joint state of arm 'left'"):
        messages.step_state_from(rig, {}, objects)


def test_missing_joint_is_named(rig, types):
    arm = rig.arms[1]
    message = messages.joint_state(types, 0, arm.joint_names[1:], arm.home_positions[1:], np.zeros(0), np.zeros(0))
    with pytest.raises(BagError, match="joint state of arm 'right' lacks the position of joint 'right_joint1'"):
        messages.joint_positions_from(message.message, arm)


def test_command_keeps_every_bit(rig, types):
    arm = rig.arms[0]
    rows = arm.home_positions + np.random.default_rng(1).normal(size=(3, arm.size)) * 1e-3
    offsets = [33_333_333, 66_666_667, 2_100_000_000]
    command = messages.joint_command_from(
        wired(types, messages.joint_trajectory(types, arm, START_NS, offsets, rows)), arm
    )
    assert same_bits(command.positions, rows)
    assert command.times_ns.tolist() == [START_NS + offset for offset in offsets]


def test_colour_keeps_every_byte(types):
    pixels = image_of(5)
    message = wired(types, messages.image(types, START_NS, "camera", pixels[:, ::2]))
    assert messages.rgb_from(message).tolist() == pixels[:, ::2].tolist()
    message.encoding = "bgr8"
    assert messages.rgb_from(message).tolist() == pixels[:, ::2, ::-1].tolist()
    with pytest.raises(BagError, match="depth of camera is encoded bgr8"):
        messages.depth_mm_from(message)


def test_depth_keeps_every_number(types):
    depth = np.arange(48 * 64, dtype=np.uint16).reshape(48, 64) * 20
    message = wired(types, messages.image(types, START_NS, "camera", depth))
    assert same_bits(messages.depth_mm_from(message), depth)
    with pytest.raises(BagError, match="image of camera is encoded 16UC1; allowed: rgb8, bgr8"):
        messages.rgb_from(message)


def test_image_with_too_few_bytes_is_refused(types):
    message = messages.image(types, START_NS, "camera", image_of(0)).message
    message.height = 49
    with pytest.raises(BagError, match="has 9216 bytes in rows of 192; 49 rows of 192 are needed"):
        messages.rgb_from(message)


def test_stamps_beyond_a_second(types):
    message = messages.string(types, "text")
    assert message.message.data == "text"
    stamped = messages.phase(types, 12_345_678_901, episode_id="e", step=3, phase="grasp").message
    assert messages.stamp_ns_of(stamped) == 12_345_678_901
    assert messages.ns_of(messages.clock(types, 12_345_678_901).message.clock) == 12_345_678_901
