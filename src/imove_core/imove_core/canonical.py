"""Canonical JSON, content hashes and writes that cannot be seen half done."""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any


def canonical_json(value: Any) -> str:
    """Returns one line of JSON with sorted keys and no spaces; the same value gives the same text everywhere.

    Raises:
        ValueError: A number is NaN or infinite.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256_of_text(text: str) -> str:
    """Returns the SHA-256 of the UTF-8 bytes of `text` in lower-case hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def write_text_atomically(path: Path, text: str) -> None:
    """Writes UTF-8 `text` to `path` as `write_bytes_atomically` does."""
    write_bytes_atomically(path, text.encode())


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """Writes `content` to `path` through a temporary name beside it, flushed to disk before the rename.

    Raises:
        OSError: The folder is not writable or the disk is full; an older file at `path` is then left as it was.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        with partial.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise
