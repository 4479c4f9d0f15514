"""Scenes of every family for tests of language: real assets, at places where every relation is clear."""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache

import numpy as np

from imove_core.meaning import RELATIVE_SIZES, SPATIAL_RELATIONS, Description, Destination, Meaning, Related
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.assets.rows import Row
from imove_tasks.assets.taxonomy import CATEGORIES, DESTINATIONS
from imove_tasks.goals import Goal
from imove_tasks.grounding import SIZE_RATIO, Thing
from imove_tasks.language import POOL_NAMES, SceneWords, confusable

LIBRARY = AssetLibrary.shipped()
SEEDS = range(12)
REFERENCE_AT = np.array([0.4, 0.0])
OFFSETS = {
    "left_of": (0.0, 0.15), "right_of": (0.0, -0.15), "in_front_of": (0.15, 0.0), "behind": (-0.15, 0.0),
    "near": (0.08, 0.08), "far_from": (0.25, 0.25),
}  # fmt: skip
OPPOSITE = dict(zip(OFFSETS, ("right_of", "left_of", "behind", "in_front_of", "far_from", "near"), strict=True))


@cache
def rows_by_category() -> dict[str, tuple[Row, ...]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in LIBRARY.rows():
        groups[row.category].append(row)
    return {name: tuple(rows) for name, rows in groups.items()}


def row_of(name: str, rng: np.random.Generator) -> Row:
    rows = rows_by_category()[name]
    return rows[int(rng.integers(len(rows)))]


def draw_categories(count: int, rng: np.random.Generator, among: Sequence[str] = tuple(CATEGORIES)) -> list[str]:
    """Categories of which no two are confusable."""
    found: list[str] = []
    for name in rng.permutation(sorted(among)):
        if len(found) < count and not any(confusable(str(name), other) for other in found):
            found.append(str(name))
    return found


def by(row: Row, *fields: str) -> Description:
    return Description(fields={name: getattr(row, name) for name in ("category", *fields)})


def located(description: Description, relation: str, reference: Description) -> Description:
    related = Related.model_validate({"relation": relation, "reference": reference})
    return description.model_copy(update={"relation": related})


@cache
def scene(family: str, seed: int) -> SceneWords:
    rng = np.random.default_rng([seed, *family.encode()])
    return {
        "pick_category": category_scene,
        "pick_attribute": attribute_scene,
        "pick_spatial": spatial_scene,
        "pick_compositional": compositional_scene,
        "place_a2b": place_scene,
        "place_relational": relational_scene,
    }[family](seed, rng)


def all_scenes() -> list[SceneWords]:
    return [scene(family, seed) for family in POOL_NAMES for seed in SEEDS]


def category_scene(seed: int, rng: np.random.Generator) -> SceneWords:
    *names, absent = draw_categories(7, rng)
    rows = [row_of(name, rng) for name in names]
    goals = [Goal(meaning=Meaning(pick=by(row)), target=f"object_{n}") for n, row in enumerate(rows)]
    conflict = contradiction(rows, rows)
    return assembled("pick_category", rows, goals, Description(fields={"category": absent}), conflict)


def attribute_scene(seed: int, rng: np.random.Generator) -> SceneWords:
    attribute = ("color", "shape", "material", "size")[seed % 4]
    for name in draw_categories(len(CATEGORIES), rng):
        rows = different(rows_by_category()[name], attribute, rng)
        if len(rows) == 3 and (attribute != "material" or "food" not in {row.material for row in rows}):
            break
    sizes = np.argsort(np.argsort([max(row.extents_m) for row in rows]))
    wanted = [
        Description(fields={"category": name}, size=RELATIVE_SIZES[size]) if attribute == "size" else by(row, attribute)
        for row, size in zip(rows, sizes, strict=True)
    ]
    goals = [Goal(meaning=Meaning(pick=said), target=f"object_{n}") for n, said in enumerate(wanted)]
    missing = next(c for c in ("purple", "white", "pink", "gray") if c not in {row.color for row in rows})
    absent = Description(fields={"category": name, "color": missing})
    return assembled("pick_attribute", rows, goals, absent, absent)


def different(rows: Sequence[Row], attribute: str, rng: np.random.Generator) -> list[Row]:
    """Three rows, or fewer where there are none, that differ pairwise in an attribute."""
    if attribute == "size":
        found: list[Row] = []
        for row in sorted(rows, key=lambda row: max(row.extents_m)):
            if len(found) < 3 and (not found or max(row.extents_m) > SIZE_RATIO * 1.02 * max(found[-1].extents_m)):
                found.append(row)
        return [found[n] for n in rng.permutation(len(found))]
    one_each = {getattr(rows[n], attribute): rows[n] for n in rng.permutation(len(rows))}
    return list(one_each.values())[:3]


def spatial_scene(seed: int, rng: np.random.Generator) -> SceneWords:
    relation = SPATIAL_RELATIONS[seed % len(SPATIAL_RELATIONS)]
    name, reference, absent = draw_categories(3, rng)
    rows = [row_of(name, rng), row_of(name, rng), row_of(reference, rng)]
    said = Description(fields={"category": reference})
    sides = (relation, OPPOSITE[relation])
    goals = [
        Goal(meaning=Meaning(pick=located(Description(fields={"category": name}), side, said)), target=f"object_{n}")
        for n, side in enumerate(sides)
    ]
    goals.append(Goal(meaning=Meaning(pick=said), target="object_2"))
    places = [REFERENCE_AT + OFFSETS[side] for side in sides] + [REFERENCE_AT]
    conflict = contradiction(rows, rows[:1])
    missing = located(Description(fields={"category": absent}), relation, said)
    return assembled("pick_spatial", rows, goals, missing, conflict, places)


def compositional_scene(seed: int, rng: np.random.Generator) -> SceneWords:
    relation = SPATIAL_RELATIONS[seed % len(SPATIAL_RELATIONS)]
    name, reference = draw_categories(2, rng)
    colors = different(rows_by_category()[name], "color", rng)[:2]
    same = [next(row for row in rows_by_category()[name] if row.color == other.color) for other in colors]
    rows = [*colors, *same, row_of(reference, rng)]
    said = Description(fields={"category": reference})
    sides = (relation, relation, OPPOSITE[relation], OPPOSITE[relation])
    goals = [
        Goal(meaning=Meaning(pick=located(by(row, "color"), side, said)), target=f"object_{n}")
        for n, (row, side) in enumerate(zip(rows, sides, strict=False))
    ]
    nudges = (0.0, 0.01, 0.0, 0.01)
    places = [REFERENCE_AT + np.multiply(OFFSETS[side], 1.0 + nudge) for side, nudge in zip(sides, nudges, strict=True)]
    taken = {row.color for row in rows}
    missing = Description(
        fields={"category": name, "color": next(c for c in ("purple", "pink", "gray") if c not in taken)}
    )
    return assembled(
        "pick_compositional", rows, goals, located(missing, relation, said), missing, [*places, REFERENCE_AT]
    )


def place_scene(seed: int, rng: np.random.Generator) -> SceneWords:
    containers = draw_categories(2, rng, sorted(DESTINATIONS))
    return placing("place_a2b", containers, ("in",), rng)


def relational_scene(seed: int, rng: np.random.Generator) -> SceneWords:
    relation = ("left_of", "right_of", "in_front_of", "behind", "near")[seed % 5]
    return placing("place_relational", draw_categories(2, rng), (relation,), rng)


def placing(family: str, places: Sequence[str], relations: Sequence[str], rng: np.random.Generator) -> SceneWords:
    free = [name for name in CATEGORIES if not any(confusable(name, place) for place in places)]
    *names, absent = draw_categories(4, rng, free)
    rows = [row_of(name, rng) for name in (*names, *places)]
    goals = [
        Goal(
            meaning=Meaning(
                pick=by(rows[pick]),
                place=Destination.model_validate({"relation": relation, "reference": by(rows[place])}),
            ),
            target=f"object_{pick}",
            destination=f"object_{place}",
        )
        for pick in range(3)
        for place in (3, 4)
        for relation in relations
    ]
    return assembled(family, rows, goals, Description(fields={"category": absent}), contradiction(rows, rows[:3]))


def contradiction(rows: Sequence[Row], about: Sequence[Row]) -> Description:
    """A category of the scene with a shape of another object, or with one that nothing of it has."""
    for row in about:
        for shape in (*(other.shape for other in rows), "ring-shaped", "square"):
            if shape not in {other.shape for other in rows if other.category == row.category}:
                return Description(fields={"category": row.category, "shape": shape})
    raise AssertionError("a category has all shapes")


def assembled(
    family: str,
    rows: Sequence[Row],
    goals: Sequence[Goal],
    absent: Description,
    conflicting: Description,
    places: Sequence[np.ndarray] = (),
) -> SceneWords:
    assets = {f"object_{number}": LIBRARY.get(row.uuid) for number, row in enumerate(rows)}
    at = places or [np.array([0.3, 0.1 * number]) for number in range(len(rows))]
    place = goals[0].meaning.place
    return SceneWords(
        family=family,
        goals=tuple(goals),
        things=tuple(thing(key, asset, spot) for (key, asset), spot in zip(assets.items(), at, strict=True)),
        assets=assets,
        absent=Meaning(pick=absent, place=place),
        conflicting=Meaning(pick=conflicting, place=place),
    )


def thing(object_id: str, asset: Asset, place: np.ndarray) -> Thing:
    labels = {name: getattr(asset, name) for name in ("category", "color", "material", "shape")}
    return Thing(object_id, labels, float(asset.extents.max()), place)
