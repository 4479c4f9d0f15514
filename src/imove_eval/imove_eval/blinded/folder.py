"""The folder of a comparison: frozen order, key of the labels, one folder of results a label."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from imove_core.canonical import write_text_atomically
from imove_core.errors import ImoveError
from imove_eval.blinded.order import TrialOrder
from imove_eval.blinded.policies import PolicyChoice, assign_labels
from imove_eval.output_folder import disk_errors

ORDER, KEY = "order.json", "key.json"


def labelled(folder: Path, choices: Sequence[PolicyChoice], rng: np.random.Generator) -> dict[str, PolicyChoice]:
    """The labels of policies: those of the comparison that a folder holds, or new ones.

    Args:
        folder: Of the results; it need not exist.
        choices: Policies, in any order.
        rng: For new labels.

    Raises:
        ImoveError: The folder holds a comparison of other policies, or its key is damaged.
    """
    key = read_key(folder)
    if key is None:
        return assign_labels(choices, rng)
    if Counter(key.values()) != Counter(choices):
        raise ImoveError(
            f"output {folder} compares other policies than the {len(choices)} that were given; give another folder"
        )
    return key


def read_key(folder: Path) -> dict[str, PolicyChoice] | None:
    """What the labels of a comparison stand for, None where the folder holds none.

    Raises:
        ImoveError: The file is damaged.
    """
    path = folder / KEY
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {label: PolicyChoice(**choice) for label, choice in found["labels"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ImoveError(f"{path} is damaged; give another folder or remove this one") from error


def freeze(folder: Path, key: Mapping[str, PolicyChoice], order: TrialOrder) -> None:
    """Writes key and order before the first trial, or checks that they are those of the comparison that goes on.

    Args:
        folder: Of the results.
        key: Policies by label.
        order: Of all trials.

    Raises:
        ImoveError: The folder holds another comparison, or cannot be written.
    """
    record, path = order.to_record(), folder / ORDER
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if path.exists():
            _check_order(path, record)
        else:
            # First the key: with an order there is always a key to it.
            labels = {label: choice.to_record() for label, choice in key.items()}
            write_text_atomically(folder / KEY, json.dumps({"labels": labels}, indent=2) + "\n")
            write_text_atomically(path, json.dumps(record, indent=1) + "\n")
    if read_key(folder) != dict(key):
        raise ImoveError(f"output {folder} has other labels for its policies; give another folder")


def check_comparison(folder: Path, order: TrialOrder) -> None:
    """Checks, without writing anything, that a folder is new or holds the comparison of this order.

    Raises:
        ImoveError: It holds another one.
    """
    if (folder / ORDER).exists():
        _check_order(folder / ORDER, order.to_record())


def _check_order(path: Path, wanted: Mapping[str, Any]) -> None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["sha256"]
    except (ValueError, KeyError, TypeError) as error:
        raise ImoveError(f"{path} is damaged; give another folder or remove this one") from error
    if found != wanted["sha256"]:
        raise ImoveError(
            f"output {path.parent} holds a comparison with another order of trials; scenes, conditions, number of "
            "policies and seed of a comparison are frozen: give another folder"
        )
