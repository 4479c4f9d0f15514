"""What an episode bag says about its episode: rig, instruction, other wordings, target, success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from imove_core.bag.errors import BagError
from imove_core.bag.facts import INCOMPLETE, LABELS_ATTACHMENT, SCHEMA, rig_from
from imove_core.bag.reader import EpisodeBag
from imove_core.rig import Rig
from imove_tasks.labels import SCHEMA as LABELS_SCHEMA

ABOUT = ("task", "suite", "split", "condition", "source", "spec_hash")
"""Custom data that is kept for reports."""


@dataclass(frozen=True)
class EpisodeFacts:
    """What an episode is.

    Attributes:
        name: Task folder and episode folder.
        rig: The rig it was recorded with.
        instruction: The text that was sent.
        wordings: Other texts that ask for the same and may be trained on.
        target: Id of the instructed object, None where there is none or the bag does not tell.
        success: Whether the target reached all its stages; None where the bag does not tell.
        labelled: Whether the bag has labels of its stages.
        incomplete: Why its recording stopped early, "" for a whole episode.
        about: Further custom data of the bag, e.g. split, condition and source.
    """

    name: str
    rig: Rig
    instruction: str
    wordings: tuple[str, ...]
    target: str | None
    success: bool | None
    labelled: bool
    incomplete: str
    about: Mapping[str, str]


def read_facts(bag: EpisodeBag, name: str) -> EpisodeFacts:
    """Reads what a bag says about its episode; a bag without labels, e.g. a teleoperated one, knows less.

    Args:
        bag: Open episode bag.
        name: How messages call it.

    Raises:
        BagError: It has no rig or instruction, or a schema that is not known.
        ImoveError: Its rig is unknown.
    """
    data = dict(bag.custom_data)
    if "instruction" not in data:
        raise BagError(f"{name} does not say its instruction; custom data has {', '.join(sorted(data)) or 'nothing'}")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise BagError(f"{name} has bag schema {data['schema']!r}; {SCHEMA} is known")
    labels = _labels(bag, name)
    wordings = labels.get("paraphrases", {}).get("seen", [])
    return EpisodeFacts(
        name=name,
        rig=rig_from(bag.attachments, data),
        instruction=data["instruction"],
        wordings=tuple(text for text in dict.fromkeys(wordings) if text != data["instruction"]),
        target=labels.get("target"),
        success={"true": True, "false": False}.get(data.get("success", "")),
        labelled=bool(labels),
        incomplete=data.get(INCOMPLETE, ""),
        about={str(key): data[key] for key in ABOUT if key in data},
    )


def _labels(bag: EpisodeBag, name: str) -> Mapping[str, Any]:
    if LABELS_ATTACHMENT not in bag.attachments:
        return {}
    labels = bag.attached_json(LABELS_ATTACHMENT)
    if not isinstance(labels, dict) or labels.get("schema") != LABELS_SCHEMA:
        got = labels.get("schema") if isinstance(labels, dict) else type(labels).__name__
        raise BagError(f"{name}: attachment {LABELS_ATTACHMENT} has schema {got!r}; {LABELS_SCHEMA} is known")
    return labels
