"""The review desk behind the page: what waits, one case at a time, and decisions; in terms of JSON."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, get_args

from imove_bringup.annotation.answer import MAX_EXPRESSIONS, MAX_SENTENCE_LENGTH
from imove_bringup.annotation.corpus import Corpus
from imove_bringup.annotation.deciding import MAX_REASON_LENGTH, carry_out, reject, take_reviewed
from imove_bringup.annotation.folder import AnnotationFolder, Queued, Said
from imove_bringup.annotation.labels import Labels
from imove_core.errors import ImoveError
from imove_tasks.assets.model import SizeBucket
from imove_tasks.assets.sizes import SIZE_RANGES
from imove_tasks.assets.taxonomy import CATEGORIES, DOMAINS
from imove_tasks.assets.vocabulary import COLORS, MATERIALS, SHAPES


class UnknownCase(ImoveError):
    """No asset with this id waits."""


class ReviewDesk:
    """Shows cases and takes decisions; calls from several threads come one after the other."""

    def __init__(self, corpus: Corpus, folder: AnnotationFolder) -> None:
        """Works on a corpus that nobody else writes to.

        Args:
            corpus: The assets.
            folder: The queue and where decisions go.
        """
        self._corpus = corpus
        self._folder = folder
        self._lock = threading.Lock()

    def overview(self) -> dict[str, Any]:
        """What waits, how many are decided, and the words that the page offers."""
        with self._lock:
            waiting = self._folder.waiting()
            by_people = sum(line.action != "accepted" for line in self._folder.decisions.lines())
        return {
            "corpus": self._corpus.root.name,
            "decided": by_people,
            "waiting": [{"uuid": case.uuid, "name": case.name, "reasons": len(case.reasons)} for case in waiting],
            "words": {
                "category": {
                    group: list(names) for groups in DOMAINS.values() for group, names in groups.items()
                },
                "color": list(COLORS),
                "shape": list(SHAPES),
                "material": list(MATERIALS),
                "size_bucket": list(get_args(SizeBucket)),
            },
            "nouns": {name: list(kind.nouns) for name, kind in CATEGORIES.items()},
            "plausible": {
                name: {"longest_side_m": sizes.longest_side_m, "mass_kg": sizes.mass_kg}
                for name, sizes in SIZE_RANGES.items()
            },
            "limits": {
                "description": MAX_SENTENCE_LENGTH, "expressions": MAX_EXPRESSIONS, "reason": MAX_REASON_LENGTH,
            },
        }  # fmt: skip

    def case(self, uuid: str) -> dict[str, Any]:
        """Everything about one asset that waits.

        Raises:
            UnknownCase: None with this id does.
        """
        with self._lock:
            case = self._waiting(uuid)
        return {
            "uuid": case.uuid,
            "name": case.name,
            "reasons": list(case.reasons),
            "current": case.current.model_dump(mode="json"),
            "measured": case.measured.model_dump(mode="json"),
            "models": [_model(said, case.measured.size_bucket) for said in case.said],
        }

    def picture(self, uuid: str) -> bytes:
        """PNG of an asset's six views.

        Raises:
            UnknownCase: None with this id waits.
        """
        with self._lock:
            return self._folder.picture(self._waiting(uuid).uuid).read_bytes()

    def accept(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Takes `{"uuid", "labels"}`.

        Raises:
            UnknownCase: No such asset waits.
            ImoveError: A word is not in its vocabulary or a phrase is not true.
        """
        uuid, labels = _fields(request, "uuid", "labels")
        if not isinstance(labels, dict):
            raise ImoveError(f"labels are {type(labels).__name__}; an object is needed")
        with self._lock:
            case = self._waiting(uuid)
            carry_out(self._corpus, self._folder)
            action = take_reviewed(self._corpus, self._folder, case, Labels.parse(labels))
            return {"action": action, "waiting": len(self._folder.waiting())}

    def reject(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Takes `{"uuid", "reason"}`.

        Raises:
            UnknownCase: No such asset waits.
            ImoveError: There is no reason.
        """
        uuid, reason = _fields(request, "uuid", "reason")
        if not isinstance(reason, str):
            raise ImoveError(f"reason is {type(reason).__name__}; text is needed")
        with self._lock:
            case = self._waiting(uuid)
            carry_out(self._corpus, self._folder)
            reject(self._corpus, self._folder, case, reason)
            return {"action": "rejected", "waiting": len(self._folder.waiting())}

    def _waiting(self, uuid: object) -> Queued:
        for case in self._folder.waiting():
            if case.uuid == uuid:
                return case
        raise UnknownCase(f"no object with the id {str(uuid)[:80]!r} waits; it may have been decided already")


def _model(said: Said, size_bucket: str) -> dict[str, Any]:
    """One model's column."""
    offer, left_out = Labels.of_answer(said.answer, size_bucket) if said.answer else (None, ())
    return {
        "name": said.model,
        "fault": said.fault,
        "answer": said.answer.model_dump(mode="json") if said.answer else None,
        "offer": offer.model_dump(mode="json") if offer else None,
        "left_out": list(left_out),
    }


def _fields(request: Mapping[str, Any], *names: str) -> tuple[Any, ...]:
    if set(request) != set(names):
        raise ImoveError(f"the request has the keys {sorted(request)}; {sorted(names)} are needed")
    return tuple(request[name] for name in names)
