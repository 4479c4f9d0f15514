"""The random choices of one instance, made so that the instances of a category differ."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from imove_tasks.assets.looks import Material
from imove_tasks.assets.palette import SHADES, Rgb

T = TypeVar("T")


class Draw:
    """Source of sizes, colours and variants for the instance ``index`` of a category."""

    def __init__(self, category: str, seed: int, index: int) -> None:
        """Seeds one generator for the instance and one key for the whole category."""
        self._category_key = [seed, zlib.crc32(category.encode())]
        self._rng = np.random.default_rng([*self._category_key, index])
        self._index = index

    def length(self, low: float, high: float) -> float:
        """A length in [low, high], m, on a grid of 0.1 mm; also used for other plain numbers that small."""
        return float(round(self._rng.uniform(low, high), 4))

    def mass(self, low: float, high: float) -> float:
        """A mass in [low, high], kg, to the gram."""
        return float(round(self._rng.uniform(low, high), 3))

    def cycle(self, key: str, options: Sequence[T]) -> T:
        """One option; each lap of consecutive instances walks through all of them, in an order of its own.

        Orders differ between laps and keys, so that two choices are not tied to each other.
        """
        lap, place = divmod(self._index, len(options))
        order = np.random.default_rng([*self._category_key, zlib.crc32(key.encode()), lap]).permutation(len(options))
        return options[int(order[place])]

    @property
    def rng(self) -> np.random.Generator:
        """The instance's own generator, for patterns."""
        return self._rng

    def paint(self, material: str, *words: str, key: str = "paint") -> Material:
        """A paint in one of some colour words, in one of its shades.

        Args:
            material: Word of ``vocabulary.MATERIALS``.
            *words: Colour words to cycle through.
            key: Draws with equal keys and words agree within an instance.
        """
        shades = SHADES[self.cycle(key, words)]
        return solid(material, shades[int(self._rng.integers(len(shades)))])


def solid(material: str, rgb: Rgb, opacity: float = 1.0) -> Material:
    """A material of one given colour."""
    return Material(material, (*rgb, opacity))


def shade(material: str, word: str, index: int = 0) -> Material:
    """A fixed shade of a colour word."""
    return solid(material, SHADES[word][index])
