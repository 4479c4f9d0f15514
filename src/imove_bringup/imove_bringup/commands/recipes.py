"""`imove recipes`: fine-tuning recipes against the field names of their trainers."""

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Check fine-tuning recipes.", no_args_is_help=True)


@app.callback()
def recipes() -> None:
    """Check fine-tuning recipes."""


@app.command()
def check(
    paths: Annotated[list[Path] | None, typer.Argument(help="Recipes, or a folder of them; recipes/ if none.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Look up each field, type and imported name of recipes in what their trainers' sources say."""
    from imove_datasets.recipes.checking import recipe_faults, recipes_in, trainer_of
    from imove_datasets.recipes.manifest import load_manifest

    found = [file for path in paths or [Path("recipes")] for file in (recipes_in(path) if path.is_dir() else [path])]
    faulty = 0
    for path in found:
        faults = recipe_faults(path)
        faulty += bool(faults)
        manifest = load_manifest(trainer_of(path))
        if as_json:
            row = {"recipe": str(path), "trainer": manifest.trainer, "commit": manifest.commit, "faults": faults}
            typer.echo(json.dumps(row))
            continue
        typer.echo(f"{path}: {'faulty' if faults else 'fits'} {manifest.repository} at {manifest.commit[:8]}")
        for fault in faults:
            typer.echo(f"  {fault.removeprefix(f'{path}: ')}")
    if faulty:
        raise typer.Exit(1)
