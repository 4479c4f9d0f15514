"""The arm model: what kinematics, URDF and MJCF of one arm are derived from.

An arm is a serial chain of actuated joints from ``base_link`` to ``flange_link`` (the end-effector link), a
parallel gripper rigidly mounted on the flange, and a tool frame ``tcp``. Everything is read from one YAML
file in ``arms/``; another arm is another file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources

import numpy as np
import yaml

from imove_description.facts import GripperFacts, JointFacts, LinkFacts, MountFacts, ServoFacts
from imove_description.reading import DescriptionError, FloatArray, Reader, frozen

TCP_LINK = "tcp"
#: Name, without prefix, of the joint or actuator whose position is the gripper's opening in m.
GRIPPER_JOINT = "gripper"


@dataclass(frozen=True, eq=False)
class ArmModel:
    """One arm, names unprefixed.

    Attributes:
        name: model name, e.g. ``piper_x``.
        base_link: root link.
        flange_link: last link of the actuated chain, the end-effector link.
        joints: actuated joints in chain order, n of them.
        mounts: rigid attachments behind the flange, parents first; the last frame is ``tcp``.
        gripper: the gripper.
        servos: simulated position servos, one a joint.
        links: links with mass, parents first.
        touching_links: pairs of links, besides parent and child, that touch by construction.
        home: (n,) joint positions of the home pose, rad.
        acceleration_limits: (n,) largest joint accelerations of a planned motion, rad/s^2.
        jerk_limits: (n,) largest joint jerks of a planned motion, rad/s^3.
    """

    name: str
    base_link: str
    flange_link: str
    joints: tuple[JointFacts, ...]
    mounts: tuple[MountFacts, ...]
    gripper: GripperFacts
    servos: tuple[ServoFacts, ...]
    links: tuple[LinkFacts, ...]
    touching_links: tuple[tuple[str, str], ...]
    home: FloatArray
    acceleration_limits: FloatArray
    jerk_limits: FloatArray

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the actuated joints in chain order."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def parent_from_joint(self) -> FloatArray:
        """(n, 4, 4) parent_from_child of each actuated joint at position 0, m."""
        return frozen([joint.parent_from_joint for joint in self.joints])

    @cached_property
    def joint_axes(self) -> FloatArray:
        """(n, 3) unit axes, each in the frame of its child link."""
        return frozen([joint.axis for joint in self.joints])

    @cached_property
    def joint_limits(self) -> FloatArray:
        """(n, 2) lower and upper positions, rad."""
        return frozen([(joint.lower, joint.upper) for joint in self.joints])

    @cached_property
    def velocity_limits(self) -> FloatArray:
        """(n,) largest joint speeds, rad/s."""
        return frozen([joint.velocity for joint in self.joints])

    @cached_property
    def effort_limits(self) -> FloatArray:
        """(n,) largest joint torques, N m."""
        return frozen([joint.effort for joint in self.joints])

    @cached_property
    def flange_from_tcp(self) -> FloatArray:
        """(4, 4) pose of the tool frame in the end-effector link, m."""
        return self.flange_from_mount(TCP_LINK)

    @cached_property
    def flange_from_gripper(self) -> FloatArray:
        """(4, 4) pose of the gripper base in the end-effector link, m."""
        return self.flange_from_mount(self.gripper.base_link)

    def flange_from_mount(self, link: str) -> FloatArray:
        """(4, 4) pose of a rigidly mounted link in the end-effector link, m.

        Raises:
            DescriptionError: link is not mounted behind the flange.
        """
        poses = {self.flange_link: np.eye(4)}
        for mount in self.mounts:
            poses[mount.child] = poses[mount.parent] @ mount.parent_from_child
        if link not in poses:
            raise DescriptionError(f"{self.name} mounts no link {link!r}; allowed are {', '.join(poses)}")
        return frozen(poses[link])

    def link(self, name: str) -> LinkFacts:
        """Facts of a link with mass.

        Raises:
            DescriptionError: no such link.
        """
        for facts in self.links:
            if facts.name == name:
                return facts
        names = ", ".join(facts.name for facts in self.links)
        raise DescriptionError(f"{self.name} has no link {name!r}; allowed are {names}")


def arm_names() -> tuple[str, ...]:
    """Names that `load_arm_model` accepts, sorted."""
    folder = resources.files("imove_description") / "arms"
    return tuple(sorted(entry.name[:-5] for entry in folder.iterdir() if entry.name.endswith(".yaml")))


@lru_cache
def load_arm_model(name: str) -> ArmModel:
    """The packaged arm model of this name; the value is immutable and shared between callers.

    Raises:
        DescriptionError: unknown name, or a file that breaks a rule of the format.
    """
    if name not in arm_names():
        raise DescriptionError(f"unknown arm model {name!r}; allowed are {', '.join(arm_names())}")
    text = (resources.files("imove_description") / "arms" / f"{name}.yaml").read_text(encoding="utf-8")
    return parse_arm_model(text, where=name)


def parse_arm_model(text: str, where: str) -> ArmModel:
    """Reads an arm model from YAML text.

    Args:
        text: the file's content.
        where: how to call the file in error messages.

    Raises:
        DescriptionError: the text breaks a rule of the format; the message names the place.
    """
    top = Reader(
        yaml.safe_load(text),
        where,
        required=(
            "name",
            "base_link",
            "flange_link",
            "joints",
            "mounts",
            "gripper",
            "servos",
            "touching_links",
            "home",
            "accelerations",
            "jerks",
            "links",
        ),
        optional=("shapes_of",),
    )
    twin = _shape_twin(top)
    joints = tuple(JointFacts.from_yaml(item, f"{top.at('joints')}[{i}]") for i, item in enumerate(top.items("joints")))
    model = ArmModel(
        name=top.text("name"),
        base_link=top.text("base_link"),
        flange_link=top.text("flange_link"),
        joints=joints,
        mounts=tuple(
            MountFacts.from_yaml(item, f"{top.at('mounts')}[{i}]") for i, item in enumerate(top.items("mounts"))
        ),
        gripper=GripperFacts.from_yaml(top.raw("gripper"), top.at("gripper")),
        servos=tuple(
            ServoFacts.from_yaml(item, f"{top.at('servos')}[{i}]")
            for i, item in enumerate(top.items("servos", len(joints)))
        ),
        links=tuple(
            LinkFacts.from_yaml(key, value, f"{top.at('links')}.{key}", twin.link(key) if twin else None)
            for key, value in top.mapping("links").items()
        ),
        touching_links=tuple(
            _link_pair(item, f"{top.at('touching_links')}[{i}]") for i, item in enumerate(top.items("touching_links"))
        ),
        home=top.numbers("home", len(joints)),
        acceleration_limits=_positive(top, "accelerations", len(joints)),
        jerk_limits=_positive(top, "jerks", len(joints)),
    )
    _check_chain(model, where)
    return model


def _shape_twin(top: Reader) -> ArmModel | None:
    """The packaged arm of whose links this one's have the solids and collision shapes, None where it has its own."""
    if not top.has("shapes_of"):
        return None
    if top.text("shapes_of") == top.text("name"):
        raise DescriptionError(f"{top.at('shapes_of')} must be another arm than {top.text('name')!r} itself")
    return load_arm_model(top.text("shapes_of"))


