"""All figures of language of a run, and the verdict."""

from __future__ import annotations

from typing import Any

import numpy as np

from imove_analysis.language.activation import activation, horizon_note
from imove_analysis.language.dependence import dependence
from imove_analysis.language.grounding import grounding
from imove_analysis.language.information import information
from imove_analysis.language.robustness import robustness
from imove_analysis.language.scenes import Scenes, scenes_of
from imove_analysis.language.verdict import acting_share, judge
from imove_analysis.runs import Run


def language_dependence(run: Run, rng: np.random.Generator) -> dict[str, Any]:
    """Whether a policy does what it is told.

    Args:
        run: Of one policy, best under several conditions on the same scenes.
        rng: Draws resamples and permutations; a result depends on its seed, not on the order of the file.

    Returns:
        Plain data: `policy`, `suite`, `scenes`, `conditions` (scenes by condition), `verdict` (`word`, `sentence`),
        `grounding.<condition>.<all|touching>`, `dependence.<act>`, `information`, `activation.<condition>.<stage>`,
        `robustness.<condition>.<stage>` and `notes`. Each figure has `value`, `ci95`, `n`, `sentence`, and `chance`
        where there is one; a figure whose conditions are missing has the value None and a `reason`.

    Raises:
        ImoveError: There is no finished episode, or a text did not arrive.
    """
    scenes = scenes_of(run)
    index = dependence(scenes, rng)
    return {
        "policy": run.policy,
        "suite": run.suite_name,
        "scenes": len(scenes.by_scene),
        "conditions": {condition: len(scenes.under(condition)) for condition in sorted(run.conditions)},
        "verdict": judge(index["reach"], acting_share(scenes)).to_record(),
        "grounding": grounding(scenes, rng),
        "dependence": index,
        "information": information(scenes, rng),
        "activation": activation(scenes),
        "robustness": robustness(scenes),
        "notes": _notes(scenes),
    }


def _notes(scenes: Scenes) -> list[str]:
    notes = [horizon_note(scenes)]
    if not scenes.contacts_sensed:
        notes.append("nothing senses contacts here: the first object that was reached stands in for the first touched")
    return notes
