"""Where assets come from: built by code, or read from a corpus folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from imove_tasks.assets import taxonomy
from imove_tasks.assets.draft import asset_uuid
from imove_tasks.assets.draw import Draw
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.model import Asset
from imove_tasks.assets.rows import Row

_GENERATED = "generated"


class Source(Protocol):
    """Gives assets by their origin, see `rows.Row`."""

    def load(self, origin: str) -> Asset:
        """Builds or reads an asset.

        Raises:
            AssetError: The source has no such asset, or what is there is broken.
        """
        ...


@dataclass(frozen=True)
class GeneratedOrigin:
    """One object of the endless row that a seed gives a category.

    Attributes:
        category: Name of the category.
        seed: Non-negative integer; other seeds give other objects with other ids.
        index: Number of the instance, from 0.
    """

    category: str
    seed: int
    index: int

    @property
    def uuid(self) -> str:
        """Id of the object."""
        return asset_uuid(self.category, self.seed, self.index)

    @property
    def text(self) -> str:
        """The origin as rows have it."""
        return f"{_GENERATED}/{self.category}/{self.seed}/{self.index}"

    @classmethod
    def parse(cls, text: str) -> GeneratedOrigin:
        """Reads the origin of a row.

        Raises:
            AssetError: The text has another form.
        """
        kind, _, rest = text.partition("/")
        category, *numbers = rest.split("/")
        if kind != _GENERATED or len(numbers) != 2 or not all(n.isascii() and n.isdecimal() for n in numbers):
            raise AssetError(f"origin {text!r} must have the form {_GENERATED}/<category>/<seed>/<index>")
        return cls(category, int(numbers[0]), int(numbers[1]))


@dataclass(frozen=True)
class GeneratedSource:
    """Builds objects; the same origin gives the same content on every machine."""

    def load(self, origin: str) -> Asset:
        """Builds the object of `generated/<category>/<seed>/<index>`.

        Raises:
            AssetError: The origin has another form, or nothing builds its category.
        """
        from imove_tasks.assets.builders import BUILDERS

        parsed = GeneratedOrigin.parse(origin)
        if parsed.category not in BUILDERS:
            raise AssetError(f"nothing builds the category {parsed.category!r} of {origin}")
        draft = BUILDERS[parsed.category](Draw(parsed.category, parsed.seed, parsed.index))
        return draft.finish(taxonomy.category(parsed.category), parsed.uuid)


@dataclass(frozen=True)
class FolderSource:
    """Reads objects of a corpus folder.

    Attributes:
        corpus: The folder.
    """

    corpus: Path

    def rows(self) -> tuple[Row, ...]:
        """The rows of its index.

        Raises:
            AssetError: The folder has no index, or a broken one.
        """
        from imove_tasks.assets.storage import read_index

        return read_index(self.corpus)

    def load(self, origin: str) -> Asset:
        """Reads the object whose URDF stands at a path below the corpus.

        Raises:
            AssetError: The path leaves the corpus, or the files are missing or broken.
        """
        from imove_tasks.assets.storage import read_asset

        corpus = self.corpus.resolve()
        urdf = (corpus / origin).resolve()
        if not urdf.is_relative_to(corpus):
            raise AssetError(f"origin {origin!r} leaves the corpus {self.corpus}; only files inside of it are read")
        return read_asset(urdf)
