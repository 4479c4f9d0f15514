"""Instructions: templates, noun phrases, the nine conditions of a scene, and the way back from text to meaning."""

from __future__ import annotations

from imove_tasks.language.absence import confusable
from imove_tasks.language.conditions import SceneWords, condition_instructions
from imove_tasks.language.lint import lint, lint_disturbed
from imove_tasks.language.parser import parse, readings
from imove_tasks.language.pools import POOL_NAMES, get_pool
from imove_tasks.language.speaker import Text, compose

__all__ = [
    "POOL_NAMES",
    "SceneWords",
    "Text",
    "compose",
    "condition_instructions",
    "confusable",
    "get_pool",
    "lint",
    "lint_disturbed",
    "parse",
    "readings",
]
