"""The report page of the gate: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from PIL import Image

from imove_bringup.quality.gate import GATE, LEAST_SHARE
from imove_bringup.quality.results import Result
from imove_bringup.quality.summary import BINS, held_share, summarise
from imove_core.canonical import write_text_atomically
from imove_sim_bridge.studio import OBLIQUE, Studio
from imove_sim_bridge.trials import REASONS
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.library import Entry

REPORT = "report/index.html"
_PICTURE_PX = 168
_NO_BREAK = "\N{NO-BREAK SPACE}"


def write_report(results: Sequence[Result], entries: Mapping[str, Entry], facts: Mapping[str, str], out: Path) -> Path:
    """Writes the page.

    Args:
        results: One an asset, in the order in which categories are to be told.
        entries: By id; pictures of the worst assets are taken from there.
        facts: What was checked and how, told at the top.
        out: Folder of the results.

    Returns:
        Its path.

    Raises:
        OSError: It cannot be written.
    """
    summary = summarise(results)
    pictures = {result.uuid: _picture(entries[result.uuid]) for result in summary.worst if result.uuid in entries}
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["share"] = _share
    template = (resources.files("imove_bringup.quality") / "page" / "report.html").read_text(encoding="utf-8")
    page = environment.from_string(template).render(
        summary=summary,
        pictures=pictures,
        facts=facts,
        gate=GATE,
        least_share=LEAST_SHARE,
        reasons=REASONS,
        bins=BINS,
        held_share=held_share,
    )
    path = out / REPORT
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, page)
    return path


def _share(part: float, whole: float = 1.0) -> str:
    """A share in per cent; only what is whole is told as 100 %."""
    if whole == 0:
        return "–"
    percent = 100.0 * part / whole
    if percent == int(percent):
        return f"{percent:.0f}{_NO_BREAK}%"
    return f"{min(percent, 99.9):.1f}{_NO_BREAK}%"


def _picture(entry: Entry) -> str:
    """A data URL of what the asset looks like, "" when it cannot be had."""
    try:
        asset = entry.load()
    except AssetError:
        return ""
    with Studio(asset, size_px=_PICTURE_PX) as studio:
        pixels = studio.picture(OBLIQUE)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, format="JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()
