"""Which policies are compared, as users write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from string import ascii_uppercase

import numpy as np

from imove_core.errors import ImoveError

POLICIES_RULE = (
    f"two to {len(ascii_uppercase)} policies separated by commas, each NAME, NAME=CONFIG, NAME@URL or NAME=CONFIG@URL"
)
"""Completes the sentence "it must be ..."."""


@dataclass(frozen=True)
class PolicyChoice:
    """A policy that takes part.

    Attributes:
        name: As in `policy:=`.
        config: As in `policy_config:=`, "" for the usual.
        url: As in `policy_url:=`, "" for the usual.
    """

    name: str
    config: str = ""
    url: str = ""

    def to_text(self) -> str:
        """The choice as `parse_policies` reads it."""
        config, url = self.config and f"={self.config}", self.url and f"@{self.url}"
        return f"{self.name}{config}{url}"

    def to_record(self) -> dict[str, str]:
        """The choice as plain data."""
        return asdict(self)


def parse_policies(text: str) -> tuple[PolicyChoice, ...]:
    """Reads the policies of a comparison.

    The same policy may be named twice: a comparison with itself shows what differences mean nothing.

    Args:
        text: See `POLICIES_RULE`; a configuration has no `@` or comma in it.

    Raises:
        ImoveError: The text is not of that form.
    """
    parts = text.split(",")
    if not 2 <= len(parts) <= len(ascii_uppercase):
        raise ImoveError(f"policies '{text}' are {len(parts)}; needed are {POLICIES_RULE}")
    return parse_choices(text)


def parse_choices(text: str) -> tuple[PolicyChoice, ...]:
    """Reads one or more policies, in the same form.

    Raises:
        ImoveError: The text is not of that form.
    """
    return tuple(_choice(part.strip()) for part in text.split(","))


def _choice(text: str) -> PolicyChoice:
    rest, _, url = text.partition("@")
    name, _, config = rest.partition("=")
    if not name:
        raise ImoveError(f"policy '{text}' has no name; needed are {POLICIES_RULE}")
    return PolicyChoice(name, config, url)


def policies_text(choices: Sequence[PolicyChoice]) -> str:
    """The choices as `parse_policies` reads them."""
    return ",".join(choice.to_text() for choice in choices)


def assign_labels(choices: Sequence[PolicyChoice], rng: np.random.Generator) -> dict[str, PolicyChoice]:
    """Gives every policy a label at random, so that the order in which a person wrote them tells nothing.

    Args:
        choices: At most 26.
        rng: A source that nobody can repeat, unless labels are to be known beforehand.
    """
    shuffled = rng.permutation(len(choices))
    return {label: choices[index] for label, index in zip(ascii_uppercase, shuffled, strict=False)}


def in_label_order(key: Mapping[str, PolicyChoice]) -> tuple[PolicyChoice, ...]:
    """The choices by their labels: the form in which a labelled comparison is handed from one process to another."""
    return tuple(key[label] for label in sorted(key))
