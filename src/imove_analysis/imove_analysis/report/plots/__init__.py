"""Plots as inline SVG, drawn on the server side: they need no script, scale with the page and follow its colours."""

from imove_analysis.report.plots.bars import BarGroup, bar_plot
from imove_analysis.report.plots.curve import Curve, curve_plot
from imove_analysis.report.plots.heat_map import heat_map
from imove_analysis.report.plots.intervals import Mark, PlotRow, interval_plot

__all__ = ["BarGroup", "Curve", "Mark", "PlotRow", "bar_plot", "curve_plot", "heat_map", "interval_plot"]
