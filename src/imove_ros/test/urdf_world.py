"""A robot's collision geometry read from its URDF, with nothing of the code that wrote it."""

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import coal
import numpy as np
from defusedxml import ElementTree
from scipy.spatial.transform import Rotation

Array = np.ndarray
Solid = tuple[coal.CollisionGeometry, Array]
"""A shape and where it is, (4, 4)."""


@dataclass(frozen=True)
class Joint:
    name: str
    parent: str
    child: str
    kind: str
    origin: Array
    axis: Array
    mimics: tuple[str, float] | None
    limits: tuple[float, float]


class UrdfRobot:
    """Links with shapes, and joints, of a URDF whose root is the link `world`."""

    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text)
        self.links = {
            link.get("name"): [_solid(element) for element in link.findall("collision")] for link in root.iter("link")
        }
        self.joints = [_joint(element) for element in root.findall("joint")]
        self.movable = [joint.name for joint in self.joints if joint.kind != "fixed" and joint.mimics is None]

    def poses(self, positions: Mapping[str, float]) -> dict[str, Array]:
        """World poses (4, 4) of all links."""
        poses = {"world": np.eye(4)}
        pending = list(self.joints)
        while pending:
            ready = [joint for joint in pending if joint.parent in poses]
            assert ready, "the joints form no tree"
            for joint in ready:
                name, factor = joint.mimics or (joint.name, 1.0)
                poses[joint.child] = (
                    poses[joint.parent] @ joint.origin @ _motion(joint, factor * positions.get(name, 0))
                )
                pending.remove(joint)
        return poses

    def below(self, joint_names: set[str]) -> set[str]:
        """Links that move with any of some joints."""
        found: set[str] = set()
        for joint in self.joints:
            if joint.name in joint_names:
                found |= self._subtree(joint.child)
        return found

    def _subtree(self, link: str) -> set[str]:
        children = [joint.child for joint in self.joints if joint.parent == link]
        return {link}.union(*(self._subtree(child) for child in children))

    def path(self, first: str, second: str) -> list[str]:
        """Links between two links along the tree, without them."""
        up = {joint.child: joint.parent for joint in self.joints}
        ways = [[link] for link in (first, second)]
        for way in ways:
            while way[-1] in up:
                way.append(up[way[-1]])
        shared = next(link for link in ways[0] if link in ways[1])
        one, other = (way[: way.index(shared)] for way in ways)
        return [link for link in [*one, shared, *other] if link not in (first, second)]


def near(first: list[Solid], second: list[Solid], margin_m: float = 0.0) -> bool:
    """Whether any solids of two bodies, posed in one frame, are no farther apart than a margin."""
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.security_margin = margin_m
    for shape, pose in first:
        for other, at in second:
            result.clear()
            if coal.collide(shape, _placed(pose), other, _placed(at), request, result):
                return True
    return False


def posed(solids: list[Solid], frame_from_body: Array) -> list[Solid]:
    return [(shape, frame_from_body @ pose) for shape, pose in solids]


def _placed(pose: Array) -> coal.Transform3s:
    return coal.Transform3s(pose[:3, :3], pose[:3, 3])


def _solid(collision: Element) -> Solid:
    shape = next(iter(collision.find("geometry")))
    size = {name: [float(word) for word in value.split()] for name, value in shape.attrib.items()}
    kinds = {
        "box": lambda: coal.Box(*size["size"]),
        "cylinder": lambda: coal.Cylinder(size["radius"][0], size["length"][0]),
        "sphere": lambda: coal.Sphere(size["radius"][0]),
    }
    return kinds[shape.tag](), _origin(collision)


def _joint(element: Element) -> Joint:
    mimic, axis, limit = element.find("mimic"), element.find("axis"), element.find("limit")
    return Joint(
        element.get("name"),
        element.find("parent").get("link"),
        element.find("child").get("link"),
        element.get("type"),
        _origin(element),
        np.array(axis.get("xyz").split() if axis is not None else [0, 0, 1], dtype=float),
        None if mimic is None else (mimic.get("joint"), float(mimic.get("multiplier"))),
        (0.0, 0.0) if limit is None else (float(limit.get("lower")), float(limit.get("upper"))),
    )


def _origin(element: Element) -> Array:
    origin, pose = element.find("origin"), np.eye(4)
    pose[:3, 3] = np.array(origin.get("xyz").split(), dtype=float)
    pose[:3, :3] = Rotation.from_euler("xyz", np.array(origin.get("rpy").split(), dtype=float)).as_matrix()
    return pose


def _motion(joint: Joint, value: float) -> Array:
    pose = np.eye(4)
    if joint.kind == "revolute":
        pose[:3, :3] = Rotation.from_rotvec(value * joint.axis).as_matrix()
    elif joint.kind == "prismatic":
        pose[:3, 3] = value * joint.axis
    return pose
