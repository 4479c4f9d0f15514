"""Options that choose rows of a library, shared by the commands that list and show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from imove_core.errors import ImoveError, unknown_name

if TYPE_CHECKING:
    from imove_tasks.assets.library import AssetLibrary
    from imove_tasks.assets.rows import Row

SHORTEST_PREFIX = 4


def _words(flag: str, meaning: str) -> Any:
    return typer.Option(flag, metavar="WORD", help=f"{meaning}; repeatable.")


Category = Annotated[list[str] | None, _words("--category", "Category")]
Domain = Annotated[list[str] | None, _words("--domain", "Domain")]
Split = Annotated[list[str] | None, _words("--split", "Split: seen, unseen_instance or unseen_category")]
Color = Annotated[list[str] | None, _words("--color", "Colour word")]
Material = Annotated[list[str] | None, _words("--material", "Material word")]
Shape = Annotated[list[str] | None, _words("--shape", "Shape word")]
Size = Annotated[list[str] | None, _words("--size", "Size class: small, medium or large")]
Tag = Annotated[list[str] | None, _words("--tag", "Tag that must be there: is_graspable or is_container")]


def chosen_rows(rows: Iterable[Row], tags: Iterable[str] | None, **words: list[str] | None) -> list[Row]:
    """The rows that have, for every attribute given, one of its words, and all the tags.

    Args:
        rows: To choose from.
        tags: That must be there.
        **words: Allowed words by attribute; None allows any.

    Raises:
        ImoveError: A word is not one that an attribute can have.
    """
    from imove_tasks.assets.model import TAGS

    found = list(rows)
    for attribute, wanted in words.items():
        for word in wanted or ():
            allowed = _vocabulary(attribute)
            if word not in allowed:
                raise unknown_name(attribute.replace("size_bucket", "size"), word, allowed)
        if wanted:
            found = [row for row in found if getattr(row, attribute) in wanted]
    for tag in tags or ():
        if tag not in TAGS:
            raise unknown_name("tag", tag, TAGS)
        found = [row for row in found if tag in row.tags]
    return found


def one_row(library: AssetLibrary, text: str) -> Row:
    """The row that a user means by an id, the beginning of one, or a category (its first asset).

    Raises:
        ImoveError: No asset, or more than one, is meant.
    """
    if text in library:
        return library.row(text)
    rows = library.rows()
    if len(text) >= SHORTEST_PREFIX:
        starting = [row for row in rows if row.uuid.startswith(text)]
        if len(starting) > 1:
            raise ImoveError(f"{len(starting)} assets have ids that begin with {text!r}; give more of the id")
        if starting:
            return starting[0]
    for row in rows:
        if row.category == text:
            return row
    raise unknown_name("asset or category", text, {row.category for row in rows})


def _vocabulary(attribute: str) -> tuple[str, ...]:
    from imove_tasks.assets import taxonomy, vocabulary
    from imove_tasks.assets.model import SizeBucket
    from imove_tasks.assets.rows import SPLITS

    return {
        "category": tuple(taxonomy.CATEGORIES),
        "domain": tuple(taxonomy.DOMAINS),
        "split": SPLITS,
        "color": vocabulary.COLORS,
        "material": tuple(vocabulary.MATERIALS),
        "shape": vocabulary.SHAPES,
        "size_bucket": get_args(SizeBucket),
    }[attribute]
