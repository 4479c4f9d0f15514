"""Prints the pools of templates with an example of each: `python -m imove_tasks.language [FAMILY]`.

With the name of a family, prints all of its templates.
"""

from __future__ import annotations

import sys

import numpy as np

from imove_core.errors import ImoveError
from imove_core.meaning import Description, Destination, Meaning, Related
from imove_tasks.language.lexicon import RELATIONS
from imove_tasks.language.nouns import all_nouns
from imove_tasks.language.pools import POOL_NAMES, get_pool
from imove_tasks.language.speaker import Speaker
from imove_tasks.language.wording import Wording

_APPLE, _BOWL, _MUG = (Description(fields={"category": name}) for name in ("apple", "bowl", "mug"))
_LEFT_OF_BOWL = Related(relation="left_of", reference=_BOWL)
EXAMPLES: dict[str, Meaning] = {
    "pick_category": Meaning(pick=_MUG),
    "pick_attribute": Meaning(pick=Description(fields={"category": "mug", "color": "red"})),
    "pick_spatial": Meaning(pick=Description(fields={"category": "mug"}, relation=_LEFT_OF_BOWL)),
    "pick_compositional": Meaning(pick=Description(fields={"category": "mug", "color": "red"}, relation=_LEFT_OF_BOWL)),
    "place_a2b": Meaning(pick=_APPLE, place=Destination(relation="in", reference=_BOWL)),
    "place_relational": Meaning(pick=_APPLE, place=Destination(relation="left_of", reference=_BOWL)),
}


def canonical_text(family: str) -> str:
    """The example of a family in its canonical template.

    Raises:
        ImoveError: No family of that name has a pool.
    """
    pool = get_pool(family)
    wording = Wording(pool.seen[0], "seen", 0, pool.only_what_is_asked)
    return Speaker({}, wording).say(EXAMPLES[family], None, None, np.random.default_rng(0)).text


def main(arguments: list[str]) -> int:
    """Prints; the exit status is 2 for an unknown family."""
    try:
        for family in arguments:
            pool = get_pool(family)
            for partition, templates in (("seen", pool.seen), ("unseen", pool.unseen)):
                print(f"{family}, {partition}:", *(f"  {template.text}" for template in templates), sep="\n")
    except ImoveError as error:
        print(error, file=sys.stderr)
        return 2
    if arguments:
        return 0
    print(f"{'family':20}{'seen':>6}{'unseen':>8}{'all':>5}   canonical")
    for family in POOL_NAMES:
        pool = get_pool(family)
        counts = f"{len(pool.seen):6}{len(pool.unseen):8}{len(pool.templates):5}"
        print(f"{family:20}{counts}   {canonical_text(family)}")
    ways = sum(len(ways.all) for ways in RELATIONS.values())
    print(f"{len(all_nouns())} nouns, {len(RELATIONS)} relations said in {ways} ways")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
