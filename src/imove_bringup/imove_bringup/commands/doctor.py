"""`imove doctor`: says what works on this machine."""

import dataclasses
import json
from typing import Annotated

import typer


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Say what works here: ROS, renderer, libraries, disk, CAN, cameras. Status 1 when a needed thing fails."""
    from imove_bringup.diagnosis import diagnose

    findings = diagnose()
    if as_json:
        typer.echo(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            typer.echo(f"{finding.status:7} {finding.name:14} {finding.detail}")
    raise typer.Exit(int(any(finding.status == "failed" for finding in findings)))
