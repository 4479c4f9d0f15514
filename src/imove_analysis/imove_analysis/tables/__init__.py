"""Results in the layouts of the paper's Tables 2 to 5, from the folders of runs alone."""

from imove_analysis.tables.comparable import check_same
from imove_analysis.tables.layouts import paper_tables
from imove_analysis.tables.table import Cell, Figure, PaperTable

__all__ = ["Cell", "Figure", "PaperTable", "check_same", "paper_tables"]
