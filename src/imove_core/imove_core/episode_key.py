"""Ids of episodes as they are announced: scene, condition, and in a blinded comparison the label of the policy."""

from __future__ import annotations

import re

LABEL = re.compile(r"[A-Z]")
"""What stands for a policy where nobody is to know which it is."""


def episode_key(spec_id: str, condition: str, label: str = "") -> str:
    """The id of an episode.

    Args:
        spec_id: Of its scene.
        condition: Instruction condition.
        label: Of the policy in a blinded comparison, where the same scene runs under several; else "".
    """
    return f"{spec_id}/{condition}" + (f"/{label}" if label else "")


def label_in(key: str, spec_id: str, condition: str) -> str:
    """The label of the policy in an id, "" where it has none.

    Args:
        key: From `episode_key`.
        spec_id: Of the scene.
        condition: Instruction condition.
    """
    rest = key.removeprefix(f"{spec_id}/{condition}/")
    return rest if LABEL.fullmatch(rest) else ""
