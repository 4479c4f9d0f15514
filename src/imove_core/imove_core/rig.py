"""Rigs: an embodiment with its cameras, loaded from one YAML file for simulation and the real table."""

from collections.abc import Mapping
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

import numpy as np
import yaml
from pydantic import AfterValidator, Field, PositiveFloat, PositiveInt, ValidationError, model_validator

from imove_core.errors import ImoveError, unknown_name
from imove_core.hardware import TABLE, ArmDevice, CameraDevice, RigHardware
from imove_core.transforms import Array, transform_from_xyz_rpy
from imove_core.values import FrozenValue, Vector3, first_fault
from imove_description.arm_model import ArmModel, load_arm_model

WORLD_FRAME = "world"
Device = TypeVar("Device", ArmDevice, CameraDevice)


def _rising(interval: tuple[float, float]) -> tuple[float, float]:
    if not interval[0] < interval[1]:
        raise ValueError(f"interval is {list(interval)}; its second number must be larger than its first")
    return interval


Interval = Annotated[tuple[float, float], AfterValidator(_rising)]


class Pose(FrozenValue):
    """A rigid pose as a URDF origin: xyz in m; roll, pitch, yaw in rad."""

    xyz: Vector3
    rpy: Vector3 = (0.0, 0.0, 0.0)

    @cached_property
    def matrix(self) -> Array:
        """The pose as a 4x4 matrix `parent_from_child`."""
        return transform_from_xyz_rpy(self.xyz, self.rpy)


