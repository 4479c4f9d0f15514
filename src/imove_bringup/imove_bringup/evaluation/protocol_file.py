"""`protocol.json`: what belongs to a set of runs, beside their folders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from imove_bringup.evaluation.plan import PlannedRun
from imove_core.canonical import write_text_atomically
from imove_core.errors import ImoveError

PROTOCOL = "protocol.json"
FORMAT = 1


def write_protocol(output: Path, planned: Sequence[PlannedRun]) -> None:
    """Names the runs of a protocol; those that an earlier call asked for stay in it.

    Args:
        output: Above the folders of the runs.
        planned: The runs of this call.

    Raises:
        ImoveError: The file that is there is damaged, or the folder cannot be written.
    """
    path = output / PROTOCOL
    runs = {**_runs_in(path), **{str(each.folder.relative_to(output)): _entry(each) for each in planned}}
    text = json.dumps({"format": FORMAT, "runs": runs}, indent=2, sort_keys=True) + "\n"
    try:
        output.mkdir(parents=True, exist_ok=True)
        write_text_atomically(path, text)
    except OSError as error:
        raise ImoveError(f"output {output} cannot be written: {error.strerror}") from error


def _runs_in(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise ImoveError(f"{path} has the format {found['format']}; this version reads {FORMAT}")
        return dict(found["runs"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ImoveError(f"{path} is damaged; give another folder, or remove it and give the same command") from error


def _entry(planned: PlannedRun) -> dict[str, Any]:
    run = planned.run
    return {
        "settings": run.settings.to_record(),
        "episodes": len(run.specs),
        "conditions": list(run.conditions),
    }
