"""The errors that a user can act on."""

from collections.abc import Iterable


class ImoveError(Exception):
    """A mistake or a missing thing that a user can mend.

    `str()` is one sentence that names the offender, what was got and what is allowed. Commands print it without a
    traceback and exit with status 2.
    """


def unknown_name(kind: str, got: object, allowed: Iterable[str]) -> ImoveError:
    """Builds the error for a name that is not in a closed list.

    Args:
        kind: What the name stands for, e.g. "rig".
        got: The name that was given.
        allowed: The names that exist.
    """
    return ImoveError(f"unknown {kind} {str(got)!r}; allowed: {', '.join(sorted(allowed))}")
