"""Confusion of what was named with what was acted on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from imove_core.spec import SceneObject

NOTHING = "nothing"
KINDS: Mapping[str, Callable[[SceneObject], str]] = MappingProxyType(
    {
        "category": lambda item: item.labels["category"],
        "phrase": lambda item: item.phrase,
        "asset": lambda item: item.asset,
        "role": lambda item: item.role,
    }
)
"""What objects can be called by. Roles are those under the normal text of a scene, whatever was said."""


@dataclass(frozen=True)
class Confusion:
    """How often one thing was acted on when another, or the same, was named.

    Attributes:
        named: What the text named.
        acted_on: What was lifted first, or else reached, or else touched; `nothing` for none.
        k: Episodes of that.
        n: Episodes that named it.
    """

    named: str
    acted_on: str
    k: int
    n: int

    def to_record(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def confusion(pairs: Iterable[tuple[SceneObject, SceneObject | None]], kind: str) -> tuple[Confusion, ...]:
    """The confusion matrix without its empty cells, the most frequent first.

    Args:
        pairs: Named object and the one that was acted on, one pair an episode.
        kind: One of `KINDS`.
    """
    name = KINDS[kind]
    cells = Counter((name(named), NOTHING if other is None else name(other)) for named, other in pairs)
    totals: Counter[str] = Counter()
    for (named, _), k in cells.items():
        totals[named] += k
    return tuple(
        Confusion(named, other, k, totals[named])
        for (named, other), k in sorted(cells.items(), key=lambda cell: (-cell[1], cell[0]))
    )
