"""Messages inside messages: times, headers, vectors, poses of objects."""

from typing import Any

from imove_core.bag.types import MessageTypes
from imove_core.state import ObjectState
from imove_core.transforms import Array

NS = 1_000_000_000


def time(types: MessageTypes, stamp_ns: int) -> Any:
    """A time message of a stamp in ns."""
    return types.make("builtin_interfaces/msg/Time", sec=stamp_ns // NS, nanosec=stamp_ns % NS)


def header(types: MessageTypes, stamp_ns: int, frame: str = "") -> Any:
    """A header; frame "" where a message has none."""
    return types.make("std_msgs/msg/Header", stamp=time(types, stamp_ns), frame_id=frame)


def vector(types: MessageTypes, values: Array, kind: str = "geometry_msgs/msg/Vector3") -> Any:
    """Three numbers (3,) as a vector, or as another type with x, y and z."""
    x, y, z = values.tolist()
    return types.make(kind, x=x, y=y, z=z)


def quaternion(types: MessageTypes, xyzw: Array) -> Any:
    """A quaternion of (4,) x, y, z, w."""
    x, y, z, w = xyzw.tolist()
    return types.make("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)


def object_state(types: MessageTypes, item: ObjectState) -> Any:
    """One object of a control step; numbers keep every bit."""
    return types.make(
        "imove_interfaces/msg/ObjectState",
        id=item.id,
        pose=types.make(
            "geometry_msgs/msg/Pose",
            position=vector(types, item.position, "geometry_msgs/msg/Point"),
            orientation=quaternion(types, item.quaternion_xyzw),
        ),
        box_min=vector(types, item.box_min),
        box_max=vector(types, item.box_max),
        twist=types.make(
            "geometry_msgs/msg/Twist",
            linear=vector(types, item.linear_velocity),
            angular=vector(types, item.angular_velocity),
        ),
        moved=item.moved,
        held_by=item.held_by,
        touched_by=list(item.touched_by),
        supported_by=list(item.supported_by),
        contacts_known=item.contacts_known,
    )
