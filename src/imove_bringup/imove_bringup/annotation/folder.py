"""What an annotation run keeps beside a corpus: answers, the queue, decisions, pictures."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from imove_bringup.annotation.answer import Answer
from imove_bringup.annotation.journal import Journal
from imove_bringup.annotation.labels import Labels
from imove_bringup.annotation.measured import Measured
from imove_core.errors import ImoveError
from imove_core.values import FrozenValue

Action = Literal["accepted", "confirmed", "corrected", "rejected"]


class Said(FrozenValue):
    """What came of asking one model about one asset.

    Attributes:
        uuid: The asset.
        content_hash: Its content when it was asked about.
        prompt: Digest of the words of the request.
        model: Who was asked.
        answer: What it said, None when nothing usable came.
        fault: Why nothing usable came.
        tokens: What the service counted.
    """

    uuid: str
    content_hash: str
    prompt: str
    model: str
    answer: Answer | None
    fault: str = ""
    tokens: int = 0


class Queued(FrozenValue):
    """An asset that a person has to look at.

    Attributes:
        uuid: The asset.
        content_hash: Its content when it was queued.
        name: Its name then.
        current: Its words then.
        measured: Facts about it.
        said: What the two models said.
        reasons: What speaks against taking the first answer.
    """

    uuid: str
    content_hash: str
    name: str
    current: Labels
    measured: Measured
    said: tuple[Said, Said]
    reasons: tuple[str, ...]


class Decision(FrozenValue):
    """What is done with an asset; written before it is done, so that it can be finished after a kill.

    Attributes:
        uuid: The asset.
        action: Taken as both models agree, as a person confirmed or corrected it, or left out.
        content_hash: Its content before.
        new_hash: Its content afterwards; empty when it is left out.
        labels: Its words afterwards; None when it is left out.
        reason: Why it is left out; empty otherwise.
    """

    uuid: str
    action: Action
    content_hash: str
    new_hash: str = ""
    labels: Labels | None = None
    reason: str = ""


class AnnotationFolder:
    """`CORPUS/annotation`."""

    def __init__(self, corpus: Path) -> None:
        """Makes the folder where it is missing and reads its files.

        Raises:
            ImoveError: A file is broken.
        """
        root = corpus / "annotation"
        self.pictures = root / "pictures"
        self.excluded = root / ".excluded"  # hidden, so that an import of the corpus does not bring them back
        self.pictures.mkdir(parents=True, exist_ok=True)
        self.answers = Journal(root / "answers.jsonl", Said)
        self.queue = Journal(root / "queue.jsonl", Queued)
        self.decisions = Journal(root / "decisions.jsonl", Decision)

    def picture(self, uuid: str) -> Path:
        """Where the six views of an asset are kept for review."""
        return self.pictures / f"{uuid}.png"

    def keep_picture(self, uuid: str, png: bytes) -> None:
        """Writes the six views of an asset."""
        partial = self.picture(uuid).with_suffix(".partial")
        partial.write_bytes(png)
        os.replace(partial, self.picture(uuid))

    def waiting(self) -> tuple[Queued, ...]:
        """The latest entry of each queued asset that nothing was decided about, in order of their first queuing."""
        decided = {(line.uuid, line.content_hash) for line in self.decisions.lines()}
        latest = {line.uuid: line for line in self.queue.lines()}
        return tuple(line for line in latest.values() if (line.uuid, line.content_hash) not in decided)


@contextmanager
def hold(corpus: Path) -> Iterator[None]:
    """Keeps other annotation commands out of a corpus while it is entered.

    Raises:
        ImoveError: The corpus is no folder, or another command has it.
    """
    if not (corpus / "index.jsonl").is_file():
        raise ImoveError(f"{corpus} is no corpus folder, it has no index.jsonl; `imove assets import` makes one")
    root = corpus / "annotation"
    root.mkdir(exist_ok=True)
    with (root / "lock").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ImoveError(f"another annotate command works on {corpus}; let it end first") from error
        yield
