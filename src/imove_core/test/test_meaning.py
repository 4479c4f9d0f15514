"""Meanings: what they can say, and that they are values."""

import pytest
from pydantic import ValidationError

from imove_core.meaning import Description, Destination, Meaning, Related


def test_fields_are_sorted_so_that_equal_demands_are_equal_values() -> None:
    one = Description(fields={"color": "red", "category": "mug"})
    other = Description(fields={"category": "mug", "color": "red"})
    assert one == other
    assert one.model_dump_json() == other.model_dump_json()


@pytest.mark.parametrize(
    ("description", "generic"),
    [
        (Description(), True),
        (Description(fields={"category": "mug"}), False),
        (Description(size="largest"), False),
        (Description(relation=Related(relation="near", reference=Description(fields={"category": "bowl"}))), False),
    ],
)
def test_generic_is_what_demands_nothing(description: Description, generic: bool) -> None:
    assert description.is_generic is generic


def test_what_cannot_be_said_is_refused() -> None:
    bowl = Description(fields={"category": "bowl"})
    beside = Description(relation=Related(relation="near", reference=bowl))
    with pytest.raises(ValidationError, match="unknown field 'weight'; allowed: category, color, material, shape"):
        Description(fields={"weight": "heavy"})
    with pytest.raises(ValidationError, match="field 'color' has no word"):
        Description(fields={"color": ""})
    with pytest.raises(ValidationError, match="one level is allowed"):
        Related(relation="near", reference=beside)
    with pytest.raises(ValidationError, match="relation"):
        Destination.model_validate({"relation": "far_from", "reference": bowl})


def test_a_meaning_survives_json() -> None:
    meaning = Meaning(
        pick=Description(
            fields={"category": "mug", "color": "red"},
            relation=Related(relation="left_of", reference=Description(fields={"category": "bowl"})),
        ),
        place=Destination(relation="in", reference=Description(fields={"category": "plate"}, size="smallest")),
    )
    assert Meaning.model_validate_json(meaning.model_dump_json()) == meaning
