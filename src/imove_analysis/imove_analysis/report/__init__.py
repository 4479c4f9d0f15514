"""Pages that show what runs came to: they open from disk, need no network and no server.

docs/reports.md describes them.
"""

from imove_analysis.report.building import MOST_EPISODES, build_report
from imove_analysis.report.comparison_page import build_comparison
from imove_analysis.report.progress import Progress
from imove_analysis.report.runs_index import build_index

__all__ = ["MOST_EPISODES", "Progress", "build_comparison", "build_index", "build_report"]
