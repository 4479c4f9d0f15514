"""Everything that settings stand for where episodes run in process: on the rig, in the scheduler, in the policy."""

from __future__ import annotations

from typing import Any

from imove_core.rig import Rig
from imove_eval.details import rig_details
from imove_eval.settings import RunSettings
from imove_policy_node.details import policy_details, scheduler_details


def run_details(settings: RunSettings, rig: Rig) -> dict[str, Any]:
    """The details that belong into the provenance of a run.

    Args:
        settings: Of the run.
        rig: The embodiment, as loaded.

    Returns:
        What `rig_details` says, `scheduler` and `policy` (see `imove_policy_node.details`).

    Raises:
        ImoveError: A file is missing or broken.
    """
    return {
        **rig_details(settings.safety, rig),
        "scheduler": scheduler_details(settings.scheduler, settings.execute_steps),
        "policy": policy_details(settings.policy, settings.policy_config, rig),
    }
