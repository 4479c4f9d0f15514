"""Object states as the rest of imove reads them, from tracks; and what to ask a person about them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from imove_core.state import ObjectState
from imove_core.transforms import Array, apply, quaternion_from_rotation
from imove_tracker.known import KnownObject
from imove_tracker.tracks import Track

MOVED_M = 0.01
"""As in simulation."""
NEAR_FLOOR_M = 0.012
"""What is no higher than this above the table, or above what is below it, rests on it."""
TABLE = "table"
DOUBT = 0.35
"""A confidence below which a person is asked."""


class StateMaker:
    """Makes states of one episode; speeds are those between one state and the next."""

    def __init__(self) -> None:
        """Begins an episode."""
        self._first: dict[str, Array] = {}
        self._last: dict[str, Array] = {}
        self._last_ns = 0

    def objects(
        self, stamp_ns: int, known: Mapping[str, KnownObject], tracks: Mapping[str, Track], tools: dict[str, Array]
    ) -> tuple[ObjectState, ...]:
        """States at a time, in the order of the spec.

        Args:
            stamp_ns: The time.
            known: The objects.
            tracks: What is known of where they are.
            tools: Poses (4, 4) of the tools at that time, by arm name.
        """
        poses = {name: track.pose_with(tools) for name, track in tracks.items()}
        passed_s = (stamp_ns - self._last_ns) / 1e9 if self._last else 0.0
        found = tuple(self._state(known[name], track, poses, passed_s) for name, track in tracks.items())
        if passed_s > 0.0 or not self._last:
            self._last, self._last_ns = poses, stamp_ns
        for name, track in tracks.items():
            # Where it was laid out is not known before it was seen.
            if name not in self._first and track.seen_ns:
                self._first[name] = poses[name][:3, 3].copy()
        return found

    def _state(self, known: KnownObject, track: Track, poses: Mapping[str, Array], passed_s: float) -> ObjectState:
        name = known.item.id
        pose, before = poses[name], self._last.get(name)
        linear, angular = np.zeros(3), np.zeros(3)
        if before is not None and passed_s > 0.0:
            linear = (pose[:3, 3] - before[:3, 3]) / passed_s
            turn = pose[:3, :3] @ before[:3, :3].T
            angular = (
                np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2 / passed_s
            )
        first = self._first.get(name, pose[:3, 3])
        return ObjectState(
            id=name,
            position=pose[:3, 3].copy(),
            quaternion_xyzw=quaternion_from_rotation(pose[:3, :3]),
            box_min=np.array(known.item.box_min),
            box_max=np.array(known.item.box_max),
            linear_velocity=linear,
            angular_velocity=angular,
            moved=bool(np.linalg.norm(pose[:3, 3] - first) > MOVED_M),
            held_by=track.arm,
            touched_by=(track.arm,) if track.arm else (),
            supported_by=() if track.arm else _support(known, poses),
            contacts_known=False,
        )


def _support(known: KnownObject, poses: Mapping[str, Array]) -> tuple[str, ...]:
    """The table where it is low above it."""
    pose, low, high = poses[known.item.id], np.array(known.item.box_min), np.array(known.item.box_max)
    middle = apply(pose, (low + high) / 2)
    bottom_m = float(middle[2] - np.abs(pose[2, :3]) @ ((high - low) / 2))
    return (TABLE,) if bottom_m <= NEAR_FLOOR_M else ()


def question_about(known: Mapping[str, KnownObject], tracks: Mapping[str, Track], rivals: Mapping[str, str]) -> str:
    """One sentence about the object that is most in doubt, "" where none is."""
    worst = min(tracks, key=lambda name: tracks[name].confidence)
    phrase = known[worst].item.phrase
    if tracks[worst].basis == "lost":
        return f"Where is the {phrase} ({worst})? The camera does not see it where it was."
    if tracks[worst].confidence < DOUBT:
        return f"Is the {phrase} ({worst}) still where it is drawn? Something has hidden it for long."
    for name, rival in rivals.items():
        if rival and tracks[name].basis != "confirmed":
            return (
                f"Which is the {known[name].item.phrase} ({name}) and which the {known[rival].item.phrase} ({rival})? "
                "They look alike."
            )
    return ""
