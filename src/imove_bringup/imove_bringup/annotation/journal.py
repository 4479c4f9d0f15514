"""Files of one value a line that survive a kill at any moment."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.values import FrozenValue, first_fault

Line = TypeVar("Line", bound=FrozenValue)


class Journal(Generic[Line]):
    """Appends whole lines and brings each to disk before it returns; several threads may write.

    Half a line, which a kill may leave at the end, is cut off when the file is opened.
    """

    def __init__(self, path: Path, kind: type[Line]) -> None:
        """Reads the file, if there is one.

        Args:
            path: The file; its folder exists.
            kind: Type of the lines.

        Raises:
            ImoveError: A whole line is not such a value.
        """
        self._path = path
        self._lock = threading.Lock()
        self._lines: list[Line] = []
        if not path.exists():
            return
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        for number, text in enumerate(content[:whole].splitlines(), 1):
            try:
                self._lines.append(kind.model_validate_json(text))
            except ValidationError as error:
                raise ImoveError(f"{path}, line {number}: {first_fault(error, 'the line')}") from error
        if whole < len(content):
            os.truncate(path, whole)

    def lines(self) -> tuple[Line, ...]:
        """All lines so far."""
        with self._lock:
            return tuple(self._lines)

    def append(self, line: Line) -> None:
        """Adds a line; it is on disk afterwards.

        Raises:
            OSError: The disk is full or the folder is not writable.
        """
        data = (canonical_json(line.model_dump(mode="json")) + "\n").encode()
        with self._lock, self._path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            self._lines.append(line)
