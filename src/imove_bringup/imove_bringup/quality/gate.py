"""What an asset must pass to be in a library."""

from __future__ import annotations

import hashlib
import time

import numpy as np

from imove_bringup.quality.results import Disagreement, Grasps, Pose, Result
from imove_core.rig import Rig
from imove_sim_bridge.studio import ABOVE, Studio, View
from imove_sim_bridge.trials import StabilityReport, TrialReport, grasp_trials, stability_trials
from imove_tasks.assets.consistency import consistency_findings
from imove_tasks.assets.consistency_pictures import Shot, picture_findings
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.findings import Finding
from imove_tasks.assets.library import Entry
from imove_tasks.assets.model import TAG_GRASPABLE, Asset

GATE = 1
"""Version of the gate: raise it when a check or a limit changes, and every asset is checked again."""
LEAST_SHARE = 0.7
"""A graspable object must be lifted in this share of its trials."""

_PICTURE_PX = 96
# The views in which colour and material words are defined: above, and 45 degrees from four sides.
_VIEWS = (ABOVE, *(View(azimuth, 45.0) for azimuth in (0.0, 90.0, 180.0, 270.0)))


def check_entry(entry: Entry, rig: Rig, trials: int) -> Result:
    """Checks what a library has in one place; an asset that cannot be had fails."""
    try:
        asset = entry.load()
    except AssetError as error:
        return Result(
            uuid=entry.uuid,
            name=entry.row.name if entry.row else entry.category,
            category=entry.category,
            domain=entry.row.domain if entry.row else "",
            content_hash="",
            gate=GATE,
            rig=rig.name,
            passed=False,
            reason=f"cannot be had: {error}",
            grasps=None,
            poses=(),
            checks=0,
            disagreements=(),
            cpu_s=0.0,
        )
    return check_asset(asset, rig, trials)


def check_asset(asset: Asset, rig: Rig, trials: int) -> Result:
    """Grasps, rests and measures an asset.

    Args:
        asset: What to check.
        rig: Whose hand, reach and workspace count.
        trials: Number of trial grasps.
    """
    start = time.process_time()
    # Each asset has draws of its own, the same wherever and whenever it is checked.
    rng = np.random.default_rng(np.frombuffer(hashlib.sha256(asset.uuid.encode()).digest(), dtype=np.uint32))
    grasped = grasp_trials(asset, rig, rng, trials) if TAG_GRASPABLE in asset.tags else None
    rested = stability_trials(asset, rng)
    findings = [*consistency_findings(asset), *picture_findings(asset, _shots(asset)), *_resting_findings(rested)]
    disagreements = [finding for finding in findings if not finding.ok]
    reason = _reason(grasped, disagreements)
    return Result(
        uuid=asset.uuid,
        name=asset.name,
        category=asset.category,
        domain=asset.domain,
        content_hash=asset.content_hash(),
        gate=GATE,
        rig=rig.name,
        passed=not reason,
        reason=reason,
        grasps=_grasps(grasped) if grasped else None,
        poses=tuple(
            Pose(holds=p.holds, tilt_deg=round(float(np.degrees(p.tilt_rad)), 2), drift_mm=round(p.drift_m * 1e3, 2))
            for p in rested.poses
        ),
        checks=len(findings),
        disagreements=tuple(
            Disagreement(check=item.check, measured=item.measured, claimed=item.claimed) for item in disagreements
        ),
        cpu_s=round(time.process_time() - start, 3),
    )


def _shots(asset: Asset) -> list[Shot]:
    with Studio(asset, size_px=_PICTURE_PX, opaque=True) as studio:
        return [Shot(studio.albedo(view)[0], studio.meshes(view)) for view in _VIEWS]


def _resting_findings(rested: StabilityReport) -> list[Finding]:
    return [
        Finding(f"resting pose {p.pose}", f"tilts {np.degrees(p.tilt_rad):.1f} degrees", "stays", p.holds)
        for p in rested.poses
    ]


def _reason(grasped: TrialReport | None, disagreements: list[Finding]) -> str:
    reasons = []
    if grasped is not None and grasped.share < LEAST_SHARE:
        told = ", ".join(f"{reason} {number}" for reason, number in grasped.failures)
        reasons.append(f"held in {grasped.successes} of {grasped.trials} trials ({told})")
    reasons += [f"{item.check}: {item.measured}, claimed {item.claimed}" for item in disagreements]
    return "; ".join(reasons)


def _grasps(report: TrialReport) -> Grasps:
    return Grasps(
        trials=report.trials,
        successes=report.successes,
        failures=dict(report.failures),
        grips={str(tally.grip): (tally.tried, tally.held) for tally in report.grips},
        slip_mm=round(report.slip_m * 1e3, 3),
    )
