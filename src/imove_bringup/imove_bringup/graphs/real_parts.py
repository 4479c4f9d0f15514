"""Nodes of a real rig, or of its emulation: drivers, frames, tracker."""

from collections.abc import Mapping
from pathlib import Path

from imove_bringup.arguments import LaunchArgument, Values, choice
from imove_bringup.graphs.model import NodeDescription, ParameterValue
from imove_core.hardware import CameraProfile
from imove_core.rig import Arm, Rig, load_rig

REAL, EMULATED = "real", "emulated"
HARDWARE = LaunchArgument(
    "hardware",
    "The devices of the rig file, or emulated ones to practise with.",
    REAL,
    choice([REAL, EMULATED]),
)
# Rendered on the processor that everything else runs on; enough for the tracker.
EMULATED_PROFILE = CameraProfile(width=320, height=240)
# The emulated table shares the processor with all that listens to it; a real bus is silent when something is wrong.
_EMULATED_SILENCE_S = 1.0
# Arms that a controller of franka_ros2 drives; all others speak the PiPER's CAN protocol.
_FRANKA_MODELS = frozenset({"panda", "fr3"})


def rig_reference(rig: str, hardware: str, folder: Path, seed: int = 0) -> str:
    """The rig file that every node reads.

    Args:
        rig: Name of a shipped rig, or a lab's file.
        hardware: `real` or `emulated`.
        folder: Where the file of an emulated rig is written.
        seed: Of what is random in an emulation.

    Raises:
        ImoveError: The rig cannot be read, or does not say where its devices are.
    """
    if hardware == EMULATED:
        from imove_bringup.emulated_table.rig_file import rig_file

        return str(rig_file(load_rig(rig), folder, seed, profile=EMULATED_PROFILE))
    loaded = load_rig(rig)
    for arm in loaded.arms:
        loaded.arm_device(arm.name)
    for camera in loaded.cameras:
        loaded.camera_device(camera.name)
    return str(Path(rig).expanduser().absolute())


def table(values: Values) -> tuple[NodeDescription, ...]:
    """The emulated table, none for real devices.

    Args:
        values: With `hardware`, `rig`, `assets`, `seed` and `image_size`.
    """
    if values.text("hardware") != EMULATED:
        return ()
    return (
        NodeDescription(
            "imove_bringup",
            "emulated_table",
            "emulated_table",
            parameters={
                "rig": values.text("rig"),
                "assets": values.text("assets"),
                "seed": values.number("seed"),
            },
        ),
    )


def drivers(values: Values) -> tuple[NodeDescription, ...]:
    """One node for each arm, leader and camera, and the one that publishes frames.

    Args:
        values: With `hardware`, `rig` and `image_size`.
    """
    rig = load_rig(values.text("rig"))
    patience: dict[str, ParameterValue] = {}
    if values.text("hardware") == EMULATED:
        patience["bus_silence_s"] = _EMULATED_SILENCE_S
    return (
        *(driver for arm in rig.arms for driver in _arm_drivers(rig, arm, values.text("rig"), patience)),
        *(
            NodeDescription(
                "imove_hardware",
                "realsense_driver",
                f"{camera.name}_driver",
                parameters={
                    "rig": values.text("rig"),
                    "camera": camera.name,
                    "image_width": values.size("image_size").width,
                    "image_height": values.size("image_size").height,
                },
            )
            for camera in rig.cameras
        ),
        NodeDescription("imove_hardware", "rig_frames", "rig_frames", parameters={"rig": values.text("rig")}),
    )


def _arm_drivers(rig: Rig, arm: Arm, reference: str, patience: Mapping[str, ParameterValue]) -> list[NodeDescription]:
    device = rig.arm_device(arm.name)
    if arm.model in _FRANKA_MODELS:
        return [
            NodeDescription(
                "imove_hardware",
                "franka_adapter",
                f"{arm.name}_driver",
                parameters={"rig": reference, "arm": arm.name},
            )
        ]

    def piper(name: str, role: str) -> NodeDescription:
        return NodeDescription(
            "imove_hardware",
            "piper_driver",
            name,
            parameters={"rig": reference, "arm": arm.name, "role": role, **patience},
        )

    found = [piper(f"{arm.name}_driver", "follower")]
    # A leader on the follower's own bus is read by the follower's driver.
    if device.leader_bus and device.leader_bus != device.bus:
        found.append(piper(f"{arm.name}_leader_driver", "leader"))
    return found


def tracker(values: Values) -> NodeDescription:
    """The node that says where the objects are.

    Args:
        values: With `rig` and `assets`.
    """
    return NodeDescription(
        "imove_tracker",
        "object_tracker",
        "object_tracker",
        parameters={"rig": values.text("rig"), "assets": values.text("assets")},
    )
