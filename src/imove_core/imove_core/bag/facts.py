"""What an episode bag says beside its messages: names of attachments, keys of custom data, the rig."""

import json
from collections.abc import Mapping

from pydantic import ValidationError

from imove_core.bag.errors import BagError
from imove_core.errors import ImoveError
from imove_core.rig import Rig, load_rig, rig_names
from imove_core.values import first_fault

SCHEMA = "1"
SPEC_ATTACHMENT = "spec.json"
RIG_ATTACHMENT = "rig.json"
LABELS_ATTACHMENT = "labels.json"
PROVENANCE_ATTACHMENT = "provenance.json"
ATTACHMENTS = (SPEC_ATTACHMENT, RIG_ATTACHMENT, LABELS_ATTACHMENT, PROVENANCE_ATTACHMENT)
FACTS = ("schema", "episode_id", "task", "instruction", "rig", "source", "success", "dropped_messages")
"""Keys of custom data that every demonstration has, teleoperated ones included."""
RECOVERED_FROM = "recovered_from"
"""Key of custom data that a recovered bag has: JSON that says from which file and what is missing."""
INCOMPLETE = "incomplete"
"""Key of custom data that a bag has whose recording stopped early: why."""


def checked_facts(custom_data: Mapping[str, str]) -> dict[str, str]:
    """A copy of custom data that any reader of the bag understands.

    Raises:
        BagError: A key or a value is no text, or one that has no UTF-8.
    """
    for key, value in custom_data.items():
        if not isinstance(value, str):
            raise BagError(f"custom data {key!r} of a bag is {value!r}; a text is allowed")
        if not (is_unicode(key) and is_unicode(value)):
            raise BagError(f"custom data {key!r} of a bag is {value!r}, which is no Unicode text")
    return dict(custom_data)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; half a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def rig_from(attachments: Mapping[str, bytes], custom_data: Mapping[str, str]) -> Rig:
    """The rig of a bag: its attachment, else the shipped rig that custom data name.

    Raises:
        BagError: Neither is there, or the attachment breaks the schema.
        ImoveError: The shipped rig cannot be loaded.
    """
    if RIG_ATTACHMENT in attachments:
        try:
            return Rig.model_validate(json.loads(attachments[RIG_ATTACHMENT]))
        except ValidationError as error:
            raise BagError(f"{RIG_ATTACHMENT} of the bag: {first_fault(error, 'the rig')}") from error
        except ValueError as error:
            raise BagError(f"{RIG_ATTACHMENT} of the bag is not JSON") from error
    name = custom_data.get("rig", "")
    # A name only: a path in a bag is not to be followed.
    if name not in rig_names():
        raise BagError(f"the bag has no {RIG_ATTACHMENT}, and its rig {name!r} is none of {', '.join(rig_names())}")
    return load_rig(name)


def rig_or_none(attachments: Mapping[str, bytes], custom_data: Mapping[str, str]) -> Rig | None:
    """As `rig_from`, None where there is no rig."""
    try:
        return rig_from(attachments, custom_data)
    except ImoveError:
        return None
