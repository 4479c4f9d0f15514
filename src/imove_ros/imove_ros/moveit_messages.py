"""Bodies of a planning scene as MoveIt's messages, which are imported when the first one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imove_ros.conversions import pose_message
from imove_ros.moveit_scene import Body
from imove_ros.moveit_shapes import Primitive, Triangles

if TYPE_CHECKING:
    from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
    from shape_msgs.msg import Mesh, SolidPrimitive


def collision_object(body: Body) -> CollisionObject:
    """A body of the scene, to be added."""
    from moveit_msgs.msg import CollisionObject

    message = CollisionObject(id=body.id, operation=CollisionObject.ADD)
    message.header.frame_id = body.frame
    message.pose = pose_message(body.frame_from_body)
    for shape in body.shapes:
        pose = pose_message(shape.body_from_shape)
        if isinstance(shape, Primitive):
            message.primitives.append(_primitive(shape))
            message.primitive_poses.append(pose)
        else:
            message.meshes.append(_mesh(shape))
            message.mesh_poses.append(pose)
    return message


def attached_object(body: Body) -> AttachedCollisionObject:
    """A body that moves with the link whose frame it is in."""
    from moveit_msgs.msg import AttachedCollisionObject

    return AttachedCollisionObject(
        link_name=body.frame, object=collision_object(body), touch_links=list(body.touch_links)
    )


def _primitive(shape: Primitive) -> SolidPrimitive:
    from shape_msgs.msg import SolidPrimitive

    return SolidPrimitive(type=getattr(SolidPrimitive, shape.kind), dimensions=list(shape.dimensions))


def _mesh(shape: Triangles) -> Mesh:
    from geometry_msgs.msg import Point
    from shape_msgs.msg import Mesh, MeshTriangle

    return Mesh(
        triangles=[MeshTriangle(vertex_indices=face) for face in shape.faces.astype("uint32")],
        vertices=[Point(x=x, y=y, z=z) for x, y, z in shape.vertices.tolist()],
    )
