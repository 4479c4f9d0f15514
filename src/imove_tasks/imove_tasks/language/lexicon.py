"""The closed words of instructions: verbs, joins, prepositions, and ways to say a relation or a size.

Templates are written with these words and the parser reads them; what things are called is in `nouns`. In verb frames
`_` stands for the object and `@` for where it goes. Words of the `unseen` partition are in no seen text.
"""

from __future__ import annotations

from dataclasses import dataclass

from imove_tasks.assets.model import Partition

LEADS = (
    "please", "kindly", "now", "just", "go ahead and", "try to", "make sure to", "be sure to", "i want you to",
    "i need you to", "i would like you to", "your task is to", "your job is to", "the task is to", "the goal is to",
    "the next step is to", "use the gripper to", "use your gripper to", "use the arm to",
)  # fmt: skip
"""What can stand before an instruction."""

TAILS = ("please", "for me", "for me please", "now", "with the gripper", "with your gripper")
"""What can stand after an instruction."""

ADVERBS = ("carefully", "gently", "slowly")

TAKE_FRAMES = (
    "pick up _", "pick _ up", "grasp _", "grab _", "take _", "lift _", "lift up _", "lift _ up", "raise _", "seize _",
    "get _", "grip _", "clasp _", "fetch _", "collect _", "retrieve _", "remove _", "hoist _", "scoop up _",
    "get hold of _", "take hold of _", "grab hold of _", "catch hold of _", "reach out and grab _",
    "get a grip on _",
)  # fmt: skip
"""Verbs that ask to pick something."""

TAKING_FRAMES = ("picking up _", "grasping _", "grabbing _", "lifting _", "taking hold of _", "collecting _")
"""The same as participles."""

TAKE_ENDINGS = ("from the table", "off the table", "from the tabletop", "off the surface", "into the air")
"""Where from or whereto something is picked; none of them tells objects apart."""

SEEK_FRAMES = (
    "find _", "locate _", "look for _", "spot _", "identify _", "choose _", "select _", "single out _", "pick out _",
    "reach for _", "reach over to _", "go to _", "go over to _", "move to _", "head for _", "approach _",
    "close the gripper around _", "close the gripper on _",
)  # fmt: skip
"""Verbs that come before the picking."""

PUT_FRAMES = (
    "place _ @", "put _ @", "put _ down @", "set _ @", "set _ down @", "lay _ @", "lay _ down @", "drop _ @",
    "deposit _ @", "leave _ @", "release _ @", "rest _ @", "position _ @", "lower _ @", "move _ @", "shift _ @",
    "transfer _ @", "bring _ @", "drop _ off @", "have _ end up @", "let _ end up @",
)  # fmt: skip
"""Verbs that ask to put something somewhere."""

PUTTING_FRAMES = ("placing _ @", "putting _ @", "putting _ down @", "setting _ down @", "dropping _ @", "laying _ @")
"""The same as participles."""

PUT_ENDINGS = ("and let go", "and open the gripper")

JOINS = ("and", "then", "and then", "and after that", "and next", "to", "in order to", "so that you can")
"""What stands between two actions."""

AFTER, BEFORE = "after", "before"
"""What stands before a participle of what comes first, and of what comes second."""


@dataclass(frozen=True)
class Ways:
    """Ways to say one thing.

    Attributes:
        seen: Those that may be trained on.
        unseen: Those kept for tests of language.
    """

    seen: tuple[str, ...]
    unseen: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Those of both partitions."""
        return self.seen + self.unseen

    def choose(self, partition: Partition, number: int) -> str:
        """One way of a partition; any number does."""
        ways = self.seen if partition == "seen" else self.unseen
        return ways[number % len(ways)]


RELATIONS: dict[str, Ways] = {
    "left_of": Ways(("left of", "to the left of", "on the left side of"), ("on the left of", "to the left side of")),
    "right_of": Ways(
        ("right of", "to the right of", "on the right side of"), ("on the right of", "to the right side of")
    ),
    "in_front_of": Ways(("in front of", "ahead of"), ("out in front of", "forward of")),
    "behind": Ways(("behind", "in back of"), ("at the rear of", "to the rear of")),
    "near": Ways(("near", "close to", "next to"), ("near to", "in the vicinity of")),
    "far_from": Ways(("far from", "far away from"), ("a long way from", "at a distance from")),
}
"""By `imove_core.meaning.SpatialRelation`; every one is seen from the robot, whatever the word."""

PLACE_RELATIONS = ("left_of", "right_of", "in_front_of", "behind", "near")
"""Those of `imove_core.meaning.Destination`; nothing is put far from something."""

CONNECTORS: dict[str, str] = {
    "": "", "that is": "that are", "which is": "which are", "that you see": "that you see",
    "that you find": "that you find", "located": "located", "lying": "lying", "sitting": "sitting",
    "standing": "standing", "placed": "placed", "positioned": "positioned", "resting": "resting",
    "situated": "situated",
}  # fmt: skip
"""What can stand between a noun and its relation, with the form after a plural noun."""

SIZES: dict[str, Ways] = {
    "smallest": Ways(("smallest",), ("tiniest",)),
    "medium": Ways(("medium-sized",), ("mid-sized",)),
    "largest": Ways(("largest",), ("biggest",)),
}
"""By `imove_core.meaning.RELATIVE_SIZES`."""

INSIDE: dict[str, str] = {"in": "in", "into": "into", "inside": "inside"}
ON: dict[str, str] = {"in": "on", "into": "onto", "inside": "on top of"}
"""Prepositions for what holds things inside, and on top, by the slot of a template."""

ANY_OBJECT = Ways(("the object", "any object", "something"), ("the item", "any item", "one of the objects"))
"""Names no object in particular."""
ANY_CONTAINER = Ways(("the container", "any container"), ("a container", "one of the containers"))
ANY_REFERENCE = Ways(("the other object", "another object"), ("something else", "one of the other objects"))

SINGULAR, PLURAL = "it", "them"
