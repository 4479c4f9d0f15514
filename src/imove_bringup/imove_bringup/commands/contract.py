"""`imove contract`: prints the topic contract of a rig."""

import json
import sys
from typing import Annotated

import typer


def contract(
    rig: Annotated[str, typer.Option(help="Shipped rig, or a .yaml file.")] = "piperx_dual",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print every topic, service and action of a rig, the same in simulation and on the real table."""
    from imove_core.contract import topic_contract
    from imove_core.rig import load_rig

    listing = topic_contract(load_rig(rig))
    if as_json:
        typer.echo(json.dumps(listing, indent=2))
        return
    _print_tables(listing)


def _print_tables(listing: dict) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    topics = Table("topic", "type", "Hz", "QoS", "frame", "in", "meaning", box=box.SIMPLE_HEAD)
    for topic in listing["topics"]:
        qos = topic["qos"]
        words = ["reliable" if qos["reliable"] else "best effort", f"depth {qos['depth']}"]
        words += ["latched"] * qos["latched"]
        rate = f"{topic['rate_hz']:g}" if topic["rate_hz"] else ""
        topics.add_row(
            *(topic["name"], topic["type"], rate, ", ".join(words), topic["frame"], topic["domain"], topic["purpose"])
        )
    endpoints = Table("service or action", "type", "in", "meaning", box=box.SIMPLE_HEAD)
    for endpoint in listing["endpoints"]:
        endpoints.add_row(endpoint["name"], endpoint["type"], endpoint["domain"], endpoint["purpose"])
    joints = Table("arm", "joints, in the order of every joint message", box=box.SIMPLE_HEAD)
    for arm, names in listing["joints"].items():
        joints.add_row(arm, ", ".join(names))
    # A pipe has no width of its own: keep each topic on one line there.
    console = Console(width=None if sys.stdout.isatty() else 220)
    console.print(topics, endpoints, joints)
