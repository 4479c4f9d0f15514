"""`imove rig`: makes a lab's own rig file, and shows one."""

import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from imove_bringup.rig_setup.wizard import Draft, Stage
    from imove_core.hardware import CameraProfile
    from imove_core.rig import Rig

DEFAULT_RIG = "piperx_dual"

app = typer.Typer(help="Set a lab's rig up; show a rig.", no_args_is_help=True)


@app.command()
def setup(
    file: Annotated[Path, typer.Argument(help="Rig file to write; one that is there keeps all but its devices.")],
    base: Annotated[str, typer.Option("--from", help=f"Rig that a new file starts from; {DEFAULT_RIG} if none.")] = "",
    arm: Annotated[list[str] | None, typer.Option(help="NAME=ADDRESS of an arm's bus.")] = None,
    leader: Annotated[list[str] | None, typer.Option(help="NAME=ADDRESS of an arm's leader, NAME= for none.")] = None,
    camera: Annotated[list[str] | None, typer.Option(help="NAME=SERIAL of a camera.")] = None,
    bus: Annotated[list[str] | None, typer.Option(help="Address of a bus to look at, besides socketcan's.")] = None,
    recording: Annotated[list[str] | None, typer.Option(help="Recorded camera (.db3) in place of a device.")] = None,
    mode: Annotated[str, typer.Option(help="Mode of the cameras, WIDTHxHEIGHT@RATE; 640x480@30 in a new file.")] = "",
    exposure_us: Annotated[float, typer.Option(min=0.0, help="Exposure of the cameras; 0 leaves it.")] = 0.0,
    identify: Annotated[bool, typer.Option(help="Ask for each device, whatever names and the file say.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing; what cannot be found is an error.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write the file though checks have failed.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; asks nothing.")] = False,
) -> None:
    """Find arms and cameras, check them, and write the lab's own rig file. Nothing is moved or changed.

    Status 1, and no file, when a check fails.
    """
    from imove_bringup.rig_setup.asking import Nobody, Person
    from imove_bringup.rig_setup.finding_arms import ArmWishes
    from imove_bringup.rig_setup.finding_cameras import CameraWishes
    from imove_bringup.rig_setup.wizard import Wishes, draft, write

    source, before = _source(file, base)
    wishes = Wishes(
        source=source,
        buses=bus or (),
        recordings=recording or (),
        arms=ArmWishes(_pairs("--arm", arm), _pairs("--leader", leader), before.hardware.arms, identify),
        cameras=CameraWishes(
            _pairs("--camera", camera), before.hardware.cameras, _profile(mode), exposure_us or None, identify
        ),
    )
    alone = yes or as_json or not sys.stdin.isatty()
    asker = (
        Nobody() if alone else Person(typer.echo, lambda text: str(typer.prompt(text, default="", show_default=False)))
    )
    with _progress() as stage:
        made = draft(wishes, asker, datetime.now(UTC), Path.cwd(), stage)
    written = not made.failed or force
    if not as_json:
        _print(made)
        written = written or asker.agrees(f"{len(made.failed)} checks failed. Write {file} all the same?")
    if written:
        write(made, file)
    if as_json:
        typer.echo(json.dumps(_plain(made, file if written else None), indent=2))
    elif written:
        typer.echo(f"{file} was written; run `imove doctor --rig {file}` before a day's work.")
    else:
        typer.echo(f"{file} was not written: {made.failed[0].name} failed; mend it, or say --force.", err=True)
    if made.failed:
        raise typer.Exit(1)


