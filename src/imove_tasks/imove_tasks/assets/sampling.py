"""Draws the objects of a scene from rows, role by role, under constraints; builds nothing.

What is drawn depends on the rows given, the roles and the generator, so a scene that is drawn from a snapshot stays
the same when the library grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from imove_core.errors import unknown_name
from imove_tasks.assets.errors import AssetError
from imove_tasks.assets.model import TAGS
from imove_tasks.assets.rows import Row

Attribute = Literal["domain", "super_category", "category", "color", "shape", "material", "size_bucket", "split"]

MOST_DEAD_ENDS = 200
"""Draws of earlier roles that may turn out to leave nothing for a later one before the search is given up."""


class Constraint(Protocol):
    """What a row must fulfil; `str()` says it in words."""

    def allows(self, row: Row, drawn: Mapping[str, Row]) -> bool:
        """Whether the row may be taken, given what earlier roles hold."""
        ...


@dataclass(frozen=True)
class Is:
    """An attribute is one of some words."""

    attribute: Attribute
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        """Checks the attribute."""
        _check_attribute(self.attribute)

    def allows(self, row: Row, drawn: Mapping[str, Row]) -> bool:
        """See `Constraint`."""
        return getattr(row, self.attribute) in self.words

    def __str__(self) -> str:
        """In words."""
        return f"{self.attribute} is {' or '.join(self.words)}"


@dataclass(frozen=True)
class IsNot:
    """An attribute is none of some words."""

    attribute: Attribute
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        """Checks the attribute."""
        _check_attribute(self.attribute)

    def allows(self, row: Row, drawn: Mapping[str, Row]) -> bool:
        """See `Constraint`."""
        return getattr(row, self.attribute) not in self.words

    def __str__(self) -> str:
        """In words."""
        return f"{self.attribute} is not {' or '.join(self.words)}"


@dataclass(frozen=True)
class Tagged:
    """A tag is there, or is not."""

    tag: str
    present: bool = True

    def __post_init__(self) -> None:
        """Checks the tag."""
        if self.tag not in TAGS:
            raise unknown_name("tag", self.tag, TAGS)

    def allows(self, row: Row, drawn: Mapping[str, Row]) -> bool:
        """See `Constraint`."""
        return (self.tag in row.tags) == self.present

    def __str__(self) -> str:
        """In words."""
        return f"tag {self.tag} is {'there' if self.present else 'not there'}"


@dataclass(frozen=True)
class NoneOf:
    """The asset is none of some."""

    uuids: frozenset[str]

    def allows(self, row: Row, drawn: Mapping[str, Row]) -> bool:
        """See `Constraint`."""
        return row.uuid not in self.uuids

    def __str__(self) -> str:
        """In words."""
        return f"the asset is none of {len(self.uuids)} excluded ones"


@dataclass(frozen=True)
class DiffersFrom:
    """An attribute is another than that of earlier roles."""

    roles: tuple[str, ...]
    attribute: Attribute

    def __post_init__(self) -> None:
        """Checks the attribute."""
        _check_attribute(self.attribute)

    def allows(self, row: Row, drawn: Mapping[str, Row]) -> bool:
        """See `Constraint`."""
        word = getattr(row, self.attribute)
        return all(word != getattr(drawn[role], self.attribute) for role in self.roles)

    def __str__(self) -> str:
        """In words."""
        return f"{self.attribute} differs from that of {', '.join(self.roles)}"


@dataclass(frozen=True)
class SharedWith:
    """An attribute is the same as that of an earlier role."""

    role: str
    attribute: Attribute

    def __post_init__(self) -> None:
        """Checks the attribute."""
        _check_attribute(self.attribute)

    @property
    def roles(self) -> tuple[str, ...]:
        """The earlier role."""
        return (self.role,)

    def allows(self, row: Row, drawn: Mapping[str, Row]) -> bool:
        """See `Constraint`."""
        same: bool = getattr(row, self.attribute) == getattr(drawn[self.role], self.attribute)
        return same

    def __str__(self) -> str:
        """In words."""
        return f"{self.attribute} is that of {self.role}"


@dataclass(frozen=True)
class Role:
    """One object that a scene needs.

    Attributes:
        name: Of the role, such as "target".
        constraints: What its asset must fulfil; they may speak of roles that are drawn before it.
    """

    name: str
    constraints: tuple[Constraint, ...] = ()


class Sampler:
    """Draws assets of a fixed list."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Takes the rows, in any order."""
        self._rows = sorted(rows, key=lambda row: row.uuid)

    def draw(self, roles: Sequence[Role], rng: np.random.Generator) -> dict[str, Row]:
        """Draws an asset for every role, none twice.

        First a category is drawn and then one of its assets, so that categories with many assets do not come up more
        often. A role for which nothing is left sends the search back to the roles before it.

        Args:
            roles: In the order in which they are drawn.
            rng: Source of all draws.

        Returns:
            The rows by role, in that order.

        Raises:
            AssetError: Nothing is left for a role; the message names the constraint after which nothing was left.
        """
        _check_roles(roles)
        search = _Search(self._rows, roles, rng)
        drawn = search.complete({})
        if drawn is None:
            raise AssetError(search.deepest)
        return drawn


