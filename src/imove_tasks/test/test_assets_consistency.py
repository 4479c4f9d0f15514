"""Checks of assets against themselves: they pass what is true and name what is made false."""

from dataclasses import replace

import numpy as np
import pytest

from imove_core.transforms import transform
from imove_tasks.assets.affordances import Region
from imove_tasks.assets.consistency import CHECKS, MAX_PARTS, consistency_findings
from imove_tasks.assets.consistency_geometry import SHAPE_TESTS, bodies
from imove_tasks.assets.consistency_pictures import Shot, picture_findings
from imove_tasks.assets.convex import box_part
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset, Expression
from imove_tasks.assets.primitives import box, cylinder, ellipsoid, revolve
from imove_tasks.assets.vocabulary import COLORS

LIBRARY = AssetLibrary.generate(instances_per_category=1)


def some(category: str) -> Asset:
    return LIBRARY.in_category(category)[0]


def disagreements(asset: Asset) -> set[str]:
    return {finding.check for finding in consistency_findings(asset) if not finding.ok}


@pytest.mark.parametrize("category", ["apple", "mug", "bowl", "screwdriver", "storage_box", "canned_coke"])
def test_generated_objects_agree_with_themselves(category: str) -> None:
    assert disagreements(some(category)) == set()


def another(words: tuple[str, ...], own: str) -> str:
    return next(word for word in words if word != own)


def moved(asset: Asset, offset: tuple[float, float, float]) -> Asset:
    parts = tuple(
        replace(part, object_from_part=transform(translation=offset) @ part.object_from_part)
        for part in asset.collisions
    )
    return replace(asset, collisions=parts)


MUG = some("mug")
LIES = {
    "scale": lambda: replace(MUG, category="chopsticks"),
    "mass": lambda: replace(MUG, mass_kg=3.0),
    "density": lambda: replace(MUG, mass_kg=300.0),
    "size class": lambda: replace(MUG, size_bucket="large"),
    "taxonomy": lambda: replace(MUG, domain="tools"),
    "name": lambda: replace(MUG, name=MUG.name.replace(MUG.color, another(COLORS, MUG.color))),
    "expression meaning": lambda: replace(MUG, color=another(COLORS, MUG.color)),
    "expression text": lambda: replace(
        MUG, expressions=(*MUG.expressions, Expression("foam mug", (("category", "mug"),), "seen"))
    ),
    "expression words": lambda: replace(
        MUG, expressions=(*MUG.expressions, Expression("cup", (("category", "mug"), ("color", MUG.color)), "seen"))
    ),
    "plain phrase": lambda: replace(MUG, expressions=MUG.expressions[::-1]),
    "distinct expressions": lambda: replace(MUG, expressions=(*MUG.expressions, MUG.expressions[0])),
    "described size": lambda: replace(MUG, description="A mug, 25.0 by 5.8 cm and 7.4 cm tall."),
    "contact parts": lambda: replace(MUG, collisions=MUG.collisions * MAX_PARTS),
    "box": lambda: replace(MUG, box_max=MUG.box_max + 0.002),
    "origin": lambda: replace(MUG, box_min=MUG.box_min + 0.002),
    "contact outline": lambda: moved(MUG, (0.01, 0.0, 0.0)),
    "foot": lambda: moved(MUG, (0.0, 0.0, 0.002)),
    "contact size": lambda: replace(MUG, collisions=(box_part((0.01, 0.01, 0.01)),)),
    "grip 0": lambda: replace(MUG, grips=(replace(MUG.grips[0], width_m=0.02), *MUG.grips[1:])),
    "shape": lambda: replace(MUG, visuals=some("storage_box").visuals),
}


@pytest.mark.parametrize("check", LIES)
def test_a_lie_is_named(check: str) -> None:
    assert check not in disagreements(MUG)
    assert check in disagreements(LIES[check]())


def test_a_region_must_be_a_floor_and_free() -> None:
    tray = some("tray")
    region = tray.region
    assert region is not None
    assert not disagreements(tray) & {"region floor", "region free"}
    raised = replace(tray, region=Region(region.center + [0, 0, 0.02], region.half_extents, region.round))
    assert "region floor" in disagreements(raised)
    covered = replace(
        tray, collisions=(*tray.collisions, box_part((0.02, 0.02, 0.005), transform(translation=[0, 0, 0.02])))
    )
    assert "region free" in disagreements(covered)


def test_every_check_gives_findings_for_something() -> None:
    assets = [MUG, some("tray")]
    assert all(any(list(check(asset)) for asset in assets) for check in CHECKS)


SHAPES_OF_BODIES = {
    "round": ellipsoid(0.03, 0.03, 0.028),
    "oval": ellipsoid(0.04, 0.02, 0.02),
    "cylindrical": cylinder(0.02, 0.05),
    "tapered": revolve([(0.02, 0.0), (0.03, 0.08)]),
    "rectangular": box(0.03, 0.02, 0.01),
    "square": box(0.02, 0.02, 0.01),
}
CONTRADICTIONS = [("round", "rectangular"), ("square", "rectangular"), ("cylindrical", "oval"), ("oval", "square")]


@pytest.mark.parametrize("word", SHAPE_TESTS)
def test_a_shape_word_can_be_said_of_its_own_body(word: str) -> None:
    assert SHAPE_TESTS[word](SHAPES_OF_BODIES[word].vertices)


@pytest.mark.parametrize(("word", "body"), CONTRADICTIONS)
def test_a_shape_word_cannot_be_said_of_another_body(word: str, body: str) -> None:
    assert not SHAPE_TESTS[word](SHAPES_OF_BODIES[body].vertices)


def test_main_pieces_are_found_beside_the_whole() -> None:
    found = bodies(MUG.visuals)
    assert len(found) >= 2
    assert np.array_equal(np.ptp(found[0], axis=0), MUG.extents)


def shot(*patches: tuple[tuple[int, int, int], int, int]) -> Shot:
    """A picture of one column of pixels: colour, mesh and height of each patch, beside one empty pixel."""
    pixels = np.concatenate([np.full((height, 1, 3), rgb, np.uint8) for rgb, _, height in patches])
    meshes = np.concatenate([np.full((height, 1), mesh) for _, mesh, height in patches])
    empty = np.zeros((1, 1, 3), np.uint8)
    return Shot(np.concatenate([pixels, empty]), np.concatenate([meshes, [[-1]]]))


RED, BLUE = (200, 20, 20), (20, 40, 200)


def test_pictures_tell_the_colour_and_the_material() -> None:
    mug = replace(MUG, color="red")
    color, material = picture_findings(mug, [shot((RED, 0, 8), (BLUE, 0, 2)), shot((RED, 0, 6), (BLUE, 0, 4))])
    assert (color.ok, color.measured) == (True, "red 0.70, blue 0.30")
    assert (material.ok, material.claimed) == (True, MUG.material)
    wrong, _ = picture_findings(mug, [shot((RED, 0, 4), (BLUE, 0, 6))])
    assert not wrong.ok


def test_a_colour_that_leads_by_a_hair_is_no_label() -> None:
    color, _ = picture_findings(replace(MUG, color="red"), [shot((RED, 0, 51), (BLUE, 0, 49))])
    assert not color.ok
