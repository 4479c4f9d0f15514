"""What is known of one object at a time: where it is, how one knows, and how sure one is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from imove_core.transforms import Array, inverse

Basis = Literal["seen", "hidden", "carried", "lost", "confirmed"]
CONFIRMED_AT_FIRST = 0.5
HIDDEN_AT_FIRST = 0.8
HIDDEN_DECAY_PER_S = 0.03
"""What is hidden behind an arm has probably stayed where it was; less so as time goes by."""
CARRIED = 0.85
CARRIED_SEEN = 0.95
LOST = 0.1


@dataclass(frozen=True, eq=False)
class Track:
    """One object.

    Attributes:
        pose: (4, 4) world_from_object; of a carried one, where it was taken up.
        basis: How that is known.
        confidence: 0 to 1.
        clear: Share of its surface that agreed with the image when it was in full view, what later images are
            measured by.
        seen_ns: When it was last seen, 0 for never.
        arm: That carries it, "" for none.
        tool_from_object: (4, 4) while it is carried, None otherwise.
        color: (3,) mean colour as this camera sees it, None until it was seen.
    """

    pose: Array
    basis: Basis
    confidence: float
    clear: float = 0.0
    seen_ns: int = 0
    arm: str = ""
    tool_from_object: Array | None = None
    color: Array | None = None

    def pose_with(self, tools: dict[str, Array]) -> Array:
        """Pose (4, 4) now, given the tools' poses by arm name."""
        if self.tool_from_object is None or self.arm not in tools:
            return self.pose
        pose: Array = tools[self.arm] @ self.tool_from_object
        return pose

    def seen(self, stamp_ns: int, pose: Array, trust: float, clear: float, color: Array | None) -> Track:
        """It lies in full view."""
        return replace(
            self,
            pose=pose,
            basis="seen",
            confidence=float(np.clip(trust, 0.0, 1.0)),
            clear=clear,
            seen_ns=stamp_ns,
            arm="",
            tool_from_object=None,
            color=self.color if color is None else color,
        )

    def hidden(self, stamp_ns: int) -> Track:
        """Something is in front of where it was."""
        hidden_s = max(0, stamp_ns - self.seen_ns) / 1e9 if self.seen_ns else 0.0
        start = self.confidence if self.basis == "confirmed" else HIDDEN_AT_FIRST
        basis: Basis = "confirmed" if self.basis == "confirmed" else "hidden"
        return replace(self, basis=basis, confidence=max(LOST, start - HIDDEN_DECAY_PER_S * hidden_s))

    def taken(self, arm: str, world_from_tool: Array) -> Track:
        """An arm has closed its fingers on it."""
        return replace(
            self,
            basis="carried",
            confidence=CARRIED,
            arm=arm,
            tool_from_object=inverse(world_from_tool) @ self.pose,
        )

    def carried(self, seen_in_hand: bool) -> Track:
        """It moves with the tool."""
        return replace(self, basis="carried", confidence=CARRIED_SEEN if seen_in_hand else CARRIED)

    def put(self, pose: Array) -> Track:
        """No arm has it any more; it should be at a pose (4, 4), which no image has shown yet."""
        return replace(self, pose=pose, basis="hidden", confidence=HIDDEN_AT_FIRST, arm="", tool_from_object=None)

    def lost(self) -> Track:
        """It is not where it should be, and nowhere else."""
        return replace(self, basis="lost", confidence=LOST, arm="", tool_from_object=None)
