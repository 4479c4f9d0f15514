"""Carries decisions out on a corpus, and finishes those that were not carried out."""

from __future__ import annotations

from imove_bringup.annotation.corpus import Corpus
from imove_bringup.annotation.folder import Action, AnnotationFolder, Decision, Queued
from imove_bringup.annotation.labels import Labels, relabelled
from imove_core.errors import ImoveError
from imove_tasks.assets.model import Asset

MAX_REASON_LENGTH = 300


def take(corpus: Corpus, folder: AnnotationFolder, asset: Asset, labels: Labels, action: Action) -> None:
    """Gives an asset its words: first on the record, then on disk."""
    changed = relabelled(asset, labels)
    folder.decisions.append(
        Decision(
            uuid=asset.uuid,
            action=action,
            content_hash=asset.content_hash(),
            new_hash=changed.content_hash(),
            labels=labels,
        )
    )
    corpus.replace(changed)


def take_reviewed(corpus: Corpus, folder: AnnotationFolder, queued: Queued, labels: Labels) -> Action:
    """Gives a queued asset the words that a person took.

    Returns:
        "confirmed" when they are those of one of the models, else "corrected".

    Raises:
        ImoveError: A phrase among them is not true of the asset, or the asset has changed since it was queued.
    """
    row = corpus.row(queued.uuid)
    if row is None or row.content_hash != queued.content_hash:
        raise ImoveError(f"{queued.name!r} has changed since it was queued; end the review and ask the models again")
    asset = corpus.read(row)
    labels.check_phrases(asset.size_bucket)
    action: Action = "confirmed" if labels in offers(queued) else "corrected"
    take(corpus, folder, asset, labels, action)
    return action


def reject(corpus: Corpus, folder: AnnotationFolder, queued: Queued, reason: str) -> None:
    """Leaves a queued asset out of the corpus.

    Raises:
        ImoveError: The reason is missing, too long or not one printable line.
    """
    if not reason.strip() or len(reason) > MAX_REASON_LENGTH or not reason.isprintable():
        raise ImoveError(
            f"a reason of one line with 1 to {MAX_REASON_LENGTH} characters is needed, got {reason[:40]!r}"
        )
    folder.decisions.append(
        Decision(uuid=queued.uuid, action="rejected", content_hash=queued.content_hash, reason=reason.strip())
    )
    corpus.exclude(queued.uuid, folder.excluded)


def offers(queued: Queued) -> tuple[Labels | None, ...]:
    """The labels that each model offers; None for one without a usable answer."""
    bucket = queued.measured.size_bucket
    return tuple(Labels.of_answer(said.answer, bucket)[0] if said.answer else None for said in queued.said)


def carry_out(corpus: Corpus, folder: AnnotationFolder) -> None:
    """Does what was decided and is not done: a kill came between, or the same asset was imported anew.

    Raises:
        OSError: The disk is full or a folder not writable.
    """
    decisions = folder.decisions.lines()
    for decision in {(line.uuid, line.content_hash): line for line in decisions}.values():
        row = corpus.row(decision.uuid)
        is_last = decision is decisions[-1]
        is_open = row is not None and row.content_hash == decision.content_hash != decision.new_hash
        if decision.labels is None and (is_open or (row is None and is_last)):
            # Out of the index, the last one's folder may not have been moved yet.
            corpus.exclude(decision.uuid, folder.excluded)
        elif decision.labels is not None and row is not None and is_open:
            asset = corpus.load(row)
            has_words = asset.content_hash() == decision.new_hash
            corpus.replace(asset if has_words else relabelled(asset, decision.labels))
        elif row is not None and is_last:
            corpus.clear(decision.uuid)
