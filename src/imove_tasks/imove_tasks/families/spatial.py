"""What families with relations share."""

from imove_core.meaning import Description, Related

OPPOSITES = {
    "left_of": "right_of",
    "right_of": "left_of",
    "in_front_of": "behind",
    "behind": "in_front_of",
    "near": "far_from",
    "far_from": "near",
}
"""The relation that a distractor has where the target has the key."""


def related(fields: dict[str, str], relation: str, reference: Description) -> Description:
    """What is described by its labels and by where it is."""
    return Description(fields=fields, relation=Related.model_validate({"relation": relation, "reference": reference}))