class Arm(FrozenValue):
    """One arm of a rig.

    Attributes:
        name: Also the topic prefix: `/<name>/joint_states`.
        model: Name of the arm model in imove_description.
        joint_prefix: Put before every joint and link name of the model.
        world_from_base: Pose of the arm's base link.
        home: Joint positions at the start of an episode, rad, in the model's order.
        home_opening_m: Gripper opening at the start of an episode.
    """

    name: str
    model: str
    joint_prefix: str = ""
    world_from_base: Pose
    home: tuple[float, ...]
    home_opening_m: float

    @cached_property
    def arm_model(self) -> ArmModel:
        """Kinematic facts of the arm."""
        return load_arm_model(self.model)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the arm's joints, then of the gripper, as in every joint message."""
        joints = (*(joint.name for joint in self.arm_model.joints), "gripper")
        return tuple(self.joint_prefix + name for name in joints)

    @property
    def size(self) -> int:
        """Number of values in a command: arm joints and gripper."""
        return len(self.arm_model.joints) + 1

    @cached_property
    def limits(self) -> Array:
        """Lower and upper limits (size, 2): rad for joints, m for the gripper opening."""
        gripper = self.arm_model.gripper
        return np.vstack([self.arm_model.joint_limits, [gripper.min_opening_m, gripper.max_opening_m]])

    @cached_property
    def velocity_limits(self) -> Array:
        """Largest speeds (size,): rad/s for joints, m/s for the gripper opening."""
        return np.array([*self.arm_model.velocity_limits, self.arm_model.gripper.velocity_m_s])

    @cached_property
    def acceleration_limits(self) -> Array:
        """Largest accelerations of a planned motion (size,): rad/s^2 for joints, m/s^2 for the gripper opening."""
        return np.array([*self.arm_model.acceleration_limits, self.arm_model.gripper.acceleration_m_s2])

    @cached_property
    def jerk_limits(self) -> Array:
        """Largest jerks of a planned motion (size,): rad/s^3 for joints, m/s^3 for the gripper opening."""
        return np.array([*self.arm_model.jerk_limits, self.arm_model.gripper.jerk_m_s3])

    @property
    def home_positions(self) -> Array:
        """Joint and gripper positions at the start of an episode (size,), rad and m."""
        return np.array([*self.home, self.home_opening_m])

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links that a camera can sit on, as in the arm model."""
        model = self.arm_model
        return (model.base_link, *(joint.child for joint in model.joints), *(mount.child for mount in model.mounts))

    def check_home(self) -> None:
        """Raises ValueError where the home position has another length than the arm or lies outside its limits."""
        if len(self.home) != self.size - 1:
            raise ValueError(
                f"home of arm '{self.name}' has {len(self.home)} values; model {self.model} has {self.size - 1} joints"
            )
        for name, value, (low, high) in zip(self.joint_names, self.home_positions, self.limits, strict=True):
            if not low <= value <= high:
                raise ValueError(f"home of joint '{name}' is {value:g}; {low:g} to {high:g} is allowed")

    @property
    def tool_frame(self) -> str:
        """TF frame between the finger pads: z is the approach direction, y the closing direction."""
        return f"{self.name}_tcp"


class Intrinsics(FrozenValue):
    """Pinhole intrinsics in pixels; the centre of the top left pixel is at (0, 0)."""

    width: PositiveInt
    height: PositiveInt
    fx: PositiveFloat
    fy: PositiveFloat
    cx: float
    cy: float

    def resized(self, width: int, height: int) -> "Intrinsics":
        """Intrinsics of the image cropped about its middle to the new aspect ratio, then scaled.

        Args:
            width: New width in pixels.
            height: New height in pixels.
        """
        scale = max(width / self.width, height / self.height)
        return Intrinsics(
            width=width,
            height=height,
            fx=self.fx * scale,
            fy=self.fy * scale,
            cx=(self.cx + 0.5 - self.width / 2) * scale + width / 2 - 0.5,
            cy=(self.cy + 0.5 - self.height / 2) * scale + height / 2 - 0.5,
        )

    @property
    def matrix(self) -> Array:
        """The (3, 3) camera matrix K."""
        return np.array([[self.fx, 0, self.cx], [0, self.fy, self.cy], [0, 0, 1.0]])


class Camera(FrozenValue):
    """One RGB-D camera of a rig.

    Attributes:
        name: Also the topic prefix: `/<name>/color/image_raw`.
        model: The device, e.g. D455.
        parent: `world`, or `<arm>/<link>` for a link of an arm (link name of the arm model).
        parent_from_optical: Pose of the optical frame (x right, y down, z forward) in the parent.
        intrinsics: Of the colour image as the device delivers it; depth is aligned to it.
        depth_range_m: Nearest and farthest distance that the depth image reports.
    """

    name: str
    model: str
    parent: str = WORLD_FRAME
    parent_from_optical: Pose
    intrinsics: Intrinsics
    depth_range_m: Interval

    @property
    def optical_frame(self) -> str:
        """TF frame of the optical centre."""
        return f"{self.name}_color_optical_frame"

    @property
    def arm_and_link(self) -> tuple[str, str] | None:
        """Arm name and link name that carry the camera, None when it stands still in the world."""
        if self.parent == WORLD_FRAME:
            return None
        arm, _, link = self.parent.partition("/")
        return arm, link


class Workspace(FrozenValue):
    """Where objects may lie on the table, world frame, m."""

    x: Interval
    y: Interval


class Rig(FrozenValue):
    """An embodiment with its cameras.

    Attributes:
        name: File name without suffix.
        arms: In the order of state and action vectors.
        cameras: The three cameras that policies see.
        workspace: Where objects may lie.
        table: Extent of the table top, world frame.
        control_rate_hz: Rate of policy targets and of control steps in simulation.
        hardware: Where the devices of a lab are; empty for a shipped rig.
    """

    name: str
    description: str
    arms: Annotated[tuple[Arm, ...], Field(min_length=1)]
    cameras: tuple[Camera, ...]
    required_cameras: tuple[str, ...]
    workspace: Workspace
    table: Workspace
    control_rate_hz: Literal[30]
    hardware: RigHardware = RigHardware()

    @model_validator(mode="after")
    def _check(self) -> Self:
        arms = {arm.name: arm for arm in self.arms}
        if len(arms) != len(self.arms):
            raise ValueError(f"arm names {[a.name for a in self.arms]} are not unique")
        names = [camera.name for camera in self.cameras]
        if len(set(names)) != len(names):
            raise ValueError(f"camera names {names} are not unique")
        for name in self.required_cameras:
            if name not in names:
                raise ValueError(f"camera '{name}' is missing; the file has {', '.join(names) or 'none'}")
        for camera in self.cameras:
            place = camera.arm_and_link
            if place is not None and place[0] not in arms:
                raise ValueError(
                    f"camera '{camera.name}' sits on arm '{place[0]}', which is not one of {', '.join(arms)}"
                )
            if place is not None and place[1] not in arms[place[0]].link_names:
                raise ValueError(
                    f"camera '{camera.name}' sits on link '{place[1]}' of arm '{place[0]}', which is not one of "
                    f"{', '.join(arms[place[0]].link_names)}"
                )
        for what, named, there in (
            ("arms", self.hardware.arms, arms),
            ("cameras", self.hardware.cameras, names),
            ("calibration", self.hardware.calibration, [*names, TABLE]),
        ):
            for name in named:
                if name not in there:
                    raise ValueError(f"hardware.{what} names '{name}'; the rig has {', '.join(there)}")
        for arm in self.arms:
            arm.check_home()
        if len(set(self.joint_names)) != len(self.joint_names):
            raise ValueError(f"joint names {', '.join(self.joint_names)} are not unique; each arm needs its own prefix")
        return self

    def arm(self, name: str) -> Arm:
        """The arm of that name; raises ImoveError when there is none."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise unknown_name(f"arm of rig {self.name}", name, (a.name for a in self.arms))

    def camera(self, name: str) -> Camera:
        """The camera of that name; raises ImoveError when there is none."""
        for camera in self.cameras:
            if camera.name == name:
                return camera
        raise unknown_name(f"camera of rig {self.name}", name, (c.name for c in self.cameras))

    def arm_device(self, arm: str) -> ArmDevice:
        """How the arm of a name is connected; raises ImoveError where the rig file does not say."""
        return _device("arm", self, arm, self.hardware.arms)

    def camera_device(self, camera: str) -> CameraDevice:
        """Which device the camera of a name is; raises ImoveError where the rig file does not say."""
        return _device("camera", self, camera, self.hardware.cameras)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names of all arms in the order of state and action vectors."""
        return tuple(name for arm in self.arms for name in arm.joint_names)

    @property
    def size(self) -> int:
        """Length D of state and action vectors."""
        return sum(arm.size for arm in self.arms)

    def split(self, values: Array) -> dict[str, Array]:
        """Splits (..., D) values in rig order into one (..., size) array an arm."""
        parts, start = {}, 0
        for arm in self.arms:
            parts[arm.name] = values[..., start : start + arm.size]
            start += arm.size
        return parts

    @property
    def home_positions(self) -> Array:
        """Positions of all joints at the start of an episode (D,), rad and m."""
        return np.concatenate([arm.home_positions for arm in self.arms])


def _device(kind: str, rig: Rig, name: str, devices: Mapping[str, Device]) -> Device:
    if name not in devices:
        raise ImoveError(
            f"rig {rig.name} does not say where {kind} '{name}' is connected; `imove rig setup` writes a rig file "
            f"with hardware.{kind}s"
        )
    return devices[name]


def rig_names() -> tuple[str, ...]:
    """Names of the shipped rigs."""
    folder = resources.files("imove_description") / "rigs"
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def load_rig(name_or_path: str) -> Rig:
    """Loads a shipped rig by name, or a rig file by a path that ends in .yaml.

    Raises:
        ImoveError: No such rig, or the file breaks the schema.
    """
    if name_or_path.endswith((".yaml", ".yml")):
        path = Path(name_or_path)
        if not path.is_file():
            raise ImoveError(f"rig file {name_or_path} does not exist")
        content = path.read_bytes()
    elif name_or_path in rig_names():
        content = (resources.files("imove_description") / "rigs" / f"{name_or_path}.yaml").read_bytes()
    else:
        raise unknown_name("rig", name_or_path, rig_names())
    return parse_rig(content, where=name_or_path)


def parse_rig(content: str | bytes, where: str) -> Rig:
    """Reads a rig from YAML.

    Args:
        content: The file's content.
        where: How to call the file in error messages.

    Raises:
        ImoveError: The content is not YAML or breaks the schema; the message names the place.
    """
    try:
        return Rig.model_validate(yaml.safe_load(content))
    except yaml.YAMLError as error:
        raise ImoveError(f"rig {where} is not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise ImoveError(f"rig {where}: {first_fault(error, 'the rig')}") from error
