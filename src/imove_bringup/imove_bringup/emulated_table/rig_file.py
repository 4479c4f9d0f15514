"""The rig file of an emulated table: a shipped rig with its devices at free loopback ports."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any, Literal

import yaml

from imove_core.errors import ImoveError
from imove_core.hardware import CameraProfile
from imove_core.rig import Rig

#: Models of arms that speak the emulated protocol.
MODELS = ("piper_x", "piper")
LEADER_SUFFIX = "_leader"
Leaders = Literal["none", "shared", "apart"]
"""No leaders; each on the line of its follower, as the vendor wires them; or each on a line of its own."""


def rig_file(
    rig: Rig, folder: Path, seed: int = 0, leaders: Leaders = "none", profile: CameraProfile | None = None
) -> Path:
    """Writes a rig file whose devices are emulated ones.

    Args:
        rig: A rig with PiPER arms.
        folder: Where the file goes; made if it is not there.
        seed: Serial numbers of the cameras follow from it.
        leaders: Where the leaders of teleoperation are.
        profile: Size of the cameras' images and their nominal rate; as large as the rig says where nothing is said.

    Returns:
        Path of the file, `<rig>.emulated.yaml`.

    Raises:
        ImoveError: An arm of the rig is no PiPER.
    """
    for arm in rig.arms:
        if arm.model not in MODELS:
            raise ImoveError(
                f"arm '{arm.name}' of rig {rig.name} is a {arm.model}; an emulated table has {' or '.join(MODELS)}"
            )
    can_port, feed_port = _free_ports(2)
    fields: dict[str, Any] = rig.model_dump(mode="json", exclude={"hardware"})
    fields["hardware"] = {
        "arms": {arm.name: _arm(arm.name, can_port, leaders) for arm in rig.arms},
        "cameras": {
            camera.name: {
                "serial": f"EMU{seed % 1000:03d}{index:03d}",
                "profile": (
                    profile or CameraProfile(width=camera.intrinsics.width, height=camera.intrinsics.height)
                ).model_dump(),
                "feed": f"tcp://127.0.0.1:{feed_port}",
            }
            for index, camera in enumerate(rig.cameras, start=1)
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{rig.name}.emulated.yaml"
    partial = path.with_suffix(".partial")
    partial.write_text(yaml.safe_dump(fields, sort_keys=False), encoding="utf-8")
    os.replace(partial, path)
    return path


def _arm(name: str, port: int, leaders: Leaders) -> dict[str, str]:
    def bus(channel: str) -> str:
        return f"socketcand:127.0.0.1:{port}/{channel}"

    leader = {"none": "", "shared": bus(name), "apart": bus(name + LEADER_SUFFIX)}[leaders]
    return {"bus": bus(name), "leader_bus": leader}


def _free_ports(count: int) -> list[int]:
    """Ports on 127.0.0.1 that nobody listens on now."""
    listeners = [socket.socket() for _ in range(count)]
    try:
        for listener in listeners:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in listeners]
    finally:
        for listener in listeners:
            listener.close()
