"""The scenes of a suite that is being made, kept as they come, so that a run that was stopped goes on."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from imove_core.canonical import canonical_json
from imove_core.errors import ImoveError
from imove_tasks.scenes import Scene


class SceneJournal:
    """A file beside the suite: what is being made, then one scene a line."""

    def __init__(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Opens the journal of a run, or begins one.

        Args:
            path: Of the file.
            identity: Everything that decides which scenes come; a journal of another run is not used.

        Raises:
            ImoveError: The file is of another run.
        """
        self._path = path
        self.scenes: dict[int, Scene] = {}
        head = canonical_json(dict(identity))
        if path.exists():
            self._read(head)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(head + "\n")

    def _read(self, head: str) -> None:
        first, *lines = self._path.read_text().split("\n")
        if first != head:
            raise ImoveError(f"{self._path} holds scenes of another run ({first[:120]}); remove it to start anew")
        # The last line may have been cut by a kill.
        whole = lines[:-1]
        for line in whole:
            try:
                scene = Scene.model_validate_json(line)
            except (ValidationError, json.JSONDecodeError):
                raise ImoveError(f"{self._path} is damaged; remove it to start anew") from None
            self.scenes[scene.turn.index] = scene
        if lines and lines[-1]:
            self._path.write_text("\n".join([first, *whole, ""]))

    def add(self, scene: Scene) -> None:
        """Keeps a scene."""
        with self._path.open("a") as file:
            file.write(scene.model_dump_json() + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.scenes[scene.turn.index] = scene

    def close(self) -> None:
        """Removes the file; the suite has been written."""
        self._path.unlink()
