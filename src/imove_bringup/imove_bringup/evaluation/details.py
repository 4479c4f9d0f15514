"""What settings stand for on a rig, and hashes of the files that they name: all of it moves results."""

from __future__ import annotations

from typing import Any

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.rig import Rig
from imove_eval.settings import RunSettings
from imove_motion.safety.settings import load_safety
from imove_policy_node.details import policy_details, scheduler_details


def run_details(settings: RunSettings, rig: Rig) -> dict[str, Any]:
    """The details that belong into the provenance of a run.

    Args:
        settings: Of the run.
        rig: The embodiment, as loaded.

    Returns:
        `scheduler`, `policy` (see `imove_policy_node.details`), `safety` (all its limits), `safety_hash`, `rig_hash`
        (of all but where a lab's devices are) and `control_rate_hz`.

    Raises:
        ImoveError: A file is missing or broken.
    """
    limits = load_safety(settings.safety, rig).model_dump(mode="json")
    return {
        "scheduler": scheduler_details(settings.scheduler, settings.execute_steps),
        "policy": policy_details(settings.policy, settings.policy_config, rig),
        "safety": limits,
        "safety_hash": sha256_of_text(canonical_json(limits)),
        "rig_hash": sha256_of_text(canonical_json(rig.model_dump(mode="json", exclude={"hardware", "description"}))),
        "control_rate_hz": rig.control_rate_hz,
    }
