"""Which instruction conditions a run executes, and what counts under each of them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from imove_core.errors import unknown_name
from imove_core.spec import CONDITIONS, COUNTERFACTUAL_CONDITIONS

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"counterfactual": COUNTERFACTUAL_CONDITIONS, "all": CONDITIONS}
)
"""Names for several conditions at once; `counterfactual` is the paper's protocol (InstructMove, section 4.3)."""
TARGETED_CONDITIONS = ("normal", "alternative", "paraphrase", "punctuation")
"""Conditions whose text is about exactly one object; under the others there is no right object."""
CONDITION_RULE = (
    f"one of {', '.join(CONDITIONS)}, several of them separated by commas, or {' or '.join(sorted(GROUPS))}"
)
"""Completes the sentence "it must be ..."."""


def parse_conditions(text: str) -> tuple[str, ...]:
    """The conditions that a text names, each once, in the order in which a scene runs through them.

    Args:
        text: Conditions and groups, separated by commas.

    Raises:
        ImoveError: A name is unknown, or there is none.
    """
    wanted: set[str] = set()
    for name in text.split(","):
        if name not in CONDITIONS and name not in GROUPS:
            raise unknown_name("condition", name, (*CONDITIONS, *GROUPS))
        wanted.update(GROUPS.get(name, (name,)))
    return tuple(condition for condition in CONDITIONS if condition in wanted)


def describe_conditions(conditions: Sequence[str]) -> str:
    """The shortest text that `parse_conditions` reads as these conditions."""
    for group, members in GROUPS.items():
        if tuple(conditions) == members:
            return group
    return ",".join(conditions)
