"""`imove suite audit`."""

import json
from typing import Annotated

import typer

from imove_bringup.commands.options import OtherRig


def audit(
    suites: Annotated[
        list[str] | None, typer.Argument(help="Shipped suites, or .jsonl files; all shipped ones when none is named.")
    ] = None,
    rig: OtherRig = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say how often rules that never read the instruction choose what it asks for, and how balanced suites are.

    Exit 1 when a rule is outside of what chance explains.
    """
    from rich.console import Console

    from imove_bringup.freezing.audit_tables import balance_table, findings_table
    from imove_policy_node.blind_choice import blind_rules
    from imove_tasks.audit import audit as run_audit
    from imove_tasks.audit import balance
    from imove_tasks.suites import open_suite, suite_names

    opened = [open_suite(name) for name in suites or suite_names()]
    findings = {suite.name: run_audit(suite.specs, blind_rules(suite.open_rig(rig))) for suite in opened}
    if as_json:
        typer.echo(
            json.dumps(
                {
                    suite.name: {
                        "findings": [finding.to_record() for finding in findings[suite.name]],
                        "balance": balance(suite.specs).to_record(),
                    }
                    for suite in opened
                },
                indent=2,
            )
        )
    else:
        console = Console()
        for suite in opened:
            console.print(findings_table(suite.name, findings[suite.name]))
            console.print(balance_table(suite.name, balance(suite.specs)))
    if not all(finding.sound for found in findings.values() for finding in found):
        raise typer.Exit(1)
