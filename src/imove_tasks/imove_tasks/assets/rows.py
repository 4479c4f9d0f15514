"""One line of the library's table for each asset: all that can be chosen by, and how to know the content again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Literal, get_args

from pydantic import Field, ValidationError, field_validator

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.values import FrozenValue, first_fault
from imove_tasks.assets.arrays import DECIMALS
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.model import TAGS, Asset, SizeBucket

Split = Literal["seen", "unseen_instance", "unseen_category"]
SPLITS: tuple[Split, ...] = get_args(Split)

Positive = Annotated[float, Field(gt=0)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, Field(min_length=1)]


class Row(FrozenValue):
    """What is known of an asset without building or reading it.

    Attributes:
        uuid: Its id.
        name: Colour, material and category in words.
        domain: Key of ``taxonomy.DOMAINS``.
        super_category: Group inside the domain.
        category: Fine-grained category.
        color: Colour word.
        shape: Shape word.
        material: Material word.
        size_bucket: By its longest side.
        tags: What it is good for, sorted.
        mass_kg: Mass.
        extents_m: Size of its box along x, y, z as it stands, m.
        split: Its part of the library; fixed once, so that a growing library moves nothing.
        content_hash: Hex SHA-256 of its content, `Asset.content_hash`.
        origin: `generated/<category>/<seed>/<index>`, or the path of its URDF below its corpus folder.
    """

    uuid: Text
    name: Text
    domain: Text
    super_category: Text
    category: Text
    color: Text
    shape: Text
    material: Text
    size_bucket: SizeBucket
    tags: tuple[str, ...]
    mass_kg: Positive
    extents_m: tuple[Positive, Positive, Positive]
    split: Split
    content_hash: Sha256
    origin: Text

    @field_validator("tags")
    @classmethod
    def _check_tags(cls, tags: tuple[str, ...]) -> tuple[str, ...]:
        if list(tags) != sorted(set(tags)) or not TAGS.issuperset(tags):
            raise ValueError(f"tags are {list(tags)}, expected distinct sorted ones of {sorted(TAGS)}")
        return tags

    def to_json(self) -> str:
        """The row as one line of canonical JSON."""
        return canonical_json(self.model_dump(mode="json"))

    @classmethod
    def from_json(cls, line: str) -> Row:
        """Reads a line.

        Raises:
            AssetError: It is not a row.
        """
        try:
            return cls.model_validate_json(line)
        except ValidationError as error:
            raise AssetError(f"not a row of an asset table: {first_fault(error, 'the row')}") from error

    @property
    def order(self) -> tuple[str, str, str, list[tuple[int, str]], str]:
        """Key of the one order of rows: by place in the taxonomy, then by origin with numbers in numeric order."""
        steps = [(int(step), "") if step.isdecimal() else (-1, step) for step in re.split(r"[/.]", self.origin)]
        return (self.domain, self.super_category, self.category, steps, self.uuid)


def row_of(asset: Asset, split: Split, origin: str) -> Row:
    """The row of an asset.

    Args:
        asset: What it describes.
        split: Its part of the library.
        origin: Where it can be had again, see `Row`.
    """
    words = ("uuid", "name", "domain", "super_category", "category", "color", "shape", "material", "size_bucket")
    along, across, tall = (round(float(value), DECIMALS) for value in asset.extents)
    return Row(
        **{word: getattr(asset, word) for word in words},
        tags=tuple(sorted(asset.tags)),
        mass_kg=round(float(asset.mass_kg), DECIMALS),
        extents_m=(along, across, tall),
        split=split,
        content_hash=asset.content_hash(),
        origin=origin,
    )


def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows in their one order.

    Raises:
        AssetError: Two rows have the same id.
    """
    known: dict[str, Row] = {}
    for row in rows:
        if row.uuid in known:
            raise AssetError(
                f"{row.name!r} of {row.origin} has the id {row.uuid}, which {known[row.uuid].name!r} of "
                f"{known[row.uuid].origin} has too; each id is allowed once"
            )
        known[row.uuid] = row
    return tuple(sorted(known.values(), key=lambda row: row.order))


def snapshot_digest(rows: Iterable[Row]) -> str:
    """Hex SHA-256 over id, content and split of every row, in any order; says nothing of where they come from."""
    lines = sorted(f"{row.uuid} {row.content_hash} {row.split}" for row in rows)
    return sha256_of_text("\n".join(lines))
