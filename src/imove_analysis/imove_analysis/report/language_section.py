"""The figures of language dependence as plots with a sentence each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from imove_analysis.report.plots import Curve, Mark, PlotRow, curve_plot, interval_plot
from imove_analysis.report.words import mark_of
from imove_tasks.stages import stage_title

_ACTS = {"reach": "Reached", "first_contact": "Touched first", "lift": "Lifted", "place": "Placed"}


@dataclass(frozen=True)
class LanguagePanel:
    """A plot and what it says.

    Attributes:
        title: One line.
        plot: The drawing, None where a sentence says it all.
        series: Names of its series, empty for a single one.
        sentences: One a figure.
        chance: Whether the plot has marks of chance.
    """

    title: str
    plot: Markup | None
    series: tuple[str, ...]
    sentences: tuple[str, ...]
    chance: bool = False


def language_panels(data: Mapping[str, Any]) -> tuple[LanguagePanel, ...]:
    """Panels for what is known.

    Args:
        data: From `imove_analysis.language.language_dependence`.
    """
    return tuple(
        panel for panel in (_dependence(data), _grounding(data), _activation(data), _information(data)) if panel
    )


def robustness_panel(data: Mapping[str, Any]) -> LanguagePanel | None:
    """The curve over other texts for the same goal; None where a run has none of them besides normal."""
    found = {
        condition: by_stage
        for condition, by_stage in data["robustness"].items()
        if any(figure["value"] is not None for figure in by_stage.values())
    }
    if len(found) < 2:
        return None
    stages = list(next(iter(found.values())))
    curves = [
        Curve(stage_title(stage), tuple(mark_of(by_stage[stage], number) for by_stage in found.values()))
        for number, stage in enumerate(stages)
    ]
    plot = curve_plot(list(found), curves, "Rate at which the goal of the normal text is reached under other texts")
    told = tuple(
        figure["difference"]["sentence"]
        for by_stage in found.values()
        for figure in (by_stage[stages[-1]],)
        if "difference" in figure
    )
    return LanguagePanel("Other texts, the same goal", plot, tuple(curve.name for curve in curves), told)


def dependence_figures(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The language-dependence index by act, as people call it; acts without a value are left out."""
    return {_ACTS[act]: figure for act, figure in data["dependence"].items() if figure["value"] is not None}


def _dependence(data: Mapping[str, Any]) -> LanguagePanel | None:
    return _signed_panel("Language-dependence index: 1 follows every text, 0 none", dependence_figures(data))


def _grounding(data: Mapping[str, Any]) -> LanguagePanel | None:
    found = {name.capitalize(): figures["all"] for name, figures in data["grounding"].items()}
    return _signed_panel("First object touched is the named one: rate above chance", found)


def _signed_panel(title: str, figures: Mapping[str, Mapping[str, Any]]) -> LanguagePanel | None:
    known = {name: figure for name, figure in figures.items() if figure["value"] is not None}
    if not known:
        return None
    rows = [PlotRow(name, (mark_of(figure),)) for name, figure in known.items()]
    plot = interval_plot(rows, title, low=-1.0)
    return LanguagePanel(title, plot, (), tuple(dict.fromkeys(figure["sentence"] for figure in known.values())))


def _activation(data: Mapping[str, Any]) -> LanguagePanel | None:
    rows, told = [], []
    stages: list[str] = []
    for condition, by_stage in data["activation"].items():
        marks: list[Mark] = []
        for number, (stage, figure) in enumerate(by_stage.items()):
            if figure["value"] is not None:
                stages.append(stage)
                marks.append(mark_of(figure, number))
                told.append(figure["sentence"])
        if marks:
            rows.append(PlotRow(condition.capitalize(), tuple(marks)))
    if not rows:
        return None
    title = "False activation: some object acted on although none is named"
    names = tuple(dict.fromkeys(stage_title(stage) for stage in stages))
    return LanguagePanel(title, interval_plot(rows, title), names, tuple(told))


def _information(data: Mapping[str, Any]) -> LanguagePanel | None:
    figure = data["information"]
    if figure["value"] is None:
        return None
    return LanguagePanel("Information of the text about the first object touched", None, (), (figure["sentence"],))
