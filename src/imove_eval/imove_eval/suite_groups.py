"""Names for several suites at once."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from imove_core.errors import ImoveError, unknown_name
from imove_tasks.suites import suite_names

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "paper": (
            "pick_category/seen",
            "pick_category/unseen_instance",
            "pick_category/unseen_category",
            "pick_attribute/seen",
            "pick_spatial/seen@franka_single",
            "place_a2b/seen@franka_single",
            "place_a2b/seen",
        )
    }
)
"""`paper`: families and splits of InstructMove's Tables 2 and 3 on the robots that they name, and place_a2b on both."""
SUITES_RULE = f"shipped suites or .jsonl files, separated by commas, or {' or '.join(GROUPS)}"
"""Completes the sentence "it must be ..."."""


def parse_suites(text: str) -> tuple[str, ...]:
    """The suites that a text names, each once, in its order.

    Args:
        text: See `SUITES_RULE`.

    Raises:
        ImoveError: A name is unknown, or comes twice.
    """
    names: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        if part not in GROUPS and part not in suite_names() and not part.endswith(".jsonl"):
            raise unknown_name("suite", part, (*GROUPS, *suite_names(), "a .jsonl file"))
        names += GROUPS.get(part, (part,))
    for name in names:
        if names.count(name) > 1:
            raise ImoveError(f"suites '{text}' name {name} more than once; each is allowed once")
    return tuple(names)
