"""CPU seconds of a drawn layout by what is asked for, on every rig, beside the budget of a drawn and settled one.

    python bench/layout.py [--layouts N] [--rig RIG ...] [--json]

Only the geometry is measured: no planner is asked and nothing settles. Assets are built before. A request that is
refused counts with the time that the refusal takes.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from imove_core.errors import ImoveError
from imove_core.rig import Rig, load_rig, rig_names
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.model import Asset
from imove_tasks.layout import Constraint, FreeSpot, Item, Relation, common_constraints, solve

BUDGET_S = 0.5
OPPOSITES = (("left_of", "right_of"), ("in_front_of", "behind"), ("near", "far_from"))
Request = tuple[list[Item], list[Constraint]]


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        rig: Name of the rig.
        request: What was asked for.
        median_s: CPU time of a layout.
        mean_s: Refused requests included.
        slowest_s: Of all.
        refused: Requests for which no layout was found.
        layouts: Requests.
        within: Whether the mean is within the budget.
    """

    rig: str
    request: str
    median_s: float
    mean_s: float
    slowest_s: float
    refused: int
    layouts: int
    within: bool


class Requests:
    """Random requests for graspable and container assets."""

    def __init__(self, library: AssetLibrary) -> None:
        """Builds all assets of `library`."""
        assets = list(library)
        self._graspable = [asset for asset in assets if asset.grips]
        self._containers = [asset for asset in assets if asset.region is not None]

    def six_objects(self, rng: np.random.Generator) -> Request:
        """Six graspable objects."""
        return self._items(self._graspable, 6, rng, "object"), []

    def relation(self, rng: np.random.Generator) -> Request:
        """A target and a distractor on opposite sides of a reference, or near and far from it."""
        word, opposite = OPPOSITES[rng.integers(len(OPPOSITES))]
        items = self._items(self._graspable, 3, rng, "object")
        sides = ((items[1], word), (items[2], opposite))
        return items, [Relation(item.id, side, items[0].id) for item, side in sides]

    def two_by_two(self, rng: np.random.Generator) -> Request:
        """Two targets and two distractors on opposite sides of a reference."""
        word, opposite = OPPOSITES[rng.integers(len(OPPOSITES))]
        items = self._items(self._graspable, 5, rng, "object")
        sides = zip(items[1:], (word, word, opposite, opposite), strict=True)
        return items, [Relation(item.id, side, items[0].id) for item, side in sides]

    def free_spots(self, rng: np.random.Generator) -> Request:
        """Three objects, each of which has room on both sides of each of two containers."""
        picks = self._items(self._graspable, 3, rng, "object")
        goals = self._items(self._containers, 2, rng, "container")
        ids = tuple(item.id for item in picks)
        sides = OPPOSITES[rng.integers(2)]
        return [*picks, *goals], [FreeSpot(side, goal.id, ids) for goal in goals for side in sides]

    @staticmethod
    def _items(assets: Sequence[Asset], count: int, rng: np.random.Generator, name: str) -> list[Item]:
        chosen = rng.choice(len(assets), count, replace=False)
        return [Item(f"{name}_{number}", assets[index]) for number, index in enumerate(chosen)]


def measure(rig: Rig, name: str, request: Callable[[np.random.Generator], Request], layouts: int) -> Row:
    """Solves requests drawn from the seeds 0, 1, 2 ..."""
    times, refused = [], 0
    for seed in range(layouts):
        rng = np.random.default_rng(seed)
        items, extra = request(rng)
        began = time.process_time()
        try:
            solve(rig, items, (*common_constraints(rig), *extra), rng)
        except ImoveError:
            refused += 1
        times.append(time.process_time() - began)
    mean = statistics.mean(times)
    return Row(rig.name, name, statistics.median(times), mean, max(times), refused, layouts, mean <= BUDGET_S)


def table(rows: Sequence[Row]) -> str:
    """The rows as text."""
    lines = [f"{'':34} {'median':>8} {'mean':>8} {'slowest':>8} {'budget':>9} {'refused':>9}   CPU-s"]
    for row in rows:
        lines.append(
            f"{row.rig:14} {row.request:19} {row.median_s:8.3f} {row.mean_s:8.3f} {row.slowest_s:8.3f} "
            f"<= {BUDGET_S:6g} {row.refused:4d}/{row.layouts:<4d}   {'ok' if row.within else 'over budget'}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--layouts", type=int, default=40, help="of each kind (default 40)")
    parser.add_argument("--rig", nargs="*", default=list(rig_names()))
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    requests = Requests(AssetLibrary.generate(instances_per_category=1))
    kinds = (
        ("six objects", requests.six_objects),
        ("relation", requests.relation),
        ("two by two", requests.two_by_two),
        ("free spots", requests.free_spots),
    )
    rows = [measure(load_rig(rig), name, kind, options.layouts) for rig in options.rig for name, kind in kinds]
    machine = {"cores": os.cpu_count(), "load_average": round(os.getloadavg()[0], 2)}
    if options.json:
        print(json.dumps({"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2))
    else:
        print(", ".join(f"{key} {value}" for key, value in machine.items()))
        print(table(rows))


if __name__ == "__main__":
    main()
