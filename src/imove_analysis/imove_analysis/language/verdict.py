"""What the figures come to in one sentence, by rules that never look at an estimate alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from imove_analysis.figures import Figure, between
from imove_analysis.language.scenes import ALTERNATIVE, NORMAL, RUBRIC, Scenes

MARGIN = 0.1
"""An index below this is as good as none: in nine scenes of ten the text then changes nothing."""
Word = Literal["follows", "follows a little", "ignores", "acts against", "undecided"]


@dataclass(frozen=True)
class Verdict:
    """Whether a policy follows language.

    Attributes:
        word: `follows`: the whole interval of the index is above MARGIN. `follows a little`: above 0. `ignores`: it
            holds 0 and lies below MARGIN times the share of episodes in which anything was reached, so that one that
            seldom acts is not called deaf. `acts against`: the whole interval is below 0. `undecided`: anything else.
        sentence: The same for people.
    """

    word: Word
    sentence: str

    def to_record(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def judge(index: Figure, acting: float) -> Verdict:
    """The verdict from the language-dependence index.

    Args:
        index: At reach, from `dependence`.
        acting: Share of the episodes under normal and alternative in which any object was reached.
    """
    if index["value"] is None:
        return Verdict("undecided", f"Undecided: {index['reason']}.")
    low, high = index["ci95"]
    said = f"index {index['value']:.2f}, 95 % interval {between((low, high))}, {index['n']} scenes"
    if low > MARGIN:
        sentence = f"The policy follows language: an object is reached more often when it is the named one ({said})."
        return Verdict("follows", sentence)
    if low > 0:
        sentence = f"The text moves the policy, but perhaps by no more than {MARGIN:g} ({said})."
        return Verdict("follows a little", sentence)
    if high < 0:
        return Verdict("acts against", f"The policy goes for objects less when they are named ({said}).")
    if high < MARGIN * acting:
        return Verdict("ignores", f"The policy ignores language: it reaches the same whatever is named ({said}).")
    if acting == 0:
        return Verdict("undecided", f"Undecided: the policy reached no object at all, under any text ({said}).")
    return Verdict("undecided", f"Undecided: too few scenes, or too little was reached, to tell ({said}).")


def acting_share(scenes: Scenes) -> float:
    """Share of the episodes of scenes with both instructions in which any object was reached; 0 without any."""
    pairs = scenes.both(NORMAL, ALTERNATIVE)
    reached = [episode.rubrics[RUBRIC].any_object("reach") for pair in pairs for episode in pair]
    return sum(reached) / len(reached) if reached else 0.0
