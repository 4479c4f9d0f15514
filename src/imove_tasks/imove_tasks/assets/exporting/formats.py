"""The formats by name: what writes them, and where an asset lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from imove_core.errors import unknown_name
from imove_tasks.assets.exporting.glb import write_glb
from imove_tasks.assets.exporting.mjcf import write_mjcf
from imove_tasks.assets.exporting.roboorchard import write_roboorchard
from imove_tasks.assets.exporting.usd import require_usd, write_usd
from imove_tasks.assets.model import Asset
from imove_tasks.assets.rows import Row


@dataclass(frozen=True)
class Format:
    """One way to write assets.

    Attributes:
        name: As the command has it.
        suffix: Of the main file.
        write: Fills an empty folder; takes asset, folder and the name of the main file without suffix.
        place: Path of an asset's main file below the output, without suffix.
        check: Raises an ImoveError where the format cannot be written.
    """

    name: str
    suffix: str
    write: Callable[[Asset, Path, str], Path]
    place: Callable[[Row], PurePosixPath]
    check: Callable[[], None]


def _by_id(row: Row) -> PurePosixPath:
    return PurePosixPath(row.domain, row.super_category, row.category, row.uuid, row.category)


def _by_short_name(row: Row) -> PurePosixPath:
    # RoboOrchardSim wants file and folder named alike, and no name twice.
    name = f"{row.category}_{row.uuid.replace('-', '')[:12]}"
    return PurePosixPath(row.domain, row.super_category, name, name)


def _always() -> None:
    """A format that needs nothing beyond imove."""


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format("glb", ".glb", write_glb, _by_id, _always),
        Format("mjcf", ".xml", write_mjcf, _by_id, _always),
        Format("usd", ".usd", write_usd, _by_id, require_usd),
        Format("roboorchard", ".urdf", write_roboorchard, _by_short_name, require_usd),
    )
}
"""Every format but the library's own, which `imove_tasks.assets.building` writes."""


def get_format(name: str) -> Format:
    """Looks a format up.

    Raises:
        ImoveError: No such format.
    """
    if name not in FORMATS:
        raise unknown_name("format", name, FORMATS)
    return FORMATS[name]
