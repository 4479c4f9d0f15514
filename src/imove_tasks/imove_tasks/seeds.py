"""Streams of random numbers that depend on names, not on the order in which they are drawn."""

import numpy as np

Entropy = str | int


def _words(parts: tuple[Entropy, ...]) -> list[int]:
    """Whole numbers that no other parts give: how many there are, texts led by their length, numbers marked.

    The count comes first since numpy takes no notice of zeros at the end.
    """
    words = [len(parts)]
    for part in parts:
        words += [len(part), *part.encode()] if isinstance(part, str) else [2**32 - 1, part]
    return words


def generator(*parts: Entropy) -> np.random.Generator:
    """A generator for these names and numbers (of at least 0); other ones give an unrelated generator."""
    return np.random.default_rng(_words(parts))


def seed_of(*parts: Entropy) -> int:
    """A seed below 2^63 for these names and numbers."""
    return int(np.random.SeedSequence(_words(parts)).generate_state(1, np.uint64)[0] >> np.uint64(1))
