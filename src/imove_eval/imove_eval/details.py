"""What settings stand for on a rig, and hashes of the files that they name: all of it moves results."""

from __future__ import annotations

from typing import Any

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.rig import Rig
from imove_motion.safety.settings import load_safety


def rig_details(safety: str, rig: Rig) -> dict[str, Any]:
    """What a rig and its safety layer are.

    Args:
        safety: Name or file, as in `RunSettings`.
        rig: The embodiment, as loaded.

    Returns:
        `safety` (all its limits), `safety_hash`, `rig_hash` (of all but where a lab's devices are) and
        `control_rate_hz`.

    Raises:
        ImoveError: The settings of the safety layer cannot be read.
    """
    limits = load_safety(safety, rig).model_dump(mode="json")
    return {
        "safety": limits,
        "safety_hash": sha256_of_text(canonical_json(limits)),
        "rig_hash": sha256_of_text(canonical_json(rig.model_dump(mode="json", exclude={"hardware", "description"}))),
        "control_rate_hz": rig.control_rate_hz,
    }
