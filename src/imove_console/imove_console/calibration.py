"""The calibration wizard: views of a board, what follows from them, and the rig file that it becomes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from imove_console.calibration_board import thumbnail, view_of
from imove_console.calibration_outcome import FEWEST_TABLE_SAMPLES, Outcome, hand_eye_outcome, table_outcome
from imove_console.calibration_samples import HAND_EYE, TABLE, Choice, Sample, View, Views
from imove_core import hardware
from imove_core.calibration.board import CharucoBoard
from imove_core.calibration.hand_eye import FEWEST_SAMPLES
from imove_core.calibration.result import with_calibration
from imove_core.canonical import write_text_atomically
from imove_core.errors import ImoveError
from imove_core.hardware import Calibrated
from imove_core.kinematics import flange_pose, link_poses
from imove_core.rig import Arm, Rig, parse_rig
from imove_core.transforms import Array

MOST_SAMPLES = 60


@dataclass
class Calibration:
    """One calibration at a time, for whoever has the page open; one thread at a time calls it."""

    rig: Rig
    folder: Path
    views: Views
    choice: Choice | None = None
    samples: list[Sample] = field(default_factory=list)
    outcome: Outcome | None = None
    written: str = ""
    _taken: int = 0

    def begin(self, choice: Choice) -> None:
        """Begins anew; raises ImoveError where the rig has no such camera or arm."""
        camera = self.rig.camera(choice.camera)
        if choice.kind == TABLE and camera.arm_and_link is not None:
            raise ImoveError(f"camera '{camera.name}' moves with an arm; choose one that is fixed to find the table")
        if choice.kind == HAND_EYE and camera.arm_and_link is None:
            self.rig.arm(choice.arm)
        self.choice, self.outcome, self.written = choice, None, ""
        self.samples.clear()
        self._taken = 0
        self.views.look(choice.camera)

    def end(self) -> None:
        """Ends it; samples are gone."""
        self.choice, self.outcome = None, None
        self.samples.clear()
        self.views.look(None)

    def take(self) -> Sample:
        """Takes a sample; raises ImoveError where the board is not seen, or an arm moves."""
        choice = self._chosen()
        if len(self.samples) >= MOST_SAMPLES:
            raise ImoveError(f"there are {MOST_SAMPLES} samples already; remove some")
        view = self.views.view()
        board = view_of(view.rgb, choice.board, view.intrinsics, view.distortion)
        self._taken += 1
        sample = Sample(self._taken, board, self._link(choice, view), thumbnail(view.rgb, board))
        self.samples.append(sample)
        self.outcome = None
        return sample

    def drop(self, number: int) -> None:
        """Removes a sample."""
        self.samples = [sample for sample in self.samples if sample.number != number]
        self.outcome = None

    def solve(self) -> Outcome:
        """What follows from the samples; raises ImoveError where they are too few or too alike."""
        choice = self._chosen()
        find = table_outcome if choice.kind == TABLE else hand_eye_outcome
        self.outcome = find(self.rig, choice, self.samples)
        return self.outcome

    def write(self, now: datetime) -> Path:
        """Writes the rig with what was found as a file of its own.

        Args:
            now: For the name of the file, and for people.

        Raises:
            ImoveError: There is nothing worth writing, or it cannot be written.
        """
        choice = self._chosen()
        if self.outcome is None:
            raise ImoveError("nothing has been computed yet")
        if self.outcome.verdict == "error":
            raise ImoveError(
                f"residuals are {self.outcome.rms_mm:.1f} mm and {self.outcome.rms_deg:.1f} deg, "
                "which is no calibration; check the board's size and remove views that stand out"
            )
        path = self.folder / f"{self.rig.name}-{now:%Y%m%d-%H%M%S}.yaml"
        what = hardware.TABLE if choice.kind == TABLE else choice.camera
        found = with_calibration(self.outcome.rig, what, self._note(self.outcome, now))
        head = (
            f"# Written {now.astimezone(UTC):%Y-%m-%d %H:%M} UTC by the console, which has found {what} from "
            f"{len(self.samples)} views.\n"
        )
        text = head + yaml.safe_dump(found.model_dump(exclude_none=True), sort_keys=False, width=120)
        parse_rig(text, path.name)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_text_atomically(path, text)
        except OSError as error:
            raise ImoveError(f"rig file {path.name} cannot be written: {error.strerror}") from error
        # Another camera of the same rig may follow; its file has both.
        self.rig, self.written = found, path.name
        return path

    def plain(self) -> dict[str, Any]:
        """Where the wizard stands, as JSON takes it."""
        outcome = self.outcome
        return {
            "cameras": [
                {"name": c.name, "on_hand": c.arm_and_link is not None, "calibrated_on": self._day_of(c.name)}
                for c in self.rig.cameras
            ],
            "table_calibrated_on": self._day_of(hardware.TABLE),
            "arms": [arm.name for arm in self.rig.arms],
            "board": (self.choice.board if self.choice else CharucoBoard()).model_dump(),
            "choice": self.choice.model_dump(exclude={"board"}) if self.choice else None,
            "needed": FEWEST_TABLE_SAMPLES if self.choice and self.choice.kind == TABLE else FEWEST_SAMPLES,
            "samples": [
                {
                    "number": sample.number,
                    "corners": len(sample.board.ids),
                    "reprojection_px": sample.board.reprojection_px,
                    "residual_mm": outcome.residuals_mm.get(sample.number) if outcome else None,
                }
                for sample in self.samples
            ],
            "outcome": outcome
            and {
                "verdict": outcome.verdict,
                "rms_mm": outcome.rms_mm,
                "rms_deg": outcome.rms_deg,
                "moved_mm": outcome.moved_mm,
                "turned_deg": outcome.turned_deg,
            },
            "written": self.written,
        }

    def _note(self, outcome: Outcome, now: datetime) -> Calibrated:
        squares = [sample.board.reprojection_px**2 for sample in self.samples]
        return Calibrated(
            calibrated_on=now.astimezone(UTC).date(),
            reprojection_px=round(math.sqrt(sum(squares) / len(squares)), 3),
            residual_mm=round(outcome.rms_mm, 3),
        )

    def _chosen(self) -> Choice:
        if self.choice is None:
            raise ImoveError("nothing is being calibrated; begin first")
        return self.choice

    def _day_of(self, what: str) -> str:
        note = self.rig.hardware.calibration.get(what)
        return note.calibrated_on.isoformat() if note is not None else ""

    def _link(self, choice: Choice, view: View) -> Array | None:
        """`base_from_link` of what carries the camera, or of the flange that carries the board."""
        if choice.kind == TABLE:
            return None
        place = self.rig.camera(choice.camera).arm_and_link
        arm = self.rig.arm(place[0] if place else choice.arm)
        joints = _arm_joints(arm, view)
        return link_poses(arm.arm_model, joints)[place[1]] if place else flange_pose(arm.arm_model, joints)


def _arm_joints(arm: Arm, view: View) -> Array:
    if arm.name not in view.joints:
        raise ImoveError(f"arm '{arm.name}' does not say where its joints are")
    return view.joints[arm.name][: arm.size - 1]
