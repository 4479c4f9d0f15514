"""`imove suite verify`."""

from typing import Annotated

import typer

from imove_bringup.commands.options import Assets, OtherRig

DRIFT_LIMIT_M = 0.001


def verify(
    suite: Annotated[str, typer.Argument(help="Shipped suite, or a .jsonl file.")],
    rig: OtherRig = "",
    assets: Assets = None,
) -> None:
    """Check the content hash, and settle every scene on the installed engine; exit 1 when one drifts."""
    from rich.console import Console
    from rich.progress import track

    from imove_bringup.freezing.settling import rest_drift_m
    from imove_sim_bridge.mujoco_backend import MujocoBackend
    from imove_tasks.assets.library import open_library
    from imove_tasks.suites import open_suite

    opened = open_suite(suite)
    library = open_library(assets or ())
    backend = MujocoBackend(opened.open_rig(rig), library.get)
    scenes = track(opened.specs, description=f"settling {opened.name}", console=Console(stderr=True))
    drifts = {spec.id: rest_drift_m(backend, spec) for spec in scenes}
    worst = max(drifts, key=lambda key: drifts[key])
    engine = str(backend.provenance()["engine"])
    typer.echo(
        f"{opened.name}: {len(drifts)} scenes, content hash {opened.content_hash[:12]}, largest drift "
        f"{drifts[worst] * 1e3:.3f} mm in {worst}, engine {engine}"
    )
    for other in sorted({spec.certificate.engine for spec in opened.specs if spec.certificate} - {engine}):
        typer.echo(f"the scenes were certified on {other}; `imove suite certify {suite}` proves them on {engine}")
    if library.snapshot_hash() != opened.asset_snapshot:
        typer.echo("the asset library has changed since the suite was frozen; its assets are checked one by one")
    if drifts[worst] > DRIFT_LIMIT_M:
        raise typer.Exit(1)
