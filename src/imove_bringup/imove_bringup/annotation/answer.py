"""What a vision-language model says of an object, as a typed value and as the JSON schema that asks for it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, StrictBool, ValidationError

from imove_core.errors import ImoveError
from imove_core.values import FrozenValue, first_fault
from imove_tasks.assets.taxonomy import CATEGORIES, DOMAINS
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES

MAX_EXPRESSIONS = 12
MAX_PHRASE_LENGTH = 80
MAX_SENTENCE_LENGTH = 300

SUPER_CATEGORIES: tuple[str, ...] = tuple(group for groups in DOMAINS.values() for group in groups)

Word = Annotated[str, Field(min_length=1, max_length=MAX_PHRASE_LENGTH)]
Positive = Annotated[float, Field(gt=0, strict=True)]


class Answer(FrozenValue):
    """One model's structured answer; its form is checked here, its words and claims in `judging`.

    Attributes:
        super_category: Group of the taxonomy.
        category: Category of the taxonomy, snake case.
        name: Free noun phrase.
        description: One sentence.
        color: Colour of most of the surface.
        shape: Shape of the body.
        material: What most of the surface is made of.
        height_m: Least and largest plausible height as it stands.
        mass_kg: Least and largest plausible mass.
        is_graspable: Whether a small parallel jaw could pick it up.
        is_container: Whether other things can be put on or into it.
        expressions: Short noun phrases for it, without article.
    """

    super_category: Word
    category: Word
    name: Word
    description: Annotated[str, Field(min_length=1, max_length=MAX_SENTENCE_LENGTH)]
    color: Word
    shape: Word
    material: Word
    height_m: tuple[Positive, Positive]
    mass_kg: tuple[Positive, Positive]
    is_graspable: StrictBool
    is_container: StrictBool
    expressions: Annotated[tuple[Word, ...], Field(min_length=1, max_length=MAX_EXPRESSIONS)]

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """Reads what a model wrote.

        Raises:
            ImoveError: It is no JSON, or does not have the form asked for; the message says where.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise ImoveError(first_fault(error, "the answer")) from error


def response_format() -> dict[str, Any]:
    """The `response_format` of a chat-completions request: a strict JSON schema with the controlled words."""
    numbers = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    text = {"type": "string"}
    properties: dict[str, Any] = {
        "super_category": _one_of(SUPER_CATEGORIES),
        "category": _one_of(tuple(CATEGORIES)),
        "name": text,
        "description": text,
        "color": _one_of(COLORS),
        "shape": _one_of(SHAPES),
        "material": _one_of(tuple(MATERIALS)),
        "height_m": numbers,
        "mass_kg": numbers,
        "is_graspable": {"type": "boolean"},
        "is_container": {"type": "boolean"},
        "expressions": {"type": "array", "items": text, "minItems": 1, "maxItems": MAX_EXPRESSIONS},
    }
    schema = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "object_annotation", "strict": True, "schema": schema}}


def _one_of(words: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "string", "enum": list(words)}
