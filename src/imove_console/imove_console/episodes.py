"""The recorded episodes: what each is, and its images."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from imove_console.disk import bytes_in
from imove_console.frames import MOST_BYTES, jpeg_of
from imove_core import contract
from imove_core.bag.described import read_metadata
from imove_core.bag.errors import BagError
from imove_core.bag.messages import NS, rgb_from
from imove_core.bag.metadata import INFORMATION_KEY, METADATA_FILE
from imove_core.bag.reader import EpisodeBag, find_bags
from imove_core.errors import ImoveError

_COLOUR = re.compile(r"/([^/]+)/color/image_raw(/compressed)?")
FRAME_PERIOD_S = 0.09
"""Frames of a replay are no closer together: the page shows ten a second."""
FRAME_HEADER = struct.Struct("<dI")
"""Before each JPEG of a replay: s since the start of the episode, and bytes of the JPEG."""
_SHOWN = ("instruction", "task", "condition", "policy", "operator", "success", "source", "incomplete")


@dataclass(frozen=True)
class Entry:
    """One finished bag.

    Attributes:
        name: Its folder relative to the dataset, with slashes.
        recorded_at: When it was finished, seconds since the epoch.
        size_bytes: Of its files.
        duration_s: From its first to its last message.
        messages: That it holds.
        dropped: Messages that a full queue refused or that never arrived, None where the bag does not say.
        facts: What it says about itself.
        cameras: That have colour images in it.
        fault: Why it cannot be read, "" where it can.
    """

    name: str
    recorded_at: float
    size_bytes: int
    duration_s: float = 0.0
    messages: int = 0
    dropped: int | None = None
    facts: Mapping[str, str] | None = None
    cameras: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True)
class Listing:
    """A part of the list, newest first.

    Attributes:
        total: Episodes in all.
        mean_bytes: Mean size of those of the part, 0 where there is none.
        entries: Of the part.
    """

    total: int
    mean_bytes: float
    entries: tuple[Entry, ...]


class EpisodeShelf:
    """The bags of one folder. Nothing is ever written, and nothing outside of the folder is read."""

    def __init__(self, dataset: Path) -> None:
        """Looks at a folder, which need not be there yet."""
        self.dataset = dataset
        self._known: dict[Path, tuple[int, Entry]] = {}

    def listing(self, first: int, count: int) -> Listing:
        """A part of the list.

        Args:
            first: Episodes to leave out, from the newest on.
            count: Episodes of the part.
        """
        found = sorted(((self._changed_ns(bag), bag) for bag in self._bags()), reverse=True)
        part = found[first : first + count]
        entries = tuple(self._entry(bag, changed_ns) for changed_ns, bag in part)
        mean = sum(entry.size_bytes for entry in entries) / len(entries) if entries else 0.0
        return Listing(len(found), mean, entries)

    def frames(self, name: str, camera: str, from_s: float) -> Iterator[bytes]:
        """Images of a camera as `FRAME_HEADER` and JPEG each.

        Args:
            name: Of the bag, as in its entry.
            camera: One of its cameras.
            from_s: Where to begin, s since the start of the bag.

        Raises:
            ImoveError: There is no such bag or camera, or the bag is damaged.
        """
        bag = EpisodeBag(self._place(name))
        there = {topic.name for topic in bag.topics}
        topics = [t for t in (contract.compressed_topic(camera), contract.color_topic(camera)) if t in there]
        if not topics:
            raise ImoveError(f"episode {name} has no images of camera '{camera}'")
        return _frames(bag, topics[0], from_s)

    def _bags(self) -> tuple[Path, ...]:
        try:
            return tuple(bag for bag in find_bags(self.dataset) if bag.is_dir())
        except BagError:
            return ()

    def _place(self, name: str) -> Path:
        """The folder of a bag; raises ImoveError for what is not below the dataset."""
        parts = PurePosixPath(name)
        outside = ImoveError(f"there is no episode {name[:100]!r}")
        if not name or "\0" in name or parts.is_absolute() or ".." in parts.parts or "." in name.split("/"):
            raise outside
        # What links lead to counts, not what they are called.
        place = (self.dataset / parts).resolve()
        if not place.is_relative_to(self.dataset.resolve()) or not (place / METADATA_FILE).is_file():
            raise outside
        return place

    def _changed_ns(self, bag: Path) -> int:
        try:
            return (bag / METADATA_FILE).stat().st_mtime_ns
        except OSError:
            return 0

    def _entry(self, bag: Path, changed_ns: int) -> Entry:
        known = self._known.get(bag)
        if known is None or known[0] != changed_ns:
            known = self._known[bag] = (changed_ns, self._read(bag, changed_ns))
        return known[1]

    def _read(self, bag: Path, changed_ns: int) -> Entry:
        name, recorded_at = bag.relative_to(self.dataset).as_posix(), changed_ns / NS
        size = 0
        try:
            size = bytes_in(bag)
            return _entry_of(name, recorded_at, size, read_metadata(bag / METADATA_FILE)[INFORMATION_KEY])
        except (ImoveError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
            return Entry(name, recorded_at, size, fault=str(error) or type(error).__name__)


def _entry_of(name: str, recorded_at: float, size: int, information: Mapping[str, Any]) -> Entry:
    custom = {str(key): str(value) for key, value in (information.get("custom_data") or {}).items()}
    topics = [entry["topic_metadata"]["name"] for entry in information["topics_with_message_count"]]
    cameras = dict.fromkeys(match[1] for topic in topics if (match := _COLOUR.fullmatch(topic)))
    dropped = custom.get("dropped_messages", "")
    return Entry(
        name=name,
        recorded_at=recorded_at,
        size_bytes=size,
        duration_s=int(information["duration"]["nanoseconds"]) / NS,
        messages=int(information["message_count"]),
        dropped=int(dropped) + int(custom.get("lost_messages") or 0) if dropped.isdecimal() else None,
        facts={key: custom[key][:500] for key in _SHOWN if custom.get(key)},
        cameras=tuple(cameras),
    )


def _frames(bag: EpisodeBag, topic: str, from_s: float) -> Iterator[bytes]:
    information = read_metadata(bag.path / METADATA_FILE)[INFORMATION_KEY]
    start_ns = int(information["starting_time"]["nanoseconds_since_epoch"])
    last_s = -FRAME_PERIOD_S
    types = bag.types([topic])
    for message in bag.messages([topic]):
        at_s = (message.log_time_ns - start_ns) / NS
        if at_s < from_s or at_s - last_s < FRAME_PERIOD_S:
            continue
        last_s = at_s
        content = types.deserialize(message.cdr, message.type)
        jpeg = jpeg_of(rgb_from(content)) if hasattr(content, "encoding") else bytes(content.data)
        if len(jpeg) <= MOST_BYTES:
            yield FRAME_HEADER.pack(at_s, len(jpeg)) + jpeg


def dataset_folder(text: str) -> Path | None:
    """The folder that a parameter names, None for ""."""
    return Path(os.path.abspath(Path(text).expanduser())) if text else None
