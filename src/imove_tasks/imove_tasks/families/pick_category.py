"""pick_category: one object of the named category among five of other categories."""

from collections.abc import Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_core.randomization import PLAIN
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import TAG_GRASPABLE
from imove_tasks.assets.rows import Row
from imove_tasks.assets.sampling import DiffersFrom, Role, Sampler, Tagged
from imove_tasks.assets.taxonomy import category
from imove_tasks.instructions import category_instructions
from imove_tasks.layout import Feasibility, draw_layout
from imove_tasks.scene_objects import scene_object

FAMILY = "pick_category"
OBJECTS = 6
_ABSENT = "absent"


def draw_spec(
    library: AssetLibrary,
    uuids: Sequence[str],
    rig: Rig,
    split: str,
    index: int,
    seed: int,
    feasibility: Feasibility,
) -> EpisodeSpec:
    """Draws one episode.

    Args:
        library: Where the assets are.
        uuids: Assets of the split that may be used.
        rig: The embodiment.
        split: Name of the split.
        index: Number of the episode in its suite.
        seed: Seed of the suite; with `index` it determines every draw.
        feasibility: Checks whether every object of a layout can be picked.

    Raises:
        ImoveError: The split has too few categories, or no layout was found.
    """
    rng = np.random.default_rng([seed, index])
    ids = [f"object_{number}" for number in range(OBJECTS)]
    rows = _draw_rows(library, uuids, split, ids, rng)
    chosen = [library.get(rows[object_id].uuid) for object_id in ids]
    absent = rows[_ABSENT].category
    # Where the target stands in the list says nothing about what it is.
    target_index = int(rng.integers(OBJECTS))
    layout = draw_layout(rig, chosen, rng, feasibility)
    assets = dict(zip(ids, chosen, strict=True))
    instructions = category_instructions(assets, ids[target_index], (absent, category(absent).nouns[0]), rng)
    return EpisodeSpec(
        schema_version=2,
        id=f"{FAMILY}/{split}/{index:03d}",
        family=FAMILY,
        split=split,
        primitive="pick",
        rig=rig.name,
        seed=seed,
        objects=tuple(
            scene_object(
                object_id,
                placement.asset,
                "target" if number == target_index else "distractor",
                placement.world_from_object,
            )
            for number, (object_id, placement) in enumerate(zip(ids, layout, strict=True))
        ),
        instructions=instructions,
        randomization=PLAIN,
    )


def _draw_rows(
    library: AssetLibrary, uuids: Sequence[str], split: str, ids: Sequence[str], rng: np.random.Generator
) -> dict[str, Row]:
    """One graspable asset for each object and for the absent one, all of different categories."""
    rows = [library.row(uuid) for uuid in uuids]
    categories = {row.category for row in rows if TAG_GRASPABLE in row.tags}
    if len(categories) <= OBJECTS:
        raise ImoveError(
            f"{FAMILY}/{split} needs more than {OBJECTS} categories, one of them absent; the split has "
            f"{len(categories)}"
        )
    names = [*ids, _ABSENT]
    roles = [
        Role(name, (Tagged(TAG_GRASPABLE), DiffersFrom(tuple(names[:number]), "category")))
        for number, name in enumerate(names)
    ]
    return Sampler(rows).draw(roles, rng)
