"""Grounding: which objects a meaning is true of."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imove_core.errors import ImoveError
from imove_core.meaning import Description, Destination, Meaning, Related
from imove_tasks.grounding import Referents, Thing, check_goal, ground, referents


def thing(
    name: str, category: str, color: str = "red", side_m: float = 0.08, at: tuple[float, float] = (0, 0)
) -> Thing:
    labels = {"category": category, "color": color, "material": "plastic", "shape": "round"}
    return Thing(name, labels, side_m, np.array(at, dtype=float))


def mugs(*sides_m: float) -> list[Thing]:
    return [thing(f"mug {number}", "mug", side_m=side) for number, side in enumerate(sides_m)]


MUG = Description(fields={"category": "mug"})
BOWL = Description(fields={"category": "bowl"})


def test_labels_decide() -> None:
    scene = [thing("a", "mug", "red"), thing("b", "mug", "blue"), thing("c", "bowl", "red")]
    assert referents(MUG, scene) == Referents(("a", "b"), ())
    assert referents(MUG, scene).only is None
    assert referents(Description(fields={"category": "mug", "color": "blue"}), scene).only == "b"
    assert referents(Description(fields={"color": "green"}), scene).nothing
    assert len(referents(Description(), scene).certain) == 3


@pytest.mark.parametrize(
    ("size", "sides_m", "certain", "possible"),
    [
        ("smallest", (0.10, 0.05, 0.07), ("mug 1",), ()),
        ("medium", (0.10, 0.05, 0.07), ("mug 2",), ()),
        ("largest", (0.10, 0.05, 0.07), ("mug 0",), ()),
        # 5 % apart is not apart: it might be either.
        ("largest", (0.10, 0.105, 0.05), (), ("mug 0", "mug 1")),
        ("smallest", (0.10, 0.105, 0.05), ("mug 2",), ()),
        ("medium", (0.10, 0.105, 0.05), (), ("mug 0", "mug 1", "mug 2")),
        # Nothing is the largest of one, and nothing is medium among two or four.
        ("largest", (0.10,), (), ()),
        ("medium", (0.10, 0.05), (), ()),
        ("medium", (0.20, 0.15, 0.10, 0.05), (), ()),
    ],
)
def test_sizes_compare_the_longest_sides(
    size: str, sides_m: tuple[float, ...], certain: tuple[str, ...], possible: tuple[str, ...]
) -> None:
    described = Description.model_validate({"fields": {"category": "mug"}, "size": size})
    found = referents(described, [*mugs(*sides_m), thing("elephant", "toy", side_m=3.0)])
    assert (found.certain, tuple(sorted(found.possible))) == (certain, possible)


def beside(relation: str, reference: Description = BOWL, **fields: str) -> Description:
    related = Related.model_validate({"relation": relation, "reference": reference})
    return Description(fields={"category": "mug", **fields}, relation=related)


def test_relations_are_seen_from_the_only_reference() -> None:
    scene = [thing("l", "mug", at=(0.3, 0.2)), thing("r", "mug", at=(0.3, -0.2)), thing("b", "bowl", at=(0.3, 0))]
    assert referents(beside("left_of"), scene).only == "l"
    assert referents(beside("right_of"), scene).only == "r"
    assert referents(beside("behind"), scene).nothing
    assert referents(beside("left_of", Description(fields={"category": "vase"})), scene).nothing
    assert referents(beside("left_of"), [*scene, thing("b2", "bowl", at=(0.3, 0.1))]).nothing


def test_an_object_in_the_band_spoils_uniqueness() -> None:
    scene = [thing("l", "mug", at=(0.3, 0.2)), thing("d", "mug", at=(0.42, 0.1)), thing("b", "bowl", at=(0.3, 0))]
    found = referents(beside("left_of"), scene)
    assert found == Referents(("l",), ("d",))
    assert found.only is None


def test_nothing_is_beside_itself() -> None:
    scene = [thing("one", "mug", at=(0.3, 0.0)), thing("two", "mug", "blue", at=(0.3, 0.1))]
    reference = Description(fields={"category": "mug", "color": "red"})
    assert referents(beside("near", reference), scene).only == "two"


def test_attribute_and_relation_work_together() -> None:
    scene = [
        *(thing(f"{color} {side}", "mug", color, at=(x, y)) for color, x in (("red", 0.27), ("blue", 0.36))
          for side, y in (("left", 0.25), ("right", -0.25))),
        thing("b", "bowl", at=(0.31, 0)),
    ]  # fmt: skip
    assert referents(beside("left_of"), scene).only is None
    assert referents(Description(fields={"category": "mug", "color": "red"}), scene).only is None
    assert referents(beside("left_of", color="red"), scene).only == "red left"


def test_a_meaning_is_about_target_and_destination() -> None:
    scene = [thing("m", "mug"), thing("b", "bowl", at=(0.2, 0)), thing("p", "plate", at=(0.4, 0))]
    meaning = Meaning(pick=MUG, place=Destination(relation="in", reference=BOWL))
    found = ground(meaning, scene)
    assert (found.target, found.destination) == ("m", "b")
    check_goal(meaning, scene, "m", "b")
    with pytest.raises(ImoveError, match="is about pick m and destination b; the goal is m and p"):
        check_goal(meaning, scene, "m", "p")
    assert ground(None, scene) == ground(Meaning(pick=Description()), scene)
    generic = Meaning(pick=MUG, place=Destination(relation="in", reference=Description()))
    assert ground(generic, scene).destination is None


@given(order=st.permutations(range(5)))
def test_the_order_of_the_scene_does_not_matter(order: list[int]) -> None:
    scene = [*mugs(0.05, 0.07, 0.1), thing("b", "bowl", at=(0.2, 0)), thing("v", "vase", "blue", at=(0.2, 0.2))]
    shuffled = [scene[index] for index in order]
    for description in (
        MUG,
        Description(fields={"category": "mug"}, size="medium"),
        Description(fields={"color": "blue"}),
        beside("behind"),
    ):
        one, other = referents(description, scene), referents(description, shuffled)
        assert set(one.certain) == set(other.certain) and set(one.possible) == set(other.possible)
