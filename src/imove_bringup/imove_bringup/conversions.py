"""Values to visualization messages, pure functions."""

from collections.abc import Iterable

from builtin_interfaces.msg import Time
from visualization_msgs.msg import Marker as MarkerMsg
from visualization_msgs.msg import MarkerArray

from imove_bringup.markers import Marker

_SHAPES = {"cube": MarkerMsg.CUBE, "text": MarkerMsg.TEXT_VIEW_FACING}


def marker_array(markers: Iterable[Marker], stamp: Time, frame: str, *, clear: bool) -> MarkerArray:
    """Shapes as one message.

    Args:
        markers: In `frame`.
        stamp: Time of the control step.
        frame: TF frame.
        clear: Whether all shapes that were shown before go first.
    """
    messages = [_marker(marker) for marker in markers]
    if clear:
        messages.insert(0, MarkerMsg(action=MarkerMsg.DELETEALL))
    for message in messages:
        message.header.stamp, message.header.frame_id = stamp, frame
    return MarkerArray(markers=messages)


def _marker(marker: Marker) -> MarkerMsg:
    message = MarkerMsg(ns=marker.namespace, id=marker.index, type=_SHAPES[marker.shape], text=marker.text)
    pose, scale, color = message.pose, message.scale, message.color
    pose.position.x, pose.position.y, pose.position.z = marker.position.tolist()
    rotation = pose.orientation
    rotation.x, rotation.y, rotation.z, rotation.w = marker.quaternion_xyzw.tolist()
    scale.x, scale.y, scale.z = marker.size.tolist()
    color.r, color.g, color.b, color.a = marker.rgba
    return message
