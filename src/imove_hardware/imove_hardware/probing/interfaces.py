"""CAN interfaces of this computer, as the kernel knows them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imove_hardware.piper.bus import BITRATE

NET = Path("/sys/class/net")
CAN_TYPE = "280"
"""Linux's ARPHRD_CAN, the hardware type of a CAN interface in /sys/class/net/NAME/type."""
_ANSWER_S = 5.0
_WELL = ("", "ERROR-ACTIVE")


@dataclass(frozen=True)
class CanInterface:
    """A CAN interface.

    Attributes:
        name: As `ip link` has it.
        up: Whether it is switched on.
        bitrate: In bit/s; 0 where the kernel does not say, as for a virtual interface or without `ip`.
        state: Of its controller, e.g. ERROR-ACTIVE (all is well) or BUS-OFF; "" where the kernel does not say.
    """

    name: str
    up: bool
    bitrate: int = 0
    state: str = ""

    @property
    def problem(self) -> str:
        """Why no arm can be reached over it, "" where nothing is in the way."""
        switch_on = f"sudo ip link set {self.name} up type can bitrate {BITRATE}"
        if not self.up:
            return f"CAN interface {self.name} is down; run `{switch_on}`"
        if self.bitrate not in (0, BITRATE):
            return (
                f"CAN interface {self.name} runs at {self.bitrate} bit/s; a PiPER needs {BITRATE}: run "
                f"`sudo ip link set {self.name} down`, then `{switch_on}`"
            )
        if self.state not in _WELL:
            return (
                f"CAN interface {self.name} is in state {self.state}: look at the cable, its end resistors and the "
                f"arm's power, then run `sudo ip link set {self.name} down` and `{switch_on}`"
            )
        return ""

    @property
    def summary(self) -> str:
        """In a few words."""
        rate = f"{self.bitrate} bit/s" if self.bitrate else "bit rate unknown"
        return ", ".join(word for word in ("up" if self.up else "down", rate, self.state) if word)


def can_interfaces(net: Path = NET, ask: Callable[[str], str] | None = None) -> tuple[CanInterface, ...]:
    """All CAN interfaces, by name.

    Args:
        net: The kernel's folder of network interfaces.
        ask: Returns what `ip -json -details link` says of an interface, "" for nothing; `ask_ip` by default.
    """
    found = []
    for folder in sorted(net.glob("*")):
        try:
            if (folder / "type").read_text(encoding="ascii").strip() != CAN_TYPE:
                continue
            state = (folder / "operstate").read_text(encoding="ascii").strip()
        except OSError:
            continue  # The interface went away, or the entry is none.
        bitrate, controller = _details((ask or ask_ip)(folder.name))
        # A virtual interface that is up says "unknown".
        found.append(CanInterface(folder.name, state != "down", bitrate, controller))
    return tuple(found)


def ask_ip(name: str) -> str:
    """What `ip` says of an interface, as JSON; "" where it is not installed or does not know it."""
    try:
        told = subprocess.run(
            ["ip", "-json", "-details", "link", "show", "dev", name],
            capture_output=True,
            text=True,
            timeout=_ANSWER_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout


def _details(text: str) -> tuple[int, str]:
    """Bit rate and state of the controller."""
    try:
        links: Any = json.loads(text or "[]")
        data = links[0]["linkinfo"]["info_data"]
        return int(data.get("bittiming", {}).get("bitrate", 0)), str(data.get("state", ""))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return 0, ""  # vcan has no data; an old `ip` speaks no JSON.
