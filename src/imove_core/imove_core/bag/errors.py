"""The error of everything that has to do with bags."""

from imove_core.errors import ImoveError


class BagError(ImoveError):
    """A bag that cannot be written, read or recovered; says which one and why in one sentence."""
