"""What is said of a teleoperated episode: in its bag, and in the log of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from imove_core.canonical import canonical_json
from imove_core.recording import LAST_STEP, Dossier
from imove_tasks.assets.model import Asset
from imove_tasks.labels import episode_labels
from imove_tasks.stages import EpisodeScore
from imove_teleop_aloha.loop_clock import Figures
from imove_teleop_aloha.scenes import Scene

TELEOP = "teleop"
"""Source of a bag that a person drove."""


@dataclass(frozen=True)
class Run:
    """What all episodes of a run have in common.

    Attributes:
        operator: Who drives the arms.
        domain: `sim` or `real`.
        wiring: See `settings.WIRINGS`.
        provenance: Versions and settings.
    """

    operator: str
    domain: str
    wiring: str
    provenance: Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """What has become of an episode.

    Attributes:
        outcome: `kept`, `discarded`, or `aborted: REASON`.
        success: The operator's word; None where it was not asked for.
        last_step: The last control step.
        interruptions: Why the arms held meanwhile.
    """

    outcome: str
    success: bool | None
    last_step: int
    interruptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """How well an episode was followed and recorded.

    Attributes:
        rates_hz: Mean rates by topic.
        lag_s: From a leader's state to its command.
        jitter_s: Of the loop's periods.
        loop_rate_hz: Of the loop.
    """

    rates_hz: Mapping[str, float]
    lag_s: Figures
    jitter_s: Figures
    loop_rate_hz: float

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "rates_hz": {name: round(rate, 2) for name, rate in self.rates_hz.items()},
            "lag_s": asdict(self.lag_s),
            "jitter_s": asdict(self.jitter_s),
            "loop_rate_hz": round(self.loop_rate_hz, 2),
        }


def record_of(scene: Scene, run: Run, verdict: Verdict, bag: str | None) -> dict[str, Any]:
    """What is announced of an episode, as plain data.

    Args:
        scene: What it was of.
        run: Whose episode.
        verdict: What has become of it.
        bag: Folder within that of the run, None where there is none.
    """
    instruction = scene.spec.instruction(scene.condition)
    return {
        "number": scene.number,
        "episode_id": scene.key,
        "spec_id": scene.spec.id,
        "spec_hash": scene.spec.content_hash,
        "suite_spec_hash": scene.suite_spec_hash,
        "condition": scene.condition,
        "instruction": instruction.text,
        "target": instruction.target,
        "operator": run.operator,
        "outcome": verdict.outcome,
        "success": verdict.success,
        LAST_STEP: verdict.last_step,
        "interruptions": list(verdict.interruptions),
        "bag": bag,
    }


def dossier_of(
    scene: Scene,
    run: Run,
    verdict: Verdict,
    score: EpisodeScore,
    phases: tuple[str, ...],
    measured: Measured,
    asset: Callable[[str], Asset],
    scene_provider: Mapping[str, Any],
) -> Dossier:
    """What the bag of a kept episode is told; its labels have the operator's word beside both rubrics'.

    Args:
        scene: What it was of.
        run: Whose episode.
        verdict: The operator's.
        score: The rubrics'.
        phases: Of each control step.
        measured: How well it went.
        asset: Gives the asset of an id.
        scene_provider: What the scene provider says of itself.
    """
    spec = scene.spec
    assets = {item.id: asset(item.asset) for item in spec.objects}
    labels = episode_labels(spec, scene.condition, score, phases, assets)
    target = spec.instruction(scene.condition).target
    facts = {
        "source": TELEOP,
        "domain": run.domain,
        "policy": TELEOP,
        "operator": run.operator,
        "success": _text(bool(verdict.success)),
        "success_rubric": _text(labels.success),
        "stages": ",".join(stage for stage in score.stages if score.reached_stage("strict", stage)),
        "target": "" if target is None else spec.object(target).phrase,
        "target_id": target or "",
        "interruptions": str(len(verdict.interruptions)),
        "engine": str(scene_provider.get("engine", "")),
    }
    record = {**labels.to_record(), "operator": {"name": run.operator, "success": bool(verdict.success)}}
    origin = {
        **run.provenance,
        "wiring": run.wiring,
        "scene_provider": dict(scene_provider),
        "suite_spec_hash": scene.suite_spec_hash,
        "interruptions": list(verdict.interruptions),
        **measured.to_record(),
    }
    return Dossier(facts, canonical_json(record), canonical_json(origin))


def _text(flag: bool) -> str:
    return "true" if flag else "false"
