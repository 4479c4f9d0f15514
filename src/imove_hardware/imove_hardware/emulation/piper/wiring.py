"""Which arms hang on which channel of an emulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from imove_core.errors import ImoveError, unknown_name
from imove_hardware.emulation.piper.arm import EmulatedPiper
from imove_hardware.emulation.piper.feedback import FeedbackRates
from imove_hardware.emulation.piper.line import Line
from imove_hardware.emulation.piper.plant import Plant

FOLLOWER, LEADER, PAIR = "follower", "leader", "pair"
ROLES = (FOLLOWER, LEADER, PAIR)


@dataclass(frozen=True)
class Wiring:
    """One channel.

    Attributes:
        channel: Name of the channel.
        role: `follower` and `leader` are one arm, named as the channel; `pair` is both on one line, `<channel>` and
            `<channel>_leader`, as the vendor wires them.
    """

    channel: str
    role: str = FOLLOWER

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads `NAME` or `NAME:ROLE`.

        Raises:
            ImoveError: The role is unknown, or the name is no name.
        """
        channel, _, role = text.partition(":")
        if not channel.replace("_", "").isalnum():
            raise ImoveError(f"channel is '{channel}'; letters, digits and _ are allowed")
        if role and role not in ROLES:
            raise unknown_name(f"role of channel {channel}", role, ROLES)
        return cls(channel, role or FOLLOWER)


def build_lines(
    wirings: Sequence[Wiring],
    seed: int,
    rates: FeedbackRates | None = None,
    plants: Mapping[str, Plant] | None = None,
) -> list[Line]:
    """Makes the arms of every channel.

    Args:
        wirings: The channels.
        seed: Of lost frames and jitter; every line draws from a stream of its own.
        rates: How often arms send what.
        plants: Mechanics by name of the arm; a first-order arm for any other.
    """
    plants = plants or {}
    streams = np.random.default_rng(seed).spawn(len(wirings))
    return [
        Line(
            wiring.channel,
            [
                EmulatedPiper(name, plant=plants.get(name), rates=rates, leading=leading)
                for name, leading in _arms(wiring)
            ],
            stream,
        )
        for wiring, stream in zip(wirings, streams, strict=True)
    ]


def _arms(wiring: Wiring) -> list[tuple[str, bool]]:
    if wiring.role == PAIR:
        return [(f"{wiring.channel}_leader", True), (wiring.channel, False)]
    return [(wiring.channel, wiring.role == LEADER)]
