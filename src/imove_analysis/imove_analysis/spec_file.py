"""The scenes of a suite file, each read when it is asked for: twenty thousand of them take a gigabyte at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec

MOST_KEPT = 1000
"""Scenes that are kept in memory: all of any suite that is shipped."""


class SpecFile(Mapping[str, EpisodeSpec]):
    """Scenes by id, in the order of the file."""

    def __init__(self, path: Path, content_hash: str) -> None:
        """Reads the lines of a suite file and checks that they are those of a suite.

        Args:
            path: Of the file, see `imove_tasks.suites`.
            content_hash: That it must have.

        Raises:
            ImoveError: The file cannot be read, is no suite, or has other content.
        """
        try:
            header_line, *lines = path.read_bytes().decode().split("\n")
            header = json.loads(header_line)
            found = header.pop("content_hash")
            self._lines = {str(json.loads(line)["id"]): line for line in lines[:-1]}
        except OSError as error:
            raise ImoveError(f"suite {path} cannot be read: {(error.strerror or str(error)).lower()}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ImoveError(f"suite {path} is damaged") from error
        if sha256_of_text("\n".join([canonical_json(header), *lines[:-1]])) != found:
            raise ImoveError(f"suite {path} was changed after it was frozen")
        if found != content_hash:
            raise ImoveError(f"suite {path} has the content hash {found[:12]}; {content_hash[:12]} is needed")
        self._kept: dict[str, EpisodeSpec] = {}

    def __getitem__(self, spec_id: str) -> EpisodeSpec:
        """The scene of an id; raises KeyError where there is none."""
        if spec_id in self._kept:
            return self._kept[spec_id]
        spec = EpisodeSpec.from_json(self._lines[spec_id])
        if len(self._kept) >= MOST_KEPT:
            # The one that was read first: scenes are mostly gone through in order.
            del self._kept[next(iter(self._kept))]
        self._kept[spec_id] = spec
        return spec

    def __iter__(self) -> Iterator[str]:
        """Ids, without reading scenes."""
        return iter(self._lines)

    def __len__(self) -> int:
        """How many scenes there are."""
        return len(self._lines)
