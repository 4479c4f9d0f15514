"""How a recorder records."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from imove_core.bag.queue import CAPACITY_BYTES
from imove_core.bag.writer import WriterSettings
from imove_core.contract import SIM
from imove_core.rig import Rig

LOCKSTEP, REALTIME = "lockstep", "realtime"
CLOCKS = (LOCKSTEP, REALTIME)
RAW, JPEG = "raw", "jpeg"
COLOURS = (RAW, JPEG)


@dataclass(frozen=True)
class RecorderSettings:
    """Settings of a recorder.

    Attributes:
        rig: The embodiment; its topics are recorded.
        dataset: Folder of the bags, absolute.
        domain: `sim` or `real`; only a simulator has a clock of its own, and its stamps are the times in the bag.
        clock: `lockstep` or `realtime`; in lockstep a step may be published twice and is recorded once.
        colour: `raw` images, or the `jpeg` ones of a real camera's driver.
        depth: Whether depth images are recorded.
        writer: How bags are written.
        queue_bytes: Most that may wait to be written.
        autostart: Whether each episode that is announced is recorded without being asked for.
    """

    rig: Rig
    dataset: Path
    domain: str = SIM
    clock: str = LOCKSTEP
    colour: str = RAW
    depth: bool = True
    writer: WriterSettings = WriterSettings()
    queue_bytes: int = CAPACITY_BYTES
    autostart: bool = False
