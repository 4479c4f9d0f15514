"""A result card as one page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from imove_analysis.tables import rendering
from imove_analysis.tables.comparable import short
from imove_tasks.stages import RUBRICS

_SHOWN = frozenset({"suite", "suite_hash", "policy", "policy_config"})
"""Settings that stand elsewhere on the page."""


def card_markdown(card: Mapping[str, Any]) -> str:
    """The page.

    Args:
        card: From `imove_analysis.card.result_card`.
    """
    policy = card["policy"]
    name = " ".join(filter(None, (policy["name"], policy["config"])))
    parts = [f"# Results of {rendering.for_markdown(name)}", ""]
    for run in card["runs"]:
        parts += _run(run)
    return "\n".join(parts)


def _run(run: Mapping[str, Any]) -> list[str]:
    settings, origin = run["settings"], run["origin"]
    rows = [
        [condition, rates["counts"].replace("_", " "), figure, *(_value(rates[rubric][figure]) for rubric in RUBRICS)]
        for condition, rates in run["rates"].items()
        for figure in rates[RUBRICS[0]]
    ]
    header = ("condition", "counted", "figure", *RUBRICS)
    title = f"{settings['suite']}, {run['episodes']} episodes, with 95 % Wilson intervals"
    simulator = origin.get("simulator") or {}
    facts = {
        "suite": f"{settings['suite']} {short(settings['suite_hash'])}",
        "objects": short(origin.get("asset_snapshot")),
        "engine": simulator.get("engine"),
        "renderer": simulator.get("renderer") or "none used",
        "settings": _words({key: value for key, value in settings.items() if key not in _SHOWN}),
        "details": _words(_flat(origin.get("details") or {})),
        "versions": _words(origin.get("versions") or {}),
        "source": origin.get("revision"),
        "prompts that arrived": f"{run['prompts_verified']} of {run['episodes']}",
        "aborted": run["aborted"],
        "what happened in all episodes": run["events_sha256"],
    }
    language = run["language"]
    notes = [language["verdict"]["sentence"]] if language else []
    return [
        f"## {rendering.for_markdown(settings['suite'])}",
        "",
        rendering.markdown(title, header, rows, notes),
        *(f"- {key}: {rendering.for_markdown(str(value))}" for key, value in facts.items()),
        "",
    ]


def _value(figure: Mapping[str, Any]) -> str:
    low, high = figure["ci95"]
    return f"{figure['value']:.2f} [{low:.2f}, {high:.2f}]"


def _flat(details: Mapping[str, Any]) -> dict[str, Any]:
    """Values within values as values of their own; the limits of the safety layer stand for themselves as a hash."""
    flat: dict[str, Any] = {}
    for key, value in details.items():
        if key == "safety":
            continue
        flat |= {f"{key} {inner}": each for inner, each in value.items()} if isinstance(value, dict) else {key: value}
    return flat


def _words(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key.replace('_', ' ')} {short(value)}" for key, value in values.items())
