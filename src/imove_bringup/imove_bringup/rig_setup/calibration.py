"""Which cameras of a rig file nobody has calibrated."""

from __future__ import annotations

from imove_core.rig import Rig, load_rig, rig_names


def uncalibrated(rig: Rig) -> tuple[str, ...]:
    """Cameras that are exactly where the shipped rig of the same name has them, which no lab's camera is."""
    if rig.name not in rig_names():
        return ()
    shipped = {camera.name: camera for camera in load_rig(rig.name).cameras}
    return tuple(
        camera.name
        for camera in rig.cameras
        if camera.name in shipped and camera.parent_from_optical == shipped[camera.name].parent_from_optical
    )
