"""`imove doctor`: says what works on this machine, and on a rig."""

import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from imove_bringup.diagnosis import Finding

_NAME_WIDTH = 14


def doctor(
    rig: Annotated[str, typer.Option(help="Look at the devices of this rig file, too.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what works here: ROS, renderer, libraries, disk, CAN, cameras; with --rig, every arm and camera of a lab.

    Status 1 when a needed thing fails.
    """
    from imove_bringup.diagnosis import diagnose

    findings = [*diagnose(), *(_rig_findings(rig) if rig else ())]
    if as_json:
        typer.echo(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        print_findings(findings)
    raise typer.Exit(int(any(finding.status == "failed" for finding in findings)))


def print_findings(findings: "Sequence[Finding]") -> None:
    """Prints one line each."""
    width = max(_NAME_WIDTH, *(len(finding.name) for finding in findings))
    for finding in findings:
        typer.echo(f"{finding.status:7} {finding.name:{width}} {finding.detail}")


def _rig_findings(rig: str) -> "list[Finding]":
    from datetime import UTC, datetime
    from pathlib import Path

    from rich.console import Console
    from rich.progress import Progress

    from imove_bringup.rig_setup.checking import rig_findings
    from imove_bringup.rig_setup.measuring import can_buses, measure
    from imove_core.rig import load_rig

    loaded = load_rig(rig)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("devices", total=len(can_buses(loaded)) + len(loaded.hardware.cameras))
        measured = measure(loaded, lambda name: progress.advance(task))
    return rig_findings(loaded, measured, datetime.now(UTC), Path.cwd())
