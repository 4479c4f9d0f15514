"""The rig as it is in one episode: home positions and camera poses with what the randomisation drew for them."""

from pydantic import ValidationError

from imove_core.errors import ImoveError
from imove_core.randomization import Randomization
from imove_core.rig import Arm, Camera, Rig
from imove_core.transforms import rpy_from_rotation
from imove_core.values import first_fault


def episode_rig(rig: Rig, draws: Randomization) -> Rig:
    """The rig whose home is where the arms start, and whose cameras are where they stand in the episode.

    Args:
        rig: The rig as it was built.
        draws: Of the episode.

    Returns:
        `rig` itself where neither joints nor cameras are offset.

    Raises:
        ImoveError: An offset is for an arm or a camera that the rig lacks, has another number of joints than the arm,
            or leads out of a joint's limits.
    """
    if not draws.joint_offsets_rad and not draws.camera_offsets:
        return rig
    for arm_name in draws.joint_offsets_rad:
        rig.arm(arm_name)
    for camera_name in draws.camera_offsets:
        rig.camera(camera_name)
    try:
        return rig.model_copy(
            update={
                "arms": tuple(_started(arm, draws) for arm in rig.arms),
                "cameras": tuple(_moved(camera, draws) for camera in rig.cameras),
            }
        )
    except ValidationError as error:
        raise ImoveError(f"start of an episode on {rig.name}: {first_fault(error, 'the rig')}") from error


def _started(arm: Arm, draws: Randomization) -> Arm:
    offsets = draws.joint_offsets_rad.get(arm.name)
    if offsets is None:
        return arm
    if len(offsets) != len(arm.home):
        raise ImoveError(f"arm '{arm.name}' has {len(offsets)} joint offsets; it has {len(arm.home)} joints")
    home = tuple(home + offset for home, offset in zip(arm.home, offsets, strict=True))
    return arm.model_copy(update={"home": home})


def _moved(camera: Camera, draws: Randomization) -> Camera:
    offset = draws.camera_offsets.get(camera.name)
    if offset is None:
        return camera
    pose = camera.parent_from_optical.matrix @ offset.matrix
    xyz, rpy = tuple(pose[:3, 3].tolist()), tuple(rpy_from_rotation(pose[:3, :3]).tolist())
    return camera.model_copy(update={"parent_from_optical": {"xyz": xyz, "rpy": rpy}})
