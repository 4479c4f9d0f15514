"""How the tracker does: faults, images a second, what it costs, whom it has lost."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from diagnostic_msgs.msg import DiagnosticArray

from imove_core.errors import ImoveError
from imove_ros.diagnostics import diagnostic_array
from imove_tracker.tracker import Tracked


class Health:
    """Counts what happens between two reports."""

    def __init__(self, camera: str) -> None:
        """Begins with nothing to report.

        Args:
            camera: That is looked through.
        """
        self._camera = camera
        self._tracked: Tracked | None = None
        self._images = 0
        self._busy_s = 0.0
        self._faults: dict[str, str] = {}
        self.last_s = 0.0
        """How long the last piece of work took."""

    @property
    def fault(self) -> str:
        """What the last piece of work of some kind failed for, "" where none did."""
        return next(iter(self._faults.values()), "")

    @contextmanager
    def working(self, kind: str) -> Iterator[None]:
        """Around a piece of work of some kind; what is wrong with it is reported, and does not end the node."""
        began = time.monotonic()
        try:
            yield
            self._faults.pop(kind, None)
        except ImoveError as error:
            self._faults[kind] = str(error)
        self.last_s = time.monotonic() - began

    def looked(self) -> None:
        """The last piece of work was an image."""
        self._images, self._busy_s = self._images + 1, self._busy_s + self.last_s

    def told(self, tracked: Tracked) -> None:
        """Takes what was published last."""
        self._tracked = tracked

    def report(self, rig: str) -> DiagnosticArray:
        """One status, of the time since the last one."""
        level: Literal["ok", "warn", "error"] = "ok"
        sentence, values = "watches nothing", {"camera": self._camera, "images": str(self._images)}
        if self._tracked is not None:
            lost = [
                item.id
                for item, basis in zip(self._tracked.objects, self._tracked.basis, strict=True)
                if basis == "lost"
            ]
            sentence = self._tracked.question or "knows where every object is"
            level = "warn" if self._tracked.question else "ok"
            values |= {
                "lost": ", ".join(lost),
                "least_confidence": f"{min(self._tracked.confidence):.2f}",
                "image_age_ms": f"{1e3 * min(self._tracked.image_age_s, 3600.0):.0f}",
            }
        if self._images:
            values["ms_an_image"] = f"{1e3 * self._busy_s / self._images:.1f}"
        if self.fault:
            level, sentence = "error", self.fault
        self._images, self._busy_s, self._tracked = 0, 0.0, None
        return diagnostic_array("tracker", rig, level, sentence, values)
