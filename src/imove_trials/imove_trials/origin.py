"""Where results of the real table come from."""

from __future__ import annotations

from imove_core.canonical import canonical_json
from imove_core.rig import Rig


def origin_json(rig: Rig, operator: str, automatic: bool) -> str:
    """What the conductor says of the table, in the place of a simulator's engine and version.

    Args:
        rig: With the devices of a lab.
        operator: Who conducts the trials, "" where nobody said.
        automatic: Whether a rule confirms in place of a person.
    """
    devices = rig.hardware
    return canonical_json(
        {
            "engine": "real table",
            "rig": rig.name,
            "operator": operator,
            "confirm": "auto" if automatic else "operator",
            "arms": {name: {"bus": arm.bus, "firmware": arm.firmware} for name, arm in devices.arms.items()},
            "cameras": {name: camera.serial for name, camera in devices.cameras.items()},
        }
    )
