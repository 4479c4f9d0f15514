"""`imove suite list`."""

import json
from typing import Annotated

import typer


def list_suites(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the shipped suites."""
    from imove_tasks.suites import open_suite, suite_names

    rows = []
    for name in suite_names():
        suite = open_suite(name)
        certified = sum(spec.certificate is not None for spec in suite.specs)
        rows.append(
            {
                "suite": name,
                "rig": suite.rig,
                "episodes": len(suite.specs),
                "certified": certified,
                "content_hash": suite.content_hash,
            }
        )
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    for row in rows:
        typer.echo(
            f"{row['suite']:<32} {row['rig']:<14} {row['episodes']:>4} episodes, {row['certified']} certified  "
            f"{row['content_hash'][:12]}"
        )
