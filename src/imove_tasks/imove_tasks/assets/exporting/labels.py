"""The words and figures of an asset that exports carry along, where a format has room for them."""

from __future__ import annotations

from typing import Any

from imove_tasks.assets.arrays import DECIMALS
from imove_tasks.assets.model import Asset


def labels_of(asset: Asset) -> dict[str, Any]:
    """Names, attributes and mass by key, as plain JSON values."""
    words = (
        "uuid", "name", "domain", "super_category", "category", "color", "shape", "material", "size_bucket",
        "description",
    )  # fmt: skip
    return {
        **{word: getattr(asset, word) for word in words},
        "tags": sorted(asset.tags),
        "mass_kg": round(asset.mass_kg, DECIMALS),
        "friction": round(asset.friction, DECIMALS),
        "content_hash": asset.content_hash(),
    }
