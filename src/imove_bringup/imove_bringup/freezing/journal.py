"""What a long run makes, kept as it comes, so that a run that was stopped goes on."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_core.values import FrozenValue

_Item = TypeVar("_Item", bound=FrozenValue)


class Journal(Generic[_Item]):
    """A file that says what is being made, and then has one finished item a line.

    Attributes:
        items: What is there, by its number.
    """

    def __init__(
        self, path: Path, identity: Mapping[str, Any], kind: type[_Item], number_of: Callable[[_Item], int]
    ) -> None:
        """Opens the journal of a run, or begins one.

        Args:
            path: Of the file.
            identity: Everything that decides what comes; a journal of another run is not used.
            kind: Of the items.
            number_of: Tells the number of an item.

        Raises:
            ImoveError: The file is of another run, or damaged.
        """
        self._path, self._number_of = path, number_of
        self.items: dict[int, _Item] = {}
        head = canonical_json(dict(identity))
        if path.exists():
            self._read(head, kind)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(head + "\n")

    def _read(self, head: str, kind: type[_Item]) -> None:
        first, *lines = self._path.read_text().split("\n")
        if first != head:
            raise ImoveError(f"{self._path} is of another run ({first[:120]}); remove it to start anew")
        # The last line may have been cut by a kill.
        whole = lines[:-1]
        for line in whole:
            try:
                item = kind.model_validate_json(line)
            except (ValidationError, json.JSONDecodeError):
                raise ImoveError(f"{self._path} is damaged; remove it to start anew") from None
            self.items[self._number_of(item)] = item
        if lines and lines[-1]:
            self._path.write_text("\n".join([first, *whole, ""]))

    def add(self, item: _Item) -> None:
        """Keeps an item."""
        with self._path.open("a") as file:
            file.write(item.model_dump_json() + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.items[self._number_of(item)] = item

    def close(self) -> None:
        """Removes the file; what it was kept for has been written."""
        self._path.unlink()
