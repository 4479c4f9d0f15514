"""Finds the episode bags that an export is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from imove_core.errors import ImoveError

METADATA = "metadata.yaml"


def find_episodes(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Episode bags, each once, in the order of `paths` and sorted by name within each of them.

    Args:
        paths: Datasets, folders of a task, single episode folders or .mcap files.

    Raises:
        ImoveError: A path does not exist, or there is no episode in it.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise ImoveError(f"{path} does not exist; a folder of episode bags is needed")
        episodes = list(_episodes_in(path))
        if not episodes:
            raise ImoveError(f"{path} has no episode; folders with a {METADATA} and an .mcap file are needed")
        found.update((episode, None) for episode in episodes)
    return tuple(found)


def episode_name(path: Path) -> str:
    """Task folder and episode folder of a bag, without the place of the dataset on this machine."""
    folder = path.resolve()
    if folder.suffix == ".mcap":
        folder = folder.parent
    return f"{folder.parent.name}/{folder.name}"


def _episodes_in(path: Path) -> Iterator[Path]:
    if path.is_file():
        if path.suffix != ".mcap":
            raise ImoveError(f"{path} is no bag; a folder or an .mcap file is needed")
        yield path
    elif (path / METADATA).is_file():
        yield path
    else:
        for metadata in sorted(path.rglob(METADATA)):
            # What begins with a dot is being written, or was when it was cut.
            if not any(part.startswith(".") for part in metadata.relative_to(path).parts):
                yield metadata.parent
