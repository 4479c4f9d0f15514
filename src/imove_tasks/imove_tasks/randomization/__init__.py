"""Domain randomisation: what may vary in looks and start, and the seeded draws of it."""

from imove_tasks.randomization.config import (
    FACTORS,
    PRESETS,
    RandomizationConfig,
    load_randomization,
    parse_randomization,
)
from imove_tasks.randomization.drawing import draw_randomization
from imove_tasks.randomization.varying import LOOKS_MARK, vary

__all__ = [
    "FACTORS",
    "LOOKS_MARK",
    "PRESETS",
    "RandomizationConfig",
    "draw_randomization",
    "load_randomization",
    "parse_randomization",
    "vary",
]
