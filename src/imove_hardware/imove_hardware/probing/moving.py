"""Tells arms that look alike apart: a person moves one by hand."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_core.transforms import Array
from imove_hardware.piper.bus import parse_address
from imove_hardware.piper.connection import POLL_S, Connection

MOVED_RAD, MOVED_M = 0.06, 0.01
"""A hand moves a joint or the fingers farther; an arm without power that settles does not."""


def moved_bus(buses: Sequence[str], timeout_s: float, ending: threading.Event | None = None) -> str:
    """Waits until one arm is moved by hand.

    Args:
        buses: Addresses of the buses of arms, or of leaders, that may be meant.
        timeout_s: How long to wait.
        ending: Set where nobody waits any more.

    Returns:
        Address of the bus of the arm that moved first.

    Raises:
        ImoveError: A bus is silent, or none moved.
    """
    ending = ending or threading.Event()
    connections: dict[str, Connection] = {}
    try:
        for bus in buses:
            connections[bus] = Connection.heard(parse_address(bus), ending)
        rest: dict[str, Array] = {}
        deadline_s = time.monotonic() + timeout_s
        while time.monotonic() < deadline_s and not ending.wait(POLL_S):
            for bus, connection in connections.items():
                positions = _positions(connection)
                if positions is None:
                    continue
                moved = np.abs(positions - rest.setdefault(bus, positions))
                if moved[:-1].max() > MOVED_RAD or moved[-1] > MOVED_M:
                    return bus
    finally:
        for connection in connections.values():
            connection.close()
    raise ImoveError(
        f"no arm on {', '.join(buses)} was moved by {np.degrees(MOVED_RAD):.0f} degrees within {timeout_s:g} s"
    )


def _positions(connection: Connection) -> Array | None:
    """Where an arm is, or a leader that tells it by its commands only."""
    reading = connection.reading or connection.leader_reading
    return None if reading is None else reading.positions
