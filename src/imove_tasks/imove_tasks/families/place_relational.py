"""place_relational: several objects to pick, two reference objects; where to put is said by a relation to one."""

import numpy as np

from imove_core.meaning import Destination, Meaning
from imove_tasks.assets.rows import Row
from imove_tasks.assets.sampling import DiffersFrom, Role, Sampler
from imove_tasks.families.descriptions import by_category, contradiction, draw_absent
from imove_tasks.families.model import Draft, DraftObject, Family, Pool, Turn, shuffled_ids
from imove_tasks.families.spatial import OPPOSITES
from imove_tasks.goals import Goal
from imove_tasks.layout import FreeSpot

RELATIONS = ("left_of", "right_of", "in_front_of", "behind")
PICKS = ("pick 0", "pick 1", "pick 2")
REFERENCES = ("reference 0", "reference 1")


def _draft(pool: Pool, turn: Turn, rng: np.random.Generator) -> Draft:
    relation = turn.choose(RELATIONS, "relation")
    references = Sampler(pool.containers).draw(
        [Role(REFERENCES[0]), Role(REFERENCES[1], (DiffersFrom(REFERENCES[:1], "category"),))], rng
    )
    taken = {row.category for row in references.values()}
    roles = [
        Role(name, (DiffersFrom(PICKS[:number], "category"),) if number else ()) for number, name in enumerate(PICKS)
    ]
    rows = Sampler([row for row in pool.graspable if row.category not in taken]).draw(roles, rng)
    rows.update(references)
    absent = draw_absent(pool.graspable, list(rows.values()), rng)
    ids = shuffled_ids(list(rows), rng)

    def goal(pick: str, said: str, reference: str) -> Goal:
        place = Destination.model_validate({"relation": said, "reference": by_category(rows[reference])})
        meaning = Meaning(pick=by_category(rows[pick]), place=place)
        return Goal(meaning=meaning, target=ids[pick], destination=ids[reference])

    # Each object can be asked to two places, on either side of one of the references and on the other of the other.
    sides = (relation, OPPOSITES[relation])
    goals = []
    for pick in PICKS:
        turned = int(rng.integers(2))
        goals += [goal(pick, sides[number ^ turned], REFERENCES[number]) for number in range(2)]
    movable = tuple(ids[name] for name in PICKS)
    return Draft(
        objects=tuple(
            DraftObject(ids[name], row, "distractor" if name in PICKS else "other_destination")
            for name, row in rows.items()
        ),
        constraints=tuple(FreeSpot(said, ids[reference], movable) for reference in REFERENCES for said in sides),
        goals=tuple(goals),
        absent=by_category(absent),
        conflicting=contradiction(list(rows.values()), [rows[name] for name in PICKS], pool.graspable, rng),
    )


def _balance(goal: Goal, rows: dict[str, Row]) -> str:
    assert goal.meaning.place is not None
    return goal.meaning.place.relation


FAMILY = Family(
    name="place_relational",
    primitive="pick_and_place",
    splits={"seen": "seen", "unseen_instance": "unseen_instance", "train": "seen"},
    draft=_draft,
    balance=_balance,
    every_goal=False,
)
