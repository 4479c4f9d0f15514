"""`imove contract`: prints the topic contract of a rig, or holds the graph that runs against it."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from imove_core.rig import Rig

_FULL_WIDTH = 220


def contract(
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file.")] = "piperx_dual",
    live: Annotated[
        float, typer.Option(min=0.0, help="Watch the graph that runs for so many seconds; status 1 where it deviates.")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print every topic, service and action of a rig, the same in simulation and on the real table."""
    from imove_core.contract import topic_contract
    from imove_core.rig import load_rig

    if live:
        _hold_against(load_rig(rig), live, as_json)
        return
    listing = topic_contract(load_rig(rig))
    if as_json:
        typer.echo(json.dumps(listing, indent=2))
        return
    _print_tables(listing)


def _hold_against(rig: "Rig", seconds: float, as_json: bool) -> None:
    from imove_bringup.live_contract import watch
    from imove_core.graph_record import deviations

    graph = watch(rig, seconds)
    told = deviations(rig, graph)
    if as_json:
        facts = {"domain": graph.domain, "topics": sorted(graph.topics), "deviations": told}
        typer.echo(json.dumps(facts, indent=2))
    else:
        for sentence in told:
            typer.echo(sentence)
        verdict = f"{len(told)} deviations from" if told else "as"
        typer.echo(
            f"{len(graph.topics)} topics of rig {rig.name} ({graph.domain}) are published, {verdict} the contract"
        )
    if told or not graph.topics:
        raise typer.Exit(1)


def _print_tables(listing: dict) -> None:
    from rich.console import Console

    # A pipe has no width of its own: keep each topic on one line there.
    console = Console(width=None if sys.stdout.isatty() else _FULL_WIDTH)
    is_wide = console.width >= _FULL_WIDTH
    headings = ("topic", "type", "Hz", "in", "meaning", *(("frame", "QoS") if is_wide else ()))
    topics = []
    for topic in listing["topics"]:
        qos = topic["qos"]
        words = ["reliable" if qos["reliable"] else "best effort", f"depth {qos['depth']}"]
        words += ["latched"] * qos["latched"]
        rate = f"{topic['rate_hz']:g}" if topic["rate_hz"] else ""
        row = (topic["name"], topic["type"], rate, topic["domain"], topic["purpose"], topic["frame"], ", ".join(words))
        topics.append(row[: len(headings)])
    console.print(_table(headings, topics))
    if not is_wide:
        console.print("  A wider terminal, or --json, shows frames and QoS too.\n")
    endpoints = [
        tuple(endpoint[key] for key in ("name", "type", "domain", "purpose")) for endpoint in listing["endpoints"]
    ]
    console.print(_table(("service or action", "type", "in", "meaning"), endpoints))
    joints = [(arm, ", ".join(names)) for arm, names in listing["joints"].items()]
    console.print(_table(("arm", "joints, in the order of every joint message"), joints))


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    for index, heading in enumerate(headings):
        # Names are to be copied: the first column stays whole, and no dots stand in place of the ends of others.
        table.add_column(heading, overflow="fold", no_wrap=index == 0)
    for row in rows:
        table.add_row(*row)
    return table
