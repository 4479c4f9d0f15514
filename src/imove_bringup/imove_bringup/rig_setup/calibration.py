"""When the cameras and the table of a rig file were calibrated, as its comments tell."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from imove_core.rig import Rig, load_rig, rig_names

TABLE = "table"
_NOTE = re.compile(r"^# Calibrated (\d{4}-\d\d-\d\d \d\d:\d\d) UTC: (\w+)", re.MULTILINE)


def calibration_times(text: str) -> Mapping[str, datetime]:
    """When what was calibrated, by the name of the camera, or `table`; the latest where there are several notes.

    Args:
        text: Of the rig file. The console's wizard notes `# Calibrated 2026-03-01 09:30 UTC: static_camera, ...`.
    """
    times: dict[str, datetime] = {}
    for when, what in _NOTE.findall(text):
        try:
            time = datetime.strptime(when, "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
        except ValueError:
            continue  # A date that is none, in a comment that somebody wrote.
        times[what] = max(time, times.get(what, time))
    return times


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
