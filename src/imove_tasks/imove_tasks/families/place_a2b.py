"""place_a2b: several objects to pick and several containers to put them in; the instruction says which and where."""

import numpy as np

from imove_core.meaning import Destination, Meaning
from imove_tasks.assets.rows import Row
from imove_tasks.families.descriptions import by_category, contradiction
from imove_tasks.families.model import Draft, DraftObject, Family, Pool, Turn, shuffled_ids
from imove_tasks.families.placing import draw_fitting
from imove_tasks.goals import Goal

PICKS = 3
SINGLE = "single"
"""The easier split: one container."""


def _draft(pool: Pool, turn: Turn, rng: np.random.Generator) -> Draft:
    rows, absent = draw_fitting(pool, turn, PICKS, 1 if turn.split == SINGLE else 2, rng)
    ids = shuffled_ids(list(rows), rng)
    picks = [name for name in rows if name.startswith("pick")]
    places = [name for name in rows if name not in picks]

    def goal(pick: str, place: str) -> Goal:
        destination = Destination(relation="in", reference=by_category(rows[place]))
        meaning = Meaning(pick=by_category(rows[pick]), place=destination)
        return Goal(meaning=meaning, target=ids[pick], destination=ids[place])

    goals = tuple(goal(pick, place) for pick in picks for place in places)
    return Draft(
        objects=tuple(
            DraftObject(ids[name], row, "distractor" if name in picks else "other_destination")
            for name, row in rows.items()
        ),
        constraints=(),
        goals=goals,
        absent=by_category(absent),
        conflicting=contradiction(list(rows.values()), [rows[name] for name in picks], pool.graspable, rng),
    )


def _balance(goal: Goal, rows: dict[str, Row]) -> str:
    assert goal.destination is not None
    return rows[goal.destination].category


FAMILY = Family(
    name="place_a2b",
    primitive="pick_and_place",
    splits={"seen": "seen", "unseen_instance": "unseen_instance", SINGLE: "seen", "train": "seen"},
    draft=_draft,
    balance=_balance,
)
