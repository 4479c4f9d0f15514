"""Whether runs may stand in one table: the same scenes, objects, physics, pictures and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from imove_analysis.runs import DETAILS, Run
from imove_core.errors import ImoveError

REAL = "real"
SIM = "sim"
_OWN = frozenset({"policy", "policy_config", "seed", "suite", "suite_hash", "rig"})
"""Settings in which runs of a table differ, or which are compared for one suite alone."""


def domain_of(run: Run) -> str:
    """`sim` or `real`."""
    return REAL if run.provenance.get("domain") == REAL else SIM


def check_same(runs: Sequence[Run], mixed: bool = False) -> tuple[str, ...]:
    """Checks that runs differ in policy, seed and suite alone.

    Runs on one suite must have its hash and rig in common; runs in simulation further the snapshot of the objects,
    engine, renderer and every setting that decides results, and likewise those on the real table. What an older run
    does not say is not compared.

    Args:
        runs: That are to stand in one table.
        mixed: Whether differences are told in place of refused.

    Returns:
        What differs, one sentence each; empty without differences.

    Raises:
        ImoveError: Something differs, and `mixed` is not set.
    """
    found = tuple(_differences(runs))
    if found and not mixed:
        raise ImoveError(f"{found[0]}; runs that differ in that stand in one table only with --mixed")
    return tuple(f"mixed: {sentence}" for sentence in found)


def _differences(runs: Sequence[Run]) -> Iterator[str]:
    seen: dict[tuple[str, ...], tuple[Any, Run]] = {}
    told: set[tuple[str, ...]] = set()
    for run in runs:
        for where, key, value in _facts(run):
            place = (*where, key)
            first, other = seen.setdefault(place, (value, run))
            if first != value and place not in told:
                told.add(place)
                yield f"{key} is {short(first)} in {other.folder} and {short(value)} in {run.folder}"


def _facts(run: Run) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """What is compared: within which group of runs, name and value."""
    settings, domain = run.settings, domain_of(run)
    yield ("suite", run.suite_name), "suite_hash", settings["suite_hash"]
    # Only runs that were scored again under other thresholds say which.
    yield (domain,), "rubric", settings.get("rubric", "")
    if "rig" in settings:
        yield ("suite", run.suite_name), "rig", settings["rig"]
    if "asset_snapshot" in run.provenance:
        yield (domain,), "asset_snapshot", run.provenance["asset_snapshot"]
    details: Mapping[str, Any] = run.provenance.get(DETAILS) or {}
    for key in ("safety_hash", "rig_hash"):
        if key in details:
            yield (domain, str(settings.get("rig"))), key, details[key]
    if "scheduler" in details:
        yield (domain,), "executed_steps", details["scheduler"].get("executed_steps")
    simulator: Mapping[str, Any] = run.provenance.get("simulator") or {}
    for key in ("engine", "renderer", "timestep_s"):
        # A policy without cameras needs no renderer.
        if simulator.get(key) is not None:
            yield (domain,), key, simulator[key]
    for key, value in settings.items():
        # The same limits may lie in files of other names.
        if key not in _OWN and not (key == "safety" and "safety_hash" in details):
            yield (domain,), key, value


def short(value: Any) -> str:
    """A value in a sentence; twelve digits tell hashes apart."""
    if isinstance(value, str) and len(value) == 64:
        return value[:12]
    if isinstance(value, list):
        return "x".join(str(part) for part in value)
    return str(value) if value != "" else "''"
