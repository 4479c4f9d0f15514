"""What an import did: findings of one asset, its outcome, and the report over all."""

from __future__ import annotations

from typing import Literal

from imove_core.values import FrozenValue

FindingKind = Literal["repair", "label", "note"]
Status = Literal["imported", "repaired", "refused"]


class Finding(FrozenValue):
    """One thing that was noticed.

    Attributes:
        kind: "repair" for something wrong that was mended, "label" for a word or number of the source that
            disagrees with what was measured (the measured one is used), "note" for what a user should know.
        text: One sentence.
    """

    kind: FindingKind
    text: str


class Journal:
    """Collects the findings of one asset while it is imported."""

    def __init__(self) -> None:
        """Starts without findings."""
        self._findings: list[Finding] = []

    def repaired(self, text: str) -> None:
        """Writes down something wrong that was mended."""
        self._findings.append(Finding(kind="repair", text=text))

    def mislabelled(self, text: str) -> None:
        """Writes down a claim of the source that disagrees with what was measured."""
        self._findings.append(Finding(kind="label", text=text))

    def noted(self, text: str) -> None:
        """Writes down something that a user should know."""
        self._findings.append(Finding(kind="note", text=text))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings so far, in order."""
        return tuple(dict.fromkeys(self._findings))


class Outcome(FrozenValue):
    """What became of one asset of the source.

    Attributes:
        source: Its file, relative to the source folder.
        status: "imported" as it is, "repaired" with repairs among the findings, or "refused".
        uuid: Id in the corpus; empty when refused.
        name: Colour, material and category in words; empty when refused.
        category: Category in the taxonomy; empty when refused.
        reason: Why it was refused, one sentence; empty otherwise.
        findings: What was noticed.
    """

    source: str
    status: Status
    uuid: str = ""
    name: str = ""
    category: str = ""
    reason: str = ""
    findings: tuple[Finding, ...] = ()


class ImportReport(FrozenValue):
    """What became of every asset of a source folder.

    Attributes:
        outcomes: One for each asset, in the order of their files.
        notes: What concerns the folder as a whole.
    """

    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = ()

    def count(self, status: Status) -> int:
        """Number of assets with a status."""
        return sum(outcome.status == status for outcome in self.outcomes)
