"""Where a policy fails: a class for each episode, what was taken for what, and which cues misled.

docs/failures.md has the definitions.
"""

from imove_analysis.failures.browsing import RANKS, choose, rank
from imove_analysis.failures.classes import CLASSES, MEANINGS, SUCCESS
from imove_analysis.failures.cues import CUES
from imove_analysis.failures.deciding import acted_on
from imove_analysis.failures.making import failures, traces_of
from imove_analysis.failures.table import ClassedEpisode, FailureTable

__all__ = [
    "CLASSES",
    "CUES",
    "MEANINGS",
    "RANKS",
    "SUCCESS",
    "ClassedEpisode",
    "FailureTable",
    "acted_on",
    "choose",
    "failures",
    "rank",
    "traces_of",
]
