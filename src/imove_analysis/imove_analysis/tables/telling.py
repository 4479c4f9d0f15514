"""What must be known to read a table: how many episodes, under which settings, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from imove_analysis.runs import DETAILS
from imove_analysis.tables.comparable import short
from imove_analysis.tables.rows import Row

UNVERIFIED = "†"
CHANCE_NOTE = "Chance: a policy that ignores the text and goes straight to one random object (and destination)."
_SHOWN_ELSEWHERE = frozenset({"policy", "policy_config", "suite", "suite_hash", "rig"})


def usual_n(rows: Sequence[Row], conditions: Sequence[str]) -> int:
    """How many episodes most cells of a table have; of several such numbers the largest."""
    counts = Counter(len(row.episodes(condition)) for row in rows for condition in conditions)
    counts.pop(0, None)
    return max(counts, key=lambda n: (counts[n], n))


def remark(row: Row, condition: str, usual: int) -> str:
    """What stands behind the figures of a cell: another number of episodes, texts that did not arrive."""
    n = len(row.episodes(condition))
    return ("" if n == usual else f" n={n}") + (UNVERIFIED if row.unverified(condition) else "")


def notes_on(rows: Sequence[Row], conditions: Sequence[str], warnings: Sequence[str]) -> tuple[str, ...]:
    """Sentences below a table.

    Args:
        rows: Runs that stand in it.
        conditions: Whose episodes are counted.
        warnings: From `check_same`.
    """
    notes = [CHANCE_NOTE, f"Episodes in a cell that names no other number: {usual_n(rows, conditions)}.", *warnings]
    if any(row.unverified(condition) for row in rows for condition in conditions):
        notes.append(f"{UNVERIFIED}: the policy did not receive the texts of the specs; it says nothing of language.")
    for row in rows:
        if row.run.aborted:
            notes.append(f"{len(row.run.aborted)} aborted episodes of {row.run.folder} are not counted.")
        notes += [f"{problem}." for problem in row.run.problems]
    policies = [text for row in rows if (text := _policy(row))]
    return (*dict.fromkeys(notes), _settings(rows), _origin(rows), *dict.fromkeys(policies))


def _settings(rows: Sequence[Row]) -> str:
    """One sentence with everything that was set and decides results."""
    keys = dict.fromkeys(key for row in rows for key in row.run.settings if key not in _SHOWN_ELSEWHERE)
    words = [f"{key.replace('_', ' ')} {_common([row.run.settings.get(key) for row in rows])}" for key in keys]
    executed = [_details(row).get("scheduler", {}).get("executed_steps") for row in rows]
    if any(value is not None for value in executed):
        words.append(f"steps executed of each answer {_common(executed)}")
    return f"Settings: {', '.join(words)}."


def _origin(rows: Sequence[Row]) -> str:
    """One sentence with what was used: suites, objects, engine, renderer."""
    suites = {
        row.suite: _common([run.run.settings["suite_hash"] for run in rows if run.suite == row.suite]) for row in rows
    }
    simulators: list[Mapping[str, Any]] = [row.run.provenance.get("simulator") or {} for row in rows]
    words = [f"suite {name} {found}" for name, found in suites.items()]
    words.append(f"objects {_common([row.run.provenance.get('asset_snapshot') for row in rows])}")
    words += [f"{key} {_common([found.get(key) for found in simulators])}" for key in ("engine", "renderer")]
    return f"Made with: {', '.join(words)}."


def _policy(row: Row) -> str:
    """What a policy was given of text and images, where its run says so."""
    found = _details(row).get("policy", {})
    words = [f"{key.replace('_', ' ')} {short(value)}" for key, value in found.items()]
    return f"{row.name}: {', '.join(words)}." if words else ""


def _details(row: Row) -> Mapping[str, Any]:
    return row.run.provenance.get(DETAILS) or {}


def _common(values: Sequence[Any]) -> str:
    """The value that all have which have one, or that they are mixed."""
    known = [value for value in values if value is not None]
    if not known:
        return "none"
    return short(known[0]) if all(value == known[0] for value in known) else "mixed"
