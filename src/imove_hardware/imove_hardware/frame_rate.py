"""How often something comes."""


class FrameRate:
    """Frames a second, over windows of a second."""

    def __init__(self) -> None:
        """Has counted none."""
        self._frames, self._since_s = 0, 0.0
        self.hz = 0.0
        """Of the last window."""

    def look(self, frames: int, now_s: float) -> None:
        """Takes note of how many have come in all; fewer than before are those of another connection."""
        passed_s = now_s - self._since_s
        if passed_s < 1.0 and frames >= self._frames:
            return
        self.hz = max(0, frames - self._frames) / passed_s if passed_s < 10.0 else 0.0
        self._frames, self._since_s = frames, now_s
