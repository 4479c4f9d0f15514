"""`imove rescore`: scores a run again from its control steps, under other thresholds."""

import json
from pathlib import Path
from typing import Annotated

import typer

from imove_bringup.commands.options import OtherRig
from imove_bringup.commands.progress_bar import progress_bar
from imove_bringup.commands.run_folders import tell_problems


def rescore(
    run: Annotated[Path, typer.Argument(help="Folder of a run, from imove eval.")],
    rubric: Annotated[
        Path | None, typer.Option(help="A .yaml file with thresholds under strict and reference; others stay.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder of the new scores; one that exists is resumed.")] = None,
    sweep: Annotated[
        str,
        typer.Option(metavar="NAME=LOW:HIGH:N", help="Print rates over a threshold: reach_distance_m=0.01:0.10:10."),
    ] = "",
    rig: OtherRig = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score the episodes of a run again, without a simulator: into a new folder, or over a threshold."""
    from rich.console import Console

    from imove_analysis.rescoring import read_thresholds
    from imove_analysis.runs import open_run
    from imove_analysis.sweep_tables import sweep_table
    from imove_analysis.threshold_sweep import parse_sweep, sweep_rates
    from imove_bringup.rescoring import rescore_run
    from imove_core.errors import ImoveError
    from imove_eval.output_folder import lock_folder

    if bool(sweep) == bool(rubric) or bool(rubric) != bool(out):
        raise ImoveError("give --rubric FILE and --out FOLDER to score a run again, or --sweep NAME=LOW:HIGH:N")
    wanted = parse_sweep(sweep) if sweep else None
    thresholds = read_thresholds(rubric) if rubric else {}
    opened = open_run(run)
    tell_problems(opened.problems)
    arms = opened.open_rig(rig)
    with progress_bar() as progress:
        progress.begin("episodes", len(opened.episodes))
        if wanted is not None:
            found = sweep_rates(opened, arms, wanted, progress.advance)
        elif out is not None:
            with lock_folder(out):
                summary = rescore_run(opened, arms, thresholds, out, progress.advance)
    if wanted is not None:
        if as_json:
            rates = [{"value": item.value, "condition": item.condition, "rates": item.rates} for item in found]
            typer.echo(json.dumps({"rubric": wanted.rubric, "threshold": wanted.name, "points": rates}, indent=2))
        else:
            Console().print(sweep_table(f"{opened.suite_name}, policy {opened.policy}", wanted, found))
    elif as_json:
        typer.echo(json.dumps(summary, indent=2))
    else:
        typer.echo(f"{len(opened.episodes)} episodes are scored again in {out}; imove tables prints them")
