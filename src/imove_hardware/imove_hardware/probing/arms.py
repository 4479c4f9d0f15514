"""What is on a CAN bus: which arms, who they are, how often they tell where they are. Nothing is moved or changed."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import Literal

from imove_core.errors import ImoveError
from imove_core.rig import Arm
from imove_hardware.piper.bus import FOREIGN_FRAMES, parse_address
from imove_hardware.piper.checks import ArmFacts, check
from imove_hardware.piper.connection import Connection
from imove_hardware.piper.identifying import identify
from imove_hardware.piper.reading import FEEDBACK_IDS, LEADER_IDS
from imove_hardware.piper.watching import fault_of

COUNT_S = 1.0
"""How long frames are counted."""
Role = Literal["nothing", "follower", "leader", "pair"]
"""Who speaks on a bus; a pair is a leader and its follower, as the vendor wires them."""


@dataclass(frozen=True, eq=False)
class ArmProbe:
    """What was found on a bus.

    Attributes:
        bus: Its address.
        problem: Why nothing was found, "" where something was.
        facts: Of the arm, None where nothing was found.
        frames_hz: Frames a second of those that a driver reads.
        readings_hz: Whole sets of joint angles a second, of the follower.
        leader_hz: Whole sets of joint angles a second that a leader sends.
    """

    bus: str
    problem: str
    facts: ArmFacts | None = None
    frames_hz: float = 0.0
    readings_hz: float = 0.0
    leader_hz: float = 0.0

    @property
    def role(self) -> Role:
        """Who speaks there."""
        if self.facts is None:
            return "nothing"
        follows = self.facts.frame_ids.issuperset(FEEDBACK_IDS)
        leads = self.facts.frame_ids.issuperset(LEADER_IDS)
        return "pair" if follows and leads else "leader" if leads else "follower"

    @property
    def firmware(self) -> str:
        """As the arm told it, "" where it did not."""
        return self.facts.firmware if self.facts is not None else ""

    def follower_problem(self, arm: Arm, expected_firmware: str, led: bool) -> str:
        """Why this is not the follower that a rig expects, or must not move, in one sentence; "" where all is well.

        Args:
            arm: Of the rig.
            expected_firmware: As it was read when the rig was set up, "" for any.
            led: Whether a leader is expected on the same bus.
        """
        if self.facts is None:
            return self.problem
        if led and self.role == "follower":
            return f"no leader is heard on {self.bus}, where arm '{arm.name}' should have one: is it switched on?"
        facts = _without_leader(self.facts) if led else self.facts
        problem = check(arm, expected_firmware, facts)
        fault = fault_of(arm.name, facts.health, commanding=False)
        return problem or (fault.sentence if fault is not None else "")

    def leader_problem(self, arm: Arm) -> str:
        """Why this cannot lead an arm, in one sentence; "" where all is well."""
        if self.facts is None:
            return self.problem
        if not self.leader_hz and not self.readings_hz:
            return f"the leader of arm '{arm.name}' on {self.bus} does not tell where it is"
        return ""


def probe_arm(bus: str, ending: threading.Event | None = None, count_s: float = COUNT_S) -> ArmProbe:
    """Listens on a bus, asks the arm who it is, and counts what it tells.

    Args:
        bus: Address of the bus.
        ending: Set where nobody wants to know any more.
        count_s: How long to count.

    Raises:
        ImoveError: The address is none of a CAN bus.
    """
    address, ending = parse_address(bus), ending or threading.Event()
    try:
        connection = Connection.heard(address, ending)
    except ImoveError as error:
        return ArmProbe(bus, str(error))
    try:
        facts = identify(connection, ending)
        before, since_s = _counts(connection), time.monotonic()
        ending.wait(count_s)
        passed_s = time.monotonic() - since_s
        frames, readings, leader = (
            (now - then) / passed_s for now, then in zip(_counts(connection), before, strict=True)
        )
    finally:
        connection.close()
    return ArmProbe(bus, "", facts, frames, readings, leader)


def _counts(connection: Connection) -> tuple[int, int, int]:
    return connection.frames, connection.readings, connection.leader_readings


def _without_leader(facts: ArmFacts) -> ArmFacts:
    """What only the follower of a pair said."""
    foreign = {i for i in facts.frame_ids if any(i & mask == base for base, mask in FOREIGN_FRAMES)}
    return replace(facts, frame_ids=facts.frame_ids - foreign - set(LEADER_IDS))
