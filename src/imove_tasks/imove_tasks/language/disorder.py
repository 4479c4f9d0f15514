"""Two ways to disturb a text: words in an order that says nothing, and punctuation that changes nothing."""

from __future__ import annotations

import re

import numpy as np

from imove_core.errors import ImoveError
from imove_tasks.language.parser import readings

_TRIES = 200
ENDINGS = (".", "!", "...", " .", "")
"""What can follow the last word; policies have failed on a mere final full stop."""


def scramble(text: str, rng: np.random.Generator) -> str:
    """The words in another order, of which the grammar makes no sense and in which no word follows itself.

    Raises:
        ImoveError: No such order was found, as of a single word.
    """
    words = text.split()
    for _ in range(_TRIES):
        order = [words[index] for index in rng.permutation(len(words))]
        if order != words and not any(a == b for a, b in zip(order, order[1:], strict=False)):
            scrambled = " ".join(order)
            if not readings(scrambled):
                return scrambled
    raise ImoveError(f"{_TRIES} orders of the words of {text!r} were tried; each one says something, or is {text!r}")


def punctuate(text: str, rng: np.random.Generator) -> str:
    """The same words in the same order with capitals, punctuation and blanks, at least one of them new."""
    capital, comma, blanks = (bool(value) for value in rng.integers(2, size=3))
    ending = ENDINGS[int(rng.integers(len(ENDINGS)))]
    result = re.sub(r" (and|then) ", r", \1 ", text, count=1) if comma else text
    if blanks:
        result = result.replace(" ", "  ", 1 + int(rng.integers(result.count(" "))))
    if capital:
        result = result[0].upper() + result[1:]
    result += ending
    return result if result != text else f"{text}."
