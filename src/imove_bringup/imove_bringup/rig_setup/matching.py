"""Which device is which: what somebody said, what the file had, what names say, what is left; else a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from imove_core.errors import ImoveError

Ask = Callable[[str, Sequence[str]], str]
"""Asks which of some devices has a name; raises ImoveError where nobody answers."""
LEADER_WORD = "leader"


@dataclass(frozen=True)
class Match:
    """A device that was found.

    Attributes:
        device: Address of a bus, or serial number.
        why: How that is known.
    """

    device: str
    why: str


def match(
    kind: str,
    wanted: Sequence[str],
    known: Sequence[Mapping[str, Match]],
    free: Sequence[str],
    ask: Ask,
    hint: str = "",
) -> dict[str, Match]:
    """Finds a device for each name.

    Args:
        kind: What is looked for, for people, e.g. `arm`.
        wanted: Names.
        known: What is known already, as `settle` takes it.
        free: Devices that may be meant by the others.
        ask: Asks where several devices are left.
        hint: Why a device may be missing.

    Raises:
        ImoveError: There are fewer devices than names, or nobody answers.
    """
    found = {name: one for name, one in settle(kind, known).items() if name in wanted}
    taken = {one.device for one in found.values()}
    left = [device for device in free if device not in taken]
    open_names = [name for name in wanted if name not in found]
    if len(left) < len(open_names):
        missing = ", ".join(f"'{name}'" for name in open_names)
        raise ImoveError(
            f"{kind} {missing} is missing: {len(open_names)} wanted, {len(left)} found"
            + (f" ({', '.join(left)})" if left else "")
            + f"; {hint or 'is everything plugged in and switched on?'}"
        )
    for index, name in enumerate(open_names):
        if len(left) == 1 and index == len(open_names) - 1:
            found[name] = Match(left[0], "by elimination")
        else:
            found[name] = Match(ask(name, left), "by asking")
        left.remove(found[name].device)
    return {name: found[name] for name in wanted}


def settle(kind: str, known: Sequence[Mapping[str, Match]]) -> dict[str, Match]:
    """Puts together what several sources know.

    Args:
        kind: What is looked for, for people.
        known: What each source knows. A weaker source yields, also where it gives a device to another name; the first
            and strongest is what somebody said.

    Raises:
        ImoveError: Somebody gave one device two names.
    """
    found: dict[str, Match] = {}
    names: dict[str, str] = {}
    for strength, source in enumerate(known):
        for name, one in source.items():
            if strength == 0 and one.device in names:
                raise ImoveError(f"{kind} '{name}' and {kind} '{names[one.device]}' cannot both be {one.device}")
            if name not in found and one.device not in names:
                found[name], names[one.device] = one, name
    return found


def named(names: Sequence[str], devices: Sequence[str], leading: bool) -> dict[str, Match]:
    """Devices whose own name says which they are, e.g. `socketcan:can_left` for `left`.

    Args:
        names: That may be found in them.
        devices: Addresses of buses.
        leading: Whether buses of leaders are looked for, e.g. `socketcan:can_left_leader`.
    """
    found = {}
    for name in names:
        fitting = [device for device in devices if _says(device, name, leading)]
        if len(fitting) == 1:
            found[name] = Match(fitting[0], "by its name")
    return found


def _says(device: str, name: str, leading: bool) -> bool:
    # Of socketcand:HOST:PORT/CHANNEL the channel alone is a name.
    words = re.split(r"[_.\-]", re.split(r"[:/]", device)[-1])
    return set(name.split("_")) <= set(words) and (LEADER_WORD in words) is leading
