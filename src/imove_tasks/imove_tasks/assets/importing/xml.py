"""Reading XML that others wrote: no entities, no document types, numbers checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from imove_tasks.assets.arrays import Array
from imove_tasks.assets.errors import AssetError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def parse_xml(text: str, name: str) -> Element:
    """The root element.

    Raises:
        AssetError: It is no XML, or declares entities or a document type.
    """
    import defusedxml
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root: Element = fromstring(text, forbid_dtd=True)
    except defusedxml.DefusedXmlException as error:
        raise AssetError(f"{name!r} declares XML entities or a document type, which is not allowed") from error
    except ParseError as error:
        raise AssetError(f"{name!r} is no well-formed XML: {error}") from error
    return root


def numbers(text: str | None, count: int, what: str, default: tuple[float, ...]) -> Array:
    """(count,) numbers written in a text; the default where there is none.

    Raises:
        AssetError: There are fewer or more, or one is no finite number.
    """
    if text is None or not text.strip():
        return np.asarray(default, dtype=np.float64)
    try:
        values = np.array([float(word) for word in text.replace(",", " ").split()])
    except ValueError:
        values = np.empty(0)
    if len(values) != count or not np.isfinite(values).all():
        raise AssetError(f"{what} is {text.strip()!r}, expected {count} numbers")
    return values


def plain_text(element: Element | None) -> str:
    """The text of an element without surrounding blanks and quotation marks; empty where there is none."""
    text = ("" if element is None or element.text is None else element.text).strip()
    while len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return text


def words(text: str) -> tuple[str, ...]:
    """Lower-case words of a comma list, distinct, in order."""
    return tuple(dict.fromkeys(word.strip().strip("\"'").lower() for word in text.split(",") if word.strip(" \"'")))


def number(text: str) -> float | None:
    """The finite number written in a text, None where there is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
