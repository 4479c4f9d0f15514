"""Looks before the first of several runs whether all can be done: the last would fail after hours otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from imove_bringup.evaluation.details import run_details
from imove_bringup.evaluation.finished import is_finished
from imove_bringup.evaluation.plan import PlannedRun
from imove_bringup.evaluation.steady_worker import parse_servers
from imove_core.errors import ImoveError
from imove_eval.store import check_resumable
from imove_policy_node.registry import PolicyContext, create_policy
from imove_policy_node.scheduling.registry import create_scheduler
from imove_tasks.assets.library import open_library


def check_runs(planned: Sequence[PlannedRun], assets: Sequence[Path]) -> None:
    """Makes everything that a run needs but its simulator, and lets go of it; runs that are finished need nothing.

    Servers are not asked: one that is not there yet may come.

    Args:
        planned: The runs.
        assets: Corpus folders with objects beside the shipped ones.

    Raises:
        ImoveError: A folder holds another run, a file is missing or broken, or a policy cannot be made.
    """
    library = open_library(assets)
    made: set[tuple[str, str, str, str, tuple[int, int]]] = set()
    for each in planned:
        settings, rig = each.run.settings, each.run.rig
        check_resumable(each.folder, settings)
        place = (settings.policy, settings.policy_config, each.policy_url, rig.name, settings.image_size)
        if place in made or is_finished(each):
            continue
        made.add(place)
        try:
            create_scheduler(settings.scheduler, settings.execute_steps)
            run_details(settings, rig)
            for url in parse_servers(each.policy_url):
                context = PolicyContext(rig, library, url, settings.policy_config, settings.image_size)
                create_policy(settings.policy, context).close()
        except ImoveError as error:
            what = f"{each.run.suite.name} with policy {settings.policy}"
            raise ImoveError(f"nothing was run: {what}: {error}") from error