@app.command()
def show(
    rig: Annotated[str, typer.Argument(help="Shipped rig, or a .yaml file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print a rig's arms and cameras, with the devices that a lab's file names."""
    from imove_core.hardware import TABLE
    from imove_core.rig import load_rig

    loaded = load_rig(rig)
    if as_json:
        typer.echo(json.dumps(loaded.model_dump(mode="json"), indent=2))
        return
    typer.echo(f"{loaded.name}: {loaded.description}")
    for arm in loaded.arms:
        device = loaded.hardware.arms.get(arm.name)
        words = ["in simulation only"]
        if device is not None:
            words = [device.bus, f"firmware {device.firmware or 'unknown'}", f"{device.speed_percent} % speed"]
            words += [f"leader on {device.leader_bus}"] if device.leader_bus else []
        typer.echo(f"  {arm.name:20} {arm.model:8} {', '.join(words)}")
    for camera in loaded.cameras:
        found = loaded.hardware.cameras.get(camera.name)
        words = ["in simulation only"]
        if found is not None:
            profile, exposure = found.profile, found.exposure_us
            words = [found.serial, f"{profile.width}x{profile.height}@{profile.rate_hz}"]
            words += [f"exposure {exposure:g} us" if exposure else "own exposure"]
            words += [place for place in (found.feed, found.playback) if place]
        words += [f"on {camera.parent}", *_calibrated(loaded, camera.name)]
        typer.echo(f"  {camera.name:20} {camera.model:8} {', '.join(words)}")
    if TABLE in loaded.hardware.calibration:
        typer.echo(f"  {TABLE:29} {', '.join(_calibrated(loaded, TABLE))}")


def _calibrated(rig: "Rig", what: str) -> list[str]:
    """When a camera or the table was calibrated, and how well, in words; nothing where nobody has noted it."""
    note = rig.hardware.calibration.get(what)
    if note is None:
        return []
    words = [f"calibrated on {note.calibrated_on}"]
    words += [f"residual {note.residual_mm:g} mm"] if note.residual_mm is not None else []
    return words + ([f"reprojection {note.reprojection_px:g} px"] if note.reprojection_px is not None else [])


def _source(file: Path, base: str) -> tuple[str, "Rig"]:
    """What the new file is made from."""
    from imove_core.errors import ImoveError
    from imove_core.rig import load_rig

    if file.suffix not in (".yaml", ".yml"):
        raise ImoveError(f"rig file {file} must end in .yaml")
    if not file.exists():
        return base or DEFAULT_RIG, load_rig(base or DEFAULT_RIG)
    if base:
        raise ImoveError(f"rig file {file} is there already and keeps its calibration; leave --from out, or remove it")
    return str(file), load_rig(str(file))


def _pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    from imove_core.errors import ImoveError

    pairs = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not name or not equals or (not value and option != "--leader"):
            raise ImoveError(f"{option} {text} is not of the form NAME=VALUE")
        pairs[name] = value
    return pairs


def _profile(mode: str) -> "CameraProfile | None":
    import re

    from imove_core.errors import ImoveError
    from imove_core.hardware import CameraProfile

    if not mode:
        return None
    found = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})@([1-9]\d{0,2})", mode)
    if found is None:
        raise ImoveError(f"--mode {mode} is not of the form WIDTHxHEIGHT@RATE, as 640x480@30")
    width, height, rate_hz = map(int, found.groups())
    return CameraProfile(width=width, height=height, rate_hz=rate_hz)


def _print(made: "Draft") -> None:
    from imove_bringup.commands.doctor import print_findings

    for remark in made.remarks:
        typer.echo(f"  {remark}")
    print_findings(made.findings)


def _plain(made: "Draft", path: Path | None) -> dict[str, object]:
    return {
        "written": str(path) if path is not None else None,
        "hardware": made.rig.hardware.model_dump(mode="json"),
        "findings": [dataclasses.asdict(finding) for finding in made.findings],
        "remarks": list(made.remarks),
    }


@contextmanager
def _progress() -> "Iterator[Stage]":
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from imove_bringup.rig_setup.wizard import Stage

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        tasks: list[TaskID] = []

        def say(text: str, count: int) -> None:
            if count:
                progress.start()
                tasks.append(progress.add_task(text, total=count))
            else:
                # A person is asked next, on the same screen.
                progress.stop()

        yield Stage(say, lambda name: progress.advance(tasks[-1]))
