"""The index of a corpus: a header line, then one row an asset, so that a corpus is listed without opening assets."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from imove_core.canonical import canonical_json, write_text_atomically
from imove_core.values import FrozenValue, first_fault
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.rows import Row, in_order, snapshot_digest

INDEX_NAME = "index.jsonl"


class IndexHeader(FrozenValue):
    """First line of an index.

    Attributes:
        format: Says what the file is.
        schema_version: Of header and rows.
        assets: Number of rows.
        snapshot: Hex SHA-256 over the rows, `rows.snapshot_digest`.
    """

    format: Literal["imove_assets"] = "imove_assets"
    schema_version: Literal[1] = 1
    assets: Annotated[int, Field(ge=0)]
    snapshot: str


def write_index(corpus: Path, rows: Iterable[Row]) -> Path:
    """Writes the index of a corpus, rows in their one order; an older one is replaced at once.

    Args:
        corpus: Folder of the corpus; made where it is missing.
        rows: One an asset; their origins are paths of URDF files below the corpus.

    Returns:
        The file.

    Raises:
        AssetError: Two rows have the same id.
    """
    ordered = in_order(rows)
    header = IndexHeader(assets=len(ordered), snapshot=snapshot_digest(ordered))
    corpus.mkdir(parents=True, exist_ok=True)
    path = corpus / INDEX_NAME
    lines = [canonical_json(header.model_dump(mode="json")), *(row.to_json() for row in ordered)]
    write_text_atomically(path, "\n".join([*lines, ""]))
    return path


def read_index(corpus: Path) -> tuple[Row, ...]:
    """Reads the rows of a corpus.

    Raises:
        AssetError: There is no index, or header and rows disagree.
    """
    path = corpus / INDEX_NAME
    try:
        first, *lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
        header = IndexHeader.model_validate_json(first)
    except ValidationError as error:
        raise AssetError(
            f"{path} does not begin with the header of an index: {first_fault(error, 'header')}"
        ) from error
    except (OSError, ValueError) as error:
        raise AssetError(f"{path} cannot be read as the index of a corpus: {error}") from error
    rows = tuple(Row.from_json(line) for line in lines)
    if len(rows) != header.assets or snapshot_digest(rows) != header.snapshot:
        raise AssetError(f"{path} has {len(rows)} rows that its header for {header.assets} does not describe")
    return rows
