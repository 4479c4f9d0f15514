"""The two JSON files beside the URDF that RoboOrchardSim reads: how to hold and place it, and how to speak of it.

Source of the keys: HorizonRobotics/RoboOrchardSim, tools/asset_pipeline (README) and the caption reader of its
instructions.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from imove_tasks.assets.affordances import Grip
from imove_tasks.assets.arrays import DECIMALS, Array
from imove_tasks.assets.model import Asset

CAPTIONS_NAME = "caption_candidates.json"
INTERACTION_NAME = "interaction.json"

WIDEST_OPENING_M = 0.09
"""Grips that need a wider jaw are left out, as the release's own tool does."""

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_DOWN, _FORWARD = np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0])
_SAME_DIRECTION = 0.9999


def interaction_text(asset: Asset) -> str:
    """`interaction.json`: poses in which it is picked, placed, and takes other things; object frame, m."""
    picks = [_pick(grip) for grip in asset.grips if grip.opening_m <= WIDEST_OPENING_M]
    passive: dict[str, Any] = {"pick": {"body": picks}}
    if asset.region is not None:
        passive["place"] = {"body": [_pose(asset.region.center, _DOWN, _FORWARD)]}
    active = {"place": {"body": [_pose(np.zeros(3), _DOWN, _FORWARD)]}}
    return _text({"interaction": {"active": active, "passive": passive}})


def captions_text(asset: Asset) -> str:
    """`caption_candidates.json`: the plain phrase, and the seen and unseen ones."""
    texts = {
        partition: [expression.text for expression in asset.expressions if expression.partition == partition]
        for partition in ("seen", "unseen")
    }
    return _text({"uuid": asset.uuid, "category": asset.category, "raw": asset.phrase, **texts})


def _pick(grip: Grip) -> dict[str, Any]:
    # The jaws close along the third axis, square to the approach and to the reference axis.
    reference = np.cross(grip.closing_axis, grip.approach)
    reference = reference * np.sign(reference[np.argmax(np.abs(reference))])
    labels = {"dir_axis": _axis_label(grip.approach), "ref_axis": _axis_label(reference)}
    return {**_pose(grip.center, grip.approach, reference), **labels}


def _pose(xyz: Array, direction: Array, reference: Array) -> dict[str, Any]:
    return {"xyz": _listed(xyz), "direction": _listed(direction), "ref_frame": _listed(reference)}


def _axis_label(direction: Array) -> str:
    """A name such as "-z", empty for a direction between the axes."""
    for name, axis in _AXES.items():
        cosine = float(direction @ np.array(axis))
        if abs(cosine) > _SAME_DIRECTION:
            return f"{'+' if cosine > 0 else '-'}{name}"
    return ""


def _listed(values: Array) -> list[float]:
    return [round(float(value), DECIMALS) + 0.0 for value in values]


def _text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
