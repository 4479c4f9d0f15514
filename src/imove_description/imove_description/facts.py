"""Facts about the parts of an arm: joints, mounts, links and the gripper, each read from its YAML mapping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_description.reading import DescriptionError, FloatArray, Reader, frozen, pose_matrix
from imove_description.shapes import CollisionBox, CollisionShape, Solid, collision_from_yaml


@dataclass(frozen=True, eq=False)
class JointFacts:
    """A joint with one degree of freedom.

    Attributes:
        name: joint name without arm prefix.
        parent: link that carries the joint.
        child: link that the joint moves; its frame is the joint frame.
        parent_from_joint: (4, 4) parent_from_child at joint position 0, m.
        axis: (3,) unit axis in the child frame.
        lower: smallest position, rad or m.
        upper: largest position, rad or m.
        velocity: largest speed, rad/s or m/s.
        effort: largest effort, N m or N.
    """

    name: str
    parent: str
    child: str
    parent_from_joint: FloatArray
    axis: FloatArray
    lower: float
    upper: float
    velocity: float
    effort: float

    @classmethod
    def from_yaml(cls, value: object, where: str) -> JointFacts:
        """Reads a joint; raises DescriptionError naming the place where a rule is broken."""
        keys = ("name", "parent", "child", "xyz", "rpy", "axis", "range", "velocity", "effort")
        reader = Reader(value, where, required=keys)
        axis = reader.numbers("axis", 3)
        if not np.isclose(np.linalg.norm(axis), 1.0, atol=1e-9):
            raise DescriptionError(f"{reader.at('axis')} must have length 1, got {axis.tolist()}")
        lower, upper = reader.interval("range")
        return cls(
            name=reader.text("name"),
            parent=reader.text("parent"),
            child=reader.text("child"),
            parent_from_joint=pose_matrix(reader.numbers("xyz", 3), reader.numbers("rpy", 3)),
            axis=axis,
            lower=lower,
            upper=upper,
            velocity=reader.positive("velocity"),
            effort=reader.positive("effort"),
        )


@dataclass(frozen=True)
class ServoFacts:
    """A simulated position servo: effort = stiffness * (target - position) - damping * velocity.

    Attributes:
        stiffness: N m/rad, or N/m.
        damping: N m s/rad, or N s/m.
        armature: inertia of the drive that the joint feels, kg m^2, or kg.
    """

    stiffness: float
    damping: float
    armature: float

    @classmethod
    def from_yaml(cls, value: object, where: str) -> ServoFacts:
        """Reads a servo; raises DescriptionError naming the place where a rule is broken."""
        reader = Reader(value, where, required=("stiffness", "damping", "armature"))
        return cls(*(reader.positive(key) for key in ("stiffness", "damping", "armature")))


@dataclass(frozen=True, eq=False)
class MountFacts:
    """A rigid attachment: parent_from_child is a (4, 4) transform, m."""

    parent: str
    child: str
    parent_from_child: FloatArray

    @classmethod
    def from_yaml(cls, value: object, where: str) -> MountFacts:
        """Reads a mount; raises DescriptionError naming the place where a rule is broken."""
        reader = Reader(value, where, required=("parent", "child", "xyz", "rpy"))
        pose = pose_matrix(reader.numbers("xyz", 3), reader.numbers("rpy", 3))
        return cls(reader.text("parent"), reader.text("child"), pose)


@dataclass(frozen=True, eq=False)
class LinkFacts:
    """Inertia and shape of a link.

    Attributes:
        name: link name without arm prefix.
        mass_kg: mass.
        com_m: (3,) centre of mass in the link frame.
        inertia_kgm2: (3,) diagonal of the inertia about the centre of mass, along the link axes.
        solids: what is seen of it.
        collision: what it collides with; a finger has its pad besides.
    """

    name: str
    mass_kg: float
    com_m: FloatArray
    inertia_kgm2: FloatArray
    solids: tuple[Solid, ...]
    collision: tuple[CollisionShape, ...]

    @classmethod
    def from_yaml(cls, name: str, value: object, where: str, shaped_like: LinkFacts | None = None) -> LinkFacts:
        """Reads a link.

        Args:
            name: link name without arm prefix.
            value: what the YAML parser returned.
            where: how to call this place in error messages.
            shaped_like: link whose solids and collision shapes this one has; None where it states its own.

        Raises:
            DescriptionError: a rule is broken; the message names the place.
        """
        own_shapes = ("solids", "collision") if shaped_like is None else ()
        reader = Reader(value, where, required=("mass", "com", "inertia", *own_shapes))
        inertia = reader.numbers("inertia", 3)
        if np.any(inertia <= 0) or 2 * inertia.max() > inertia.sum():
            raise DescriptionError(
                f"{reader.at('inertia')} must be positive and obey the triangle inequality, got {inertia.tolist()}"
            )
        if shaped_like is not None:
            solids, collision = shaped_like.solids, shaped_like.collision
        else:
            solids = tuple(
                Solid.from_yaml(item, f"{reader.at('solids')}[{i}]") for i, item in enumerate(reader.items("solids"))
            )
            collision = tuple(
                collision_from_yaml(item, f"{reader.at('collision')}[{i}]")
                for i, item in enumerate(reader.items("collision"))
            )
        return cls(name, reader.positive("mass"), reader.numbers("com", 3), inertia, solids, collision)


@dataclass(frozen=True)
class PadFacts:
    """The box at the tip of a finger that touches objects.

    In the finger frame the pad's face lies in the plane y = 0 and its tip in the plane z = 0; it is centred
    on x = 0, reaches back to z = -length and outwards along the finger's axis to its thickness.

    Attributes:
        width_m: extent along x.
        thickness_m: extent in the closing direction.
        length_m: extent along the approach direction.
    """

    width_m: float
    thickness_m: float
    length_m: float

    @classmethod
    def from_yaml(cls, value: object, where: str) -> PadFacts:
        """Reads a pad; raises DescriptionError naming the place where a rule is broken."""
        reader = Reader(value, where, required=("width", "thickness", "length"))
        return cls(*(reader.positive(key) for key in ("width", "thickness", "length")))


_GRIPPER_KEYS = ("base_link", "opening", "velocity", "acceleration", "jerk", "force", "servo", "fingers", "pad")


@dataclass(frozen=True, eq=False)
class GripperFacts:
    """A parallel gripper with two symmetric prismatic fingers.

    Attributes:
        base_link: link that carries both fingers.
        fingers: the two finger joints, positive outwards, each travelling half of the opening; their frames
            are parallel to the tool frame, with the origin on the pad's face at the finger's tip.
        pad: the pad on each finger.
        min_opening_m: distance between the pads when closed.
        max_opening_m: distance between the pads when open.
        velocity_m_s: largest speed of the opening.
        acceleration_m_s2: largest acceleration of the opening in a planned motion.
        jerk_m_s3: largest jerk of the opening in a planned motion.
        force_n: largest clamping force on an object, the same on both sides.
        servo: servo of the opening; its armature is that of each finger.
    """

    base_link: str
    fingers: tuple[JointFacts, JointFacts]
    pad: PadFacts
    min_opening_m: float
    max_opening_m: float
    velocity_m_s: float
    acceleration_m_s2: float
    jerk_m_s3: float
    force_n: float
    servo: ServoFacts

    def finger_positions(self, opening_m: float) -> FloatArray:
        """(2,) finger joint positions in m at an opening in m."""
        return frozen([opening_m / 2, opening_m / 2])

    def pad_box(self, finger: JointFacts) -> CollisionBox:
        """The pad of a finger as a box in the finger's frame."""
        pad = self.pad
        finger_from_pad = np.eye(4)
        finger_from_pad[:3, 3] = finger.axis * pad.thickness_m / 2
        finger_from_pad[2, 3] -= pad.length_m / 2
        return CollisionBox(frozen([pad.width_m, pad.thickness_m, pad.length_m]), frozen(finger_from_pad))

    @classmethod
    def from_yaml(cls, value: object, where: str) -> GripperFacts:
        """Reads a gripper; raises DescriptionError naming the place where a rule is broken."""
        reader = Reader(value, where, required=_GRIPPER_KEYS)
        first, second = (
            JointFacts.from_yaml(item, f"{reader.at('fingers')}[{i}]")
            for i, item in enumerate(reader.items("fingers", 2))
        )
        lower, upper = reader.interval("opening")
        travel = first.upper + second.upper
        if not np.isclose(travel, upper):
            raise DescriptionError(f"{reader.at('opening')} must end at the fingers' travel {travel:g}, got {upper:g}")
        return cls(
            base_link=reader.text("base_link"),
            fingers=(first, second),
            pad=PadFacts.from_yaml(reader.raw("pad"), reader.at("pad")),
            min_opening_m=lower,
            max_opening_m=upper,
            velocity_m_s=reader.positive("velocity"),
            acceleration_m_s2=reader.positive("acceleration"),
            jerk_m_s3=reader.positive("jerk"),
            force_n=reader.positive("force"),
            servo=ServoFacts.from_yaml(reader.raw("servo"), reader.at("servo")),
        )
