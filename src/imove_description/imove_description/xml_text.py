"""Numbers and documents as XML text, the same bytes for the same values."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree


def numbers(values: Iterable[float]) -> str:
    """Values separated by blanks, to 10 significant digits; what is below 1e-12 is written as 0."""
    return " ".join("0" if abs(value) < 1e-12 else f"{value:.10g}" for value in values)


def to_text(root: ElementTree.Element) -> str:
    """The document, indented, with a closing line break."""
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"
