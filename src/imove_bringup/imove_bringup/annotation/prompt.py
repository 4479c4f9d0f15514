"""The words of the requests: one about an object's pictures, one that asks to mend a bad answer."""

from __future__ import annotations

import base64
from typing import Any

from imove_bringup.annotation.answer import MAX_EXPRESSIONS, MAX_SENTENCE_LENGTH, response_format
from imove_core.canonical import canonical_json, sha256_of_text
from imove_tasks.assets.taxonomy import CATEGORIES, DOMAINS
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES

Message = dict[str, Any]

_SHOWN_BAD_ANSWER = 2000  # characters of it that are sent back


def _task() -> str:
    nouns = "; ".join(f"{name}: {', '.join(kind.nouns)}" for name, kind in CATEGORIES.items())
    groups = "; ".join(f"{group}: {', '.join(names)}" for groups in DOMAINS.values() for group, names in groups.items())
    return "\n".join(
        [
            "You label household objects for a robot. The picture shows one object from six sides (front, back, left,",
            "right, top, bottom) as it stands; its size is not shown. Answer with one JSON object, nothing else:",
            f"- super_category and category, from this table of super_category: categories. {groups}.",
            "- name: a free noun phrase.",
            f"- description: one sentence of at most {MAX_SENTENCE_LENGTH} characters on what it looks like.",
            f"- color: of most of its surface, one of {', '.join(COLORS)}.",
            f"- shape: of its body, one of {', '.join(SHAPES)}.",
            f"- material: what most of its surface is made of, one of {', '.join(MATERIALS)}.",
            "- height_m: [least, largest] plausible height of such an object as it stands here, metres.",
            "- mass_kg: [least, largest] plausible mass, kilograms.",
            "- is_graspable: whether a robot gripper that opens 7 cm could pick it up.",
            "- is_container: whether other objects can be put on or into it.",
            f"- expressions: 3 to {MAX_EXPRESSIONS} different short noun phrases for it: lower case, no article, no",
            "  digits, no action. Put words for size (small, medium, large), shape, color and material from the lists",
            "  above before a noun of the category, or write 'NOUN that is COLOR' or 'NOUN made of MATERIAL'.",
            f"  Nouns by category. {nouns}.",
        ]
    )


def first_messages(picture_png: bytes) -> list[Message]:
    """Asks for the labels of the object on a picture."""
    url = "data:image/png;base64," + base64.b64encode(picture_png).decode()
    return [
        {"role": "system", "content": _task()},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]},
    ]


def repair_messages(messages: list[Message], bad_answer: str, fault: str) -> list[Message]:
    """Goes on from a bad answer: says what is wrong with it and asks once more."""
    return [
        *messages,
        {"role": "assistant", "content": bad_answer[:_SHOWN_BAD_ANSWER]},
        {"role": "user", "content": f"That is not valid: {fault}. Send the whole JSON object again, and nothing else."},
    ]


def prompt_digest() -> str:
    """Hex SHA-256 of what every request has in common; answers to another prompt are not taken for these."""
    return sha256_of_text(canonical_json([_task(), response_format()]))
