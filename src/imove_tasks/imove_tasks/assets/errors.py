"""The error every part of the asset package raises."""

from __future__ import annotations


class AssetError(ValueError):
    """An asset, a part of one, or a request for one breaks a rule; the message names the offender."""
