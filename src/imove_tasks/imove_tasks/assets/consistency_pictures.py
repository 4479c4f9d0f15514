"""Looks against claims, from unlit pictures of the object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imove_tasks.assets.findings import Finding
from imove_tasks.assets.model import Asset
from imove_tasks.assets.vocabulary import color_word

COLOR_MARGIN = 0.04
"""The label's share of the pixels must lead the next word's by this much."""
MATERIAL_MARGIN = 0.02

_LEVELS = 64  # of each colour channel; words are looked up once a level


@dataclass(frozen=True, eq=False)
class Shot:
    """One unlit picture.

    Attributes:
        pixels: (H, W, 3) uint8 RGB.
        meshes: (H, W) index of the visual mesh that is seen, -1 beside the object.
    """

    pixels: NDArray[np.uint8]
    meshes: NDArray[np.intp]


def picture_findings(asset: Asset, shots: Sequence[Shot]) -> tuple[Finding, ...]:
    """Compares colour and material words with what most of the visible pixels show, averaged over the shots."""
    colors = _mean_shares([_color_counts(shot.pixels[shot.meshes >= 0]) for shot in shots])
    materials = _mean_shares([_material_counts(asset, shot.meshes[shot.meshes >= 0]) for shot in shots])
    return (
        _leads("color", colors, asset.color, COLOR_MARGIN),
        _leads("material", materials, asset.material, MATERIAL_MARGIN),
    )


def _color_counts(pixels: NDArray[np.uint8]) -> dict[str, int]:
    """Number of pixels (N, 3) of each colour word."""
    step = 256 // _LEVELS
    levels = (pixels // step).astype(np.int64)
    keys, counts = np.unique((levels[:, 0] * _LEVELS + levels[:, 1]) * _LEVELS + levels[:, 2], return_counts=True)
    total: dict[str, int] = {}
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        level = np.array([key // _LEVELS**2, key // _LEVELS % _LEVELS, key % _LEVELS])
        word = color_word(((level + 0.5) * step / 256.0).tolist())
        total[word] = total.get(word, 0) + count
    return total


def _material_counts(asset: Asset, meshes: NDArray[np.intp]) -> dict[str, int]:
    """Number of pixels (N,) of each material word."""
    total: dict[str, int] = {}
    for index, count in enumerate(np.bincount(meshes, minlength=len(asset.visuals)).tolist()):
        word = asset.visuals[index].material.name
        total[word] = total.get(word, 0) + count
    return total


def _mean_shares(counts: Sequence[dict[str, int]]) -> list[tuple[str, float]]:
    """Mean share of each word over the shots, largest first."""
    shares: dict[str, float] = {}
    for count in counts:
        pixels = max(1, sum(count.values()))
        for word, number in count.items():
            shares[word] = shares.get(word, 0.0) + number / pixels / len(counts)
    return sorted(shares.items(), key=lambda item: (-item[1], item[0]))


def _leads(check: str, shares: list[tuple[str, float]], claimed: str, margin: float) -> Finding:
    own = dict(shares).get(claimed, 0.0)
    others = max((share for word, share in shares if word != claimed), default=0.0)
    told = ", ".join(f"{word} {share:.2f}" for word, share in shares[:3])
    return Finding(check, told, claimed, own - others >= margin)