def _positive(top: Reader, key: str, count: int) -> FloatArray:
    values = top.numbers(key, count)
    if np.any(values <= 0):
        raise DescriptionError(f"{top.at(key)} must be above 0, got {values.tolist()}")
    return values


def _link_pair(value: object, where: str) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(name, str) for name in value):
        raise DescriptionError(f"{where} must be two link names, got {value!r}")
    return value[0], value[1]


def _check_chain(model: ArmModel, where: str) -> None:
    """The joints form one serial chain from base to flange; all else hangs on what is already there."""
    if not model.joints:
        raise DescriptionError(f"{where}.joints must name at least one joint, got none")
    chain = [model.base_link, *(joint.child for joint in model.joints)]
    for joint, expected in zip(model.joints, chain, strict=False):
        if joint.parent != expected:
            raise DescriptionError(
                f"{where}: parent of {joint.name} must be {expected!r} (serial chain), got {joint.parent!r}"
            )
    if chain[-1] != model.flange_link:
        raise DescriptionError(f"{where}.flange_link must be {chain[-1]!r} (last joint), got {model.flange_link!r}")
    known = [model.flange_link]
    edges = [(mount.parent, mount.child) for mount in model.mounts]
    edges += [(finger.parent, finger.child) for finger in model.gripper.fingers]
    for parent, child in edges:
        if parent not in known:
            raise DescriptionError(f"{where}: {child} hangs on {parent!r}; allowed here are {', '.join(known)}")
        known.append(child)
    if TCP_LINK not in known:
        raise DescriptionError(f"{where}.mounts must place {TCP_LINK!r}, got {', '.join(known)}")
    massive = [*chain, *(name for name in known[1:] if name != TCP_LINK)]
    if sorted(massive) != sorted(facts.name for facts in model.links):
        got = ", ".join(facts.name for facts in model.links)
        raise DescriptionError(f"{where}.links must be exactly {', '.join(massive)}, got {got}")
    for pair in model.touching_links:
        for name in pair:
            model.link(name)
    limits = model.joint_limits
    outside = (model.home < limits[:, 0]) | (model.home > limits[:, 1])
    if outside.any():
        i = int(np.argmax(outside))
        lower, upper = limits[i]
        raise DescriptionError(
            f"{where}.home[{i}] must lie in the range [{lower:g}, {upper:g}] of {model.joints[i].name}, "
            f"got {model.home[i]:g}"
        )
