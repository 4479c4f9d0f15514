"""Draws docs/images/layouts.svg: solved layouts of several kinds on piperx_dual, seen from above.

Usage: ./imove shell python docs/images/render_layouts.py
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from shapely.geometry.base import BaseGeometry

from imove_core.rig import Workspace, load_rig
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.layout import (
    Constraint,
    FreeSpot,
    Item,
    NotRelation,
    Placement,
    Relation,
    common_constraints,
    footprint_polygon,
    solve,
)
from imove_tasks.layout.regions import about, holding

PIXELS_A_M = 520
MARGIN_M = 0.09
RIG = load_rig("piperx_dual")
FILLS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2")
STYLE = "font: 12px sans-serif; fill: #222"

SCENES: tuple[tuple[str, dict[str, str], tuple[Constraint, ...]], ...] = (
    (
        "six categories",
        {f"{number}": name for number, name in enumerate(("mug", "spoon", "sponge", "lemon", "scissors", "stapler"))},
        (),
    ),
    (
        "the mug left of the plate, another mug not",
        {"plate": "plate", "target": "mug", "other": "mug"},
        (Relation("target", "left_of", "plate"), NotRelation("other", "left_of", "plate")),
    ),
    (
        "two near the bowl, two far from it",
        {"bowl": "bowl", "near 1": "lemon", "near 2": "sponge", "far 1": "lemon", "far 2": "sponge"},
        (
            *(Relation(key, "near", "bowl") for key in ("near 1", "near 2")),
            *(Relation(key, "far_from", "bowl") for key in ("far 1", "far 2")),
        ),
    ),
    (
        "room right of the plate for each of three",
        {"plate": "plate", "a": "mug", "b": "spoon", "c": "sponge"},
        (FreeSpot("right_of", "plate", ("a", "b", "c")),),
    ),
)


def page_point(x: float, y: float) -> tuple[float, float]:
    """World x up, world y to the left, as the robot's operator sees the table."""
    left, top = RIG.workspace.y[1] + MARGIN_M, RIG.workspace.x[1] + MARGIN_M
    return (left - y) * PIXELS_A_M, (top - x) * PIXELS_A_M


def polygon(shape: BaseGeometry, style: str) -> Iterator[str]:
    """SVG of a shape's parts."""
    for part in getattr(shape, "geoms", [shape]):
        points = " ".join("{:.1f},{:.1f}".format(*page_point(x, y)) for x, y in part.exterior.coords)
        yield f'<polygon points="{points}" {style}/>'


def rectangle(area: Workspace, style: str) -> str:
    """SVG of a workspace."""
    (right, top), (left, bottom) = page_point(area.x[0], area.y[0]), page_point(area.x[1], area.y[1])
    x, y, width, height = min(left, right), min(top, bottom), abs(left - right), abs(top - bottom)
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {style}/>'


def panel(title: str, layout: Mapping[str, Placement], constraints: Sequence[Constraint]) -> Iterator[str]:
    """SVG of one layout, with the regions in which its relations hold."""
    yield rectangle(RIG.workspace, 'fill="#f4f1ea" stroke="#999" stroke-dasharray="4 3"')
    for constraint in constraints:
        if isinstance(constraint, (Relation, FreeSpot)) and constraint.relation != "far_from":
            place = layout[constraint.reference_id].world_from_object[:2, 3]
            region = about(holding(constraint.relation, 2 * constraint.margin_m), place)
            yield from polygon(region, 'fill="#ffd54f" fill-opacity="0.18" stroke="#c9a227" stroke-width="0.7"')
    for (key, placement), fill in zip(layout.items(), FILLS, strict=False):
        outline = footprint_polygon(placement.asset, placement.world_from_object)
        yield from polygon(outline, f'fill="{fill}" fill-opacity="0.75" stroke="#333" stroke-width="0.8"')
        x, y = page_point(*placement.world_from_object[:2, 3])
        label = placement.asset.category if key.isdecimal() else key
        yield f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" style="{STYLE}">{label}</text>'
    yield f'<text x="8" y="18" style="{STYLE}; font-weight: bold">{title}</text>'


def main() -> None:
    """Solves and draws."""
    library = AssetLibrary.shipped()
    width = (np.ptp(RIG.workspace.y) + 2 * MARGIN_M) * PIXELS_A_M
    height = (np.ptp(RIG.workspace.x) + 2 * MARGIN_M) * PIXELS_A_M
    parts = []
    for number, (title, categories, constraints) in enumerate(SCENES):
        rng = np.random.default_rng(number)
        taken: dict[str, int] = {}
        items = []
        for key, category in categories.items():
            items.append(Item(key, library.in_category(category)[taken.setdefault(category, 0)]))
            taken[category] += 1
        layout = solve(RIG, items, (*common_constraints(RIG), *constraints), rng)
        lines = "\n".join(panel(title, layout, constraints))
        corner = f'x="{number % 2 * width:.0f}" y="{number // 2 * height:.0f}"'
        parts.append(f'<svg {corner} width="{width:.0f}" height="{height:.0f}">\n{lines}\n</svg>')
    content = "\n".join(parts)
    size = f'width="{2 * width:.0f}" height="{(len(SCENES) + 1) // 2 * height:.0f}"'
    path = Path(__file__).with_name("layouts.svg")
    paper = '<rect width="100%" height="100%" fill="white"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{paper}\n{content}\n</svg>\n'
    path.write_text(svg, encoding="utf-8")
    print(path.name)


if __name__ == "__main__":
    main()
