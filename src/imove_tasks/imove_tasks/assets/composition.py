"""Puts the shipped snapshot together: how many objects of which category, which of them, and in which split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from imove_core.values import first_fault
from imove_tasks.assets import taxonomy
from imove_tasks.assets.builders import BUILDERS
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.library import generated_split
from imove_tasks.assets.parallel import results_as_done
from imove_tasks.assets.rows import Row, row_of
from imove_tasks.assets.snapshots import Excluded
from imove_tasks.assets.sources import GeneratedOrigin, GeneratedSource

TOTAL = 1757
"""Objects of the shipped library, as many as the benchmark's own."""

# A category of which more of its objects fail than pass is broken, and is not to be filled up.
_TRIES_PER_OBJECT = 2


class Verdict(BaseModel):
    """What the quality gate says of an object; figures that it adds are not looked at.

    Attributes:
        uuid: Id of the object.
        content_hash: Of the content that was checked.
        passed: Whether it may be in the library.
        reason: Why not, "" when it passed.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    uuid: str
    content_hash: str
    passed: bool
    reason: str = ""


Verdicts = Mapping[tuple[str, str], Verdict]
"""By id and content hash, so that a verdict on an object that has changed since says nothing."""


def read_verdicts(path: Path) -> dict[tuple[str, str], Verdict]:
    """Reads the results file of the quality gate; of several verdicts on the same content the last one holds.

    Raises:
        AssetError: There is no such file, or a line of it is no verdict.
    """
    if not path.is_file():
        raise AssetError(f"results file {path} does not exist")
    verdicts: dict[tuple[str, str], Verdict] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            verdict = Verdict.model_validate_json(line)
        except ValidationError as error:
            raise AssetError(f"results {path}: line {number}: {first_fault(error, 'the verdict')}") from error
        verdicts[verdict.uuid, verdict.content_hash] = verdict
    return verdicts


def instances_by_category(categories: Sequence[str], total: int = TOTAL) -> dict[str, int]:
    """How many objects each category has: the same number, and one more of as many as it takes to reach the total.

    The additional ones go to the first category of every domain, then to the second of every domain, and so on.

    Args:
        categories: Names of the categories, in the order of the taxonomy.
        total: Number of objects, at least one a category.

    Raises:
        AssetError: The total is smaller.
    """
    if not categories or total < len(categories):
        raise AssetError(f"{total} objects cannot be of {len(categories)} categories; at least one each is needed")
    places: dict[str, tuple[int, int]] = {}
    by_domain: dict[str, int] = {}
    for index, name in enumerate(categories):
        domain = taxonomy.category(name).domain
        places[name] = (by_domain.get(domain, 0), index)
        by_domain[domain] = by_domain.get(domain, 0) + 1
    each, more = divmod(total, len(categories))
    favoured = set(sorted(categories, key=lambda name: places[name])[:more])
    return {name: each + (name in favoured) for name in categories}


@dataclass(frozen=True)
class Composed:
    """The objects of one category.

    Attributes:
        rows: Those that are in.
        excluded: Those that were left out on the way.
        unchecked: Ids of those that are in without a verdict.
    """

    rows: tuple[Row, ...]
    excluded: tuple[Excluded, ...]
    unchecked: tuple[str, ...]


def compose_category(category: str, count: int, seed: int, verdicts: Verdicts) -> Composed:
    """Builds the objects of a category in the order of their index, until enough of them pass.

    Args:
        category: Its name.
        count: How many are wanted.
        seed: Of the objects.
        verdicts: Of the quality gate; an object without one is taken.

    Raises:
        AssetError: Of the first 2 x count objects fewer than count pass.
    """
    source = GeneratedSource()
    rows: list[Row] = []
    excluded: list[Excluded] = []
    unchecked: list[str] = []
    for index in range(_TRIES_PER_OBJECT * count):
        origin = GeneratedOrigin(category, seed, index)
        asset = source.load(origin.text)
        verdict = verdicts.get((asset.uuid, asset.content_hash()))
        if verdict is not None and not verdict.passed:
            excluded.append(Excluded(uuid=asset.uuid, name=asset.name, reason=verdict.reason or "failed"))
            continue
        if verdict is None:
            unchecked.append(asset.uuid)
        rows.append(row_of(asset, generated_split(category, len(rows), count), origin.text))
        if len(rows) == count:
            return Composed(tuple(rows), tuple(excluded), tuple(unchecked))
    last = excluded[-1]
    raise AssetError(
        f"only {len(rows)} of the first {_TRIES_PER_OBJECT * count} objects of {category!r} passed, {count} are "
        f"needed; the last that failed is {last.name!r}: {last.reason}"
    )


def compose(total: int, seed: int, verdicts: Verdicts, workers: int) -> Iterator[Composed]:
    """Composes all categories; what comes out does not depend on the number of workers.

    Args:
        total: Number of objects.
        seed: Of the objects.
        verdicts: Of the quality gate.
        workers: Processes side by side, at least 1.

    Yields:
        The objects of one category after another, in the order in which they are done.

    Raises:
        AssetError: The total is too small, or too few objects of a category passed.
    """
    names = [name for name in taxonomy.CATEGORIES if name in BUILDERS]
    counts = instances_by_category(names, total)
    jobs = [(name, count, seed, _verdicts_on(name, count, seed, verdicts)) for name, count in counts.items()]
    yield from results_as_done(_compose, jobs, workers)


def _compose(job: tuple[str, int, int, Verdicts]) -> Composed:
    return compose_category(*job)


def _verdicts_on(category: str, count: int, seed: int, verdicts: Verdicts) -> Verdicts:
    """Those that can matter to a category, so that not all of them are sent to every process."""
    uuids = {GeneratedOrigin(category, seed, index).uuid for index in range(_TRIES_PER_OBJECT * count)}
    return {key: verdict for key, verdict in verdicts.items() if key[0] in uuids}
