"""Whether a policy does what it is told, or what the scene suggests: figures of one run over the same frozen scenes.

docs/language.md has the definitions.
"""

from imove_analysis.language.diagnosis import language_dependence
from imove_analysis.language.verdict import MARGIN, Verdict

__all__ = ["MARGIN", "Verdict", "language_dependence"]
