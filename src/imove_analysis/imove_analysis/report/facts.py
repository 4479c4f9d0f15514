"""What is told of a run in short: verdict, validity, key figures, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from imove_analysis.report.rates import ConditionRates, Rate
from imove_analysis.report.words import NOTHING, interval, number, plural, whole
from imove_analysis.runs import DETAILS, EPISODES, Run

Kind = Literal["good", "plain", "bad"]


@dataclass(frozen=True)
class Headline:
    """The answer in one sentence.

    Attributes:
        sentence: For people.
        kind: Whether it speaks for the policy, says nothing either way, or says that the results are no good.
    """

    sentence: str
    kind: Kind


@dataclass(frozen=True)
class Tile:
    """A key figure.

    Attributes:
        title: What it is.
        value: The figure.
        below: What must stand beside it: interval, count, chance.
        kind: As of Headline.
    """

    title: str
    value: str
    below: str
    kind: Kind = "plain"


def headline(run: Run, language: Mapping[str, Any] | None, normal: ConditionRates | None) -> Headline:
    """The verdict on language where there is one, else how the last stage of picking stands to chance.

    Args:
        run: The run.
        language: From `imove_analysis.language.language_dependence`, None where it refused.
        normal: Rates under the normal text, None where nothing was run under it.
    """
    unverified = sum(not episode.prompt_verified for episode in run.episodes)
    if not run.episodes:
        return Headline("No episode of this run was finished: there is nothing to judge.", "bad")
    if unverified:
        share = f"{whole(unverified)} of {plural(len(run.episodes), 'episode')}"
        return Headline(f"Not valid: the policy received another text than the one that it was sent in {share}.", "bad")
    verdict = language["verdict"] if language else None
    if verdict and "alternative" in run.conditions:
        return Headline(verdict["sentence"], "good" if verdict["word"].startswith("follows") else "plain")
    if normal is None or not normal.target:
        return Headline("Nothing was run under texts about one object: nothing is said of language.", "plain")
    return _against_chance(normal.target[1])


def _against_chance(lift: Rate) -> Headline:
    rate = f"{lift.name} of the instructed object: {lift.text}"
    if not lift.against_chance:
        return Headline(f"{rate}; chance is not known.", "plain")
    sentence = f"{rate}, {lift.against_chance} chance ({number(lift.chance)})."
    if lift.against_chance == "above":
        return Headline(f"{sentence} Only the condition alternative can tell whether the text is why.", "good")
    return Headline(sentence, "plain")


def tiles(
    run: Run, normal: ConditionRates | None, first_contact: Rate | None, language: Mapping[str, Any] | None
) -> tuple[Tile, ...]:
    """The key figures of a run, those that are known."""
    found = []
    if normal is not None and normal.score is not None:
        found += [_rate_tile(f"{rate.name}, strict, normal", rate) for rate in (normal.score, normal.target[-1])]
    if first_contact is not None:
        found.append(_rate_tile("First contact is the target", first_contact))
    if language:
        index = language["dependence"]["reach"]
        if index["value"] is not None:
            below = f"{interval(index['ci95'])}, {plural(index['n'], 'scene')}; ignoring the text gives 0"
            kind: Kind = "good" if index["ci95"][0] > 0 else "plain"
            found.append(Tile("Language-dependence index", number(index["value"]), below, kind))
    sent = sum(episode.prompt_verified for episode in run.episodes)
    n = len(run.episodes)
    found.append(
        Tile(
            "Texts received as sent",
            f"{whole(sent)}/{whole(n)}",
            "by the policy's echo",
            "good" if sent == n else "bad",
        )
    )
    scenes = len({episode.spec_id for episode in run.episodes})
    aborted = f"; {whole(len(run.aborted))} aborted, not counted" if run.aborted else ""
    under = f"{plural(scenes, 'scene')}, {plural(len(run.conditions), 'condition')}{aborted}"
    found.append(Tile("Episodes", whole(n), under))
    return tuple(found)


def _rate_tile(title: str, rate: Rate) -> Tile:
    chance = "chance not known" if rate.chance is None else f"chance {number(rate.chance)}"
    count = f"{rate.k}/{rate.n} " if rate.k is not None else f"n = {rate.n} "
    kind: Kind = "good" if rate.against_chance == "above" else "plain"
    return Tile(title, number(rate.value), f"{count}{interval(rate.ci95)}; {chance}", kind)


def setting_rows(run: Run) -> list[tuple[str, str]]:
    """Everything that decides results, name and value: what was set, and the details that settings stand for."""
    flat = _flat({**run.settings, **(run.provenance.get(DETAILS) or {})})
    return [(name.replace("_", " "), shown(value)) for name, value in flat]


def origin_rows(run: Run) -> list[tuple[str, str]]:
    """Where the results come from, name and value; parts of parts with a stroke."""
    flat = _flat({key: value for key, value in run.provenance.items() if key not in ("settings", DETAILS)})
    return [*((name.replace("_", " "), shown(value)) for name, value in flat), ("last written", written_on(run))]


def written_on(run: Run) -> str:
    """Day on which the last episode of a run was written (UTC); a dash where there is no file."""
    path = run.folder / EPISODES
    return f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):%Y-%m-%d}" if path.is_file() else NOTHING


def shown(value: Any) -> str:
    """A value for people; None and empty texts are a dash."""
    if value is None or value == "":
        return NOTHING
    if isinstance(value, list):
        return " x ".join(shown(part) for part in value)
    return str(value)


def _flat(values: Mapping[str, Any], within: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for key, value in values.items():
        name = f"{within}{key}"
        found += _flat(value, f"{name} / ") if isinstance(value, Mapping) else [(name, value)]
    return found
