"""The noun phrases of an imported asset: ours, and those of its source that are true of it."""

from __future__ import annotations

from collections.abc import Mapping

from imove_tasks.assets.expressions import expressions
from imove_tasks.assets.importing.foreign import Captions
from imove_tasks.assets.importing.labels import Labels
from imove_tasks.assets.importing.report import Journal
from imove_tasks.assets.importing.words import claims, plain_phrase
from imove_tasks.assets.model import Expression, Partition
from imove_tasks.assets.taxonomy import Category


def phrases_of(
    captions: Captions, category: Category, labels: Labels, truth: Mapping[str, str], journal: Journal
) -> tuple[Expression, ...]:
    """Phrases, the plain category phrase first, then the seen ones, then the unseen ones.

    A phrase of the source is kept when it names the category and every controlled word in it is true; it then means
    those words and no more. One that is seen anywhere is seen.

    Args:
        captions: Phrases of the source.
        category: What the object is.
        labels: Its words; where its material is not known, no phrase speaks of one.
        truth: Controlled word of every field that a phrase may speak of.
        journal: Takes what was left out.
    """
    spoken: dict[str, Expression] = {}
    for expression in expressions(category.name, category.nouns, labels.color, labels.shape, labels.material):
        if labels.material_known or "material" not in dict(expression.meaning):
            spoken[expression.text] = expression
    left_out: list[str] = []
    groups: tuple[tuple[Partition, tuple[str, ...]], ...] = (("unseen", captions.unseen), ("seen", captions.seen))
    for partition, phrases in groups:
        for phrase in phrases:
            meaning = claims(phrase, category)
            if meaning is None or any(truth.get(field) != word for field, word in meaning):
                left_out.append(phrase)
                continue
            text = plain_phrase(phrase)
            # "steel mug" is true of a metal one, but only a word that is said itself is claimed.
            meaning = tuple(
                (field, word) for field, word in meaning if field in ("category", "size_bucket") or word in text
            )
            if text not in spoken or partition == "seen":
                spoken[text] = Expression(text, meaning, partition)
    if left_out:
        shown = "; ".join(repr(phrase) for phrase in left_out[:3]) + ("; ..." if len(left_out) > 3 else "")
        journal.mislabelled(
            f"{len(left_out)} of its phrases are not true of it, or do not name it, and are left out: {shown}"
        )
    plain, *others = spoken.values()
    return (plain, *sorted(others, key=lambda expression: expression.partition == "unseen"))
