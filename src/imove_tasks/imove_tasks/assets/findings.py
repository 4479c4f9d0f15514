"""The value in which checks of assets speak."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was measured and compared.

    Attributes:
        check: Name of the check.
        measured: What was found.
        claimed: What the asset says, or the range that is allowed.
        ok: Whether they agree.
    """

    check: str
    measured: str
    claimed: str
    ok: bool
