"""Fills the templates: every text is escaped, and the page may load nothing from anywhere but its own folder."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from imove_analysis.report.words import number, plural, signed, whole
from imove_core.canonical import write_text_atomically
from imove_core.errors import ImoveError

INDEX = "index.html"
_PAGE = "page"


def write_page(folder: Path, template: str, scripts: tuple[str, ...], values: Mapping[str, Any]) -> Path:
    """Writes `index.html` into a folder.

    Args:
        folder: Made where it is missing.
        template: Name of the template.
        scripts: Names of the scripts that the page runs.
        values: What the template needs.

    Raises:
        ImoveError: The folder cannot be written.
    """
    page = render(template, scripts, values)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text_atomically(folder / INDEX, page)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder / INDEX


def unwritable(folder: Path, error: OSError) -> ImoveError:
    """The error of a report whose folder cannot be written."""
    return ImoveError(f"report {folder} cannot be written: {(error.strerror or str(error)).lower()}")


def render(template: str, scripts: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """A page as HTML, with style and scripts inlined."""
    environment = Environment(
        loader=PackageLoader("imove_analysis.report", _PAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number, signed=signed, whole=whole, plural=plural)
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    script = "\n".join(_text(name) for name in ("common.js", *scripts))
    return environment.get_template(template).render(
        values, style=Markup(_text("style.css")), script=Markup(script), policy=_policy(script)
    )


def _text(name: str) -> str:
    return (resources.files("imove_analysis.report") / _PAGE / name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Content security policy: this very script and no other runs, and only pictures and videos of the folder load."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    own = "'self' file:"
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src {own} data:; "
        f"media-src {own}; base-uri 'none'; form-action 'none'"
    )
