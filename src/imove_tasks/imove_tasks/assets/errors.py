"""The error every part of the asset package raises."""

from __future__ import annotations

from imove_core.errors import ImoveError


class AssetError(ImoveError):
    """An asset, a part of one, or a request for one breaks a rule; the message names the offender."""