class _Search:
    """One depth-first search; remembers the dead end that came furthest."""

    def __init__(self, rows: Sequence[Row], roles: Sequence[Role], rng: np.random.Generator) -> None:
        self._rows, self._roles, self._rng = rows, roles, rng
        self._dead_ends, self._depth = 0, -1
        self.deepest = ""

    def complete(self, drawn: dict[str, Row]) -> dict[str, Row] | None:
        """The draws so far with all further roles, None when there is no way on."""
        if len(drawn) == len(self._roles):
            return drawn
        role = self._roles[len(drawn)]
        for row in self._shuffled(self._candidates(role, drawn)):
            found = self.complete({**drawn, role.name: row})
            if found is not None or self._dead_ends >= MOST_DEAD_ENDS:
                return found
        return None

    def _candidates(self, role: Role, drawn: Mapping[str, Row]) -> list[Row]:
        taken = {row.uuid for row in drawn.values()}
        left = [row for row in self._rows if row.uuid not in taken]
        for constraint in role.constraints:
            before = len(left)
            left = [row for row in left if constraint.allows(row, drawn)]
            if not left:
                self._note(len(drawn), f"no asset is left for role {role.name!r}: of {before}, none has: {constraint}")
                return left
        if not left:
            self._note(len(drawn), f"no asset is left for role {role.name!r}: all {len(taken)} are taken")
        return left

    def _note(self, depth: int, message: str) -> None:
        self._dead_ends += 1
        if depth > self._depth:
            self._depth, self.deepest = depth, message

    def _shuffled(self, rows: Sequence[Row]) -> Iterator[Row]:
        groups: dict[str, list[Row]] = {}
        for row in rows:
            groups.setdefault(row.category, []).append(row)
        categories = sorted(groups)
        for place in self._rng.permutation(len(categories)):
            group = groups[categories[place]]
            yield from (group[index] for index in self._rng.permutation(len(group)))


def _check_attribute(attribute: str) -> None:
    if attribute not in get_args(Attribute):
        raise unknown_name("attribute", attribute, get_args(Attribute))


def _check_roles(roles: Sequence[Role]) -> None:
    """Roles are distinct and speak of earlier ones only."""
    names: list[str] = []
    for role in roles:
        if role.name in names:
            raise AssetError(f"role {role.name!r} is asked for twice; each role is allowed once")
        for constraint in role.constraints:
            for other in getattr(constraint, "roles", ()):
                if other not in names:
                    raise AssetError(
                        f"role {role.name!r} speaks of {other!r}; the roles before it are {', '.join(names) or 'none'}"
                    )
        names.append(role.name)
