"""Asks two models about every asset of a corpus, takes what they agree on and queues the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from imove_bringup.annotation.asking import ask
from imove_bringup.annotation.client import Client, Unanswered
from imove_bringup.annotation.corpus import Corpus
from imove_bringup.annotation.deciding import take
from imove_bringup.annotation.folder import AnnotationFolder, Queued, Said
from imove_bringup.annotation.judging import reasons
from imove_bringup.annotation.labels import Labels
from imove_bringup.annotation.measured import Measured, look_at
from imove_bringup.annotation.prompt import prompt_digest
from imove_core.errors import ImoveError
from imove_tasks.assets.model import Asset

_UNANSWERED_IN_A_ROW = 3


@dataclass
class Totals:
    """What a run did so far.

    Attributes:
        done_before: Assets that an earlier run had finished.
        accepted: Assets that took their words from two agreeing answers.
        queued: Assets that wait for a person.
        unanswered: Assets that the service did not answer about; the next run asks again.
        tokens: Tokens that the service counted in this run.
    """

    done_before: int = 0
    accepted: int = 0
    queued: int = 0
    unanswered: list[str] = field(default_factory=list)
    tokens: int = 0


@dataclass(frozen=True)
class _Seen:
    asset: Asset
    measured: Measured
    picture_png: bytes


class Runner:
    """One run over a corpus; pictures are rendered and assets written in the calling thread only."""

    def __init__(
        self, corpus: Corpus, folder: AnnotationFolder, client: Client, models: tuple[str, str], stop: threading.Event
    ) -> None:
        """Prepares a run.

        Args:
            corpus: The assets.
            folder: Where answers, queue and decisions are kept.
            client: Asks the models.
            models: Names of the one whose answer is taken and of the one that checks it.
            stop: Set to end the run early; the client's waits end with it.

        Raises:
            ImoveError: Both models are the same.
        """
        if models[0] == models[1]:
            raise ImoveError(f"model and check model are both {models[0]!r}; two different ones are needed")
        self._corpus = corpus
        self._folder = folder
        self._client = client
        self._models = models
        self._stop = stop
        self._prompt = prompt_digest()
        self._answers = {
            (line.uuid, line.content_hash, line.model): line
            for line in folder.answers.lines()
            if line.prompt == self._prompt
        }

    def run(self, jobs: int, on_asset: Callable[[], None]) -> Totals:
        """Works through the corpus; what earlier runs got is not asked for again.

        Args:
            jobs: Assets to ask about at once.
            on_asset: Called for each asset that is through.

        Raises:
            ImoveError: The service refuses, or does not answer about several assets in a row.
        """
        totals, in_a_row = Totals(), 0
        pool = ThreadPoolExecutor(max_workers=jobs)
        pending: dict[Future[tuple[Said, Said]], _Seen] = {}
        todo = self._todo(totals, on_asset)
        try:
            while True:
                # Twice the jobs are rendered ahead: the pool never waits, and few pictures are held.
                while len(pending) < 2 * jobs and (asset := next(todo, None)) is not None:
                    seen = _Seen(asset, *look_at(asset))
                    pending[pool.submit(self._ask_both, seen)] = seen
                if not pending:
                    return totals
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    seen = pending.pop(future)
                    try:
                        self._settle(seen, future.result(), totals)
                        in_a_row = 0
                    except Unanswered as error:
                        totals.unanswered.append(f"{seen.asset.name} ({seen.asset.uuid}): {error}")
                        in_a_row += 1
                        if in_a_row == _UNANSWERED_IN_A_ROW:
                            raise ImoveError(
                                f"gave up after {in_a_row} assets in a row without an answer: {error}; run the same "
                                "command again to go on"
                            ) from error
                    on_asset()
        finally:
            self._stop.set()
            pool.shutdown(wait=True, cancel_futures=True)

    def _todo(self, totals: Totals, on_asset: Callable[[], None]) -> Iterator[Asset]:
        """The assets that nothing is known of yet."""
        decided = {line.new_hash for line in self._folder.decisions.lines()}
        queued = {(line.uuid, line.content_hash) for line in self._folder.waiting()}
        for row in self._corpus.rows():
            if row.content_hash in decided or (row.uuid, row.content_hash) in queued:
                totals.done_before += 1
                on_asset()
            else:
                yield self._corpus.read(row)

    def _ask_both(self, seen: _Seen) -> tuple[Said, Said]:
        first, second = (self._said(seen, model) for model in self._models)
        return first, second

    def _said(self, seen: _Seen, model: str) -> Said:
        """A model's answer, from an earlier run or from the service; kept as soon as it is there."""
        key = (seen.asset.uuid, seen.asset.content_hash(), model)
        if key not in self._answers:
            answer, fault, tokens = ask(self._client, model, seen.picture_png)
            said = Said(
                uuid=key[0],
                content_hash=key[1],
                prompt=self._prompt,
                model=model,
                answer=answer,
                fault=fault,
                tokens=tokens,
            )
            self._folder.answers.append(said)
            return said
        # Paid for by an earlier run.
        return self._answers[key].model_copy(update={"tokens": 0})

    def _settle(self, seen: _Seen, said: tuple[Said, Said], totals: Totals) -> None:
        """Takes the words, or queues the asset."""
        asset, (first, second) = seen.asset, said
        totals.tokens += first.tokens + second.tokens
        faults = [f"{line.model}: {line.fault}" for line in said if line.answer is None]
        if first.answer and second.answer:
            faults += reasons(first.model, first.answer, second.model, second.answer, seen.measured)
        if first.answer and not faults:
            labels, _ = Labels.of_answer(first.answer, asset.size_bucket)
            assert labels  # words outside of the vocabularies are faults
            take(self._corpus, self._folder, asset, labels, "accepted")
            totals.accepted += 1
            return
        self._folder.keep_picture(asset.uuid, seen.picture_png)
        self._folder.queue.append(
            Queued(
                uuid=asset.uuid,
                content_hash=asset.content_hash(),
                name=asset.name,
                current=Labels.of_asset(asset),
                measured=seen.measured,
                said=said,
                reasons=tuple(faults),
            )
        )
        totals.queued += 1
