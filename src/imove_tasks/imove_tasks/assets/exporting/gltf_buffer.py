"""The binary half of a GLB file: arrays and pictures one after the other, and the tables that say where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ARRAY_BUFFER, _ELEMENT_ARRAY_BUFFER = 34962, 34963
_COMPONENT_TYPES = {"float32": 5126, "uint32": 5125}
_KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3"}


class Buffer:
    """Collects bytes, buffer views and accessors in glTF's own terms.

    Attributes:
        views: `bufferViews` of the document.
        accessors: `accessors` of the document.
    """

    def __init__(self) -> None:
        """Starts empty."""
        self._bytes = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def data(self) -> bytes:
        """All bytes, a multiple of four."""
        return bytes(self._bytes)

    def add_bytes(self, data: bytes, **keys: int) -> int:
        """Appends bytes; gives back the number of their view."""
        self.views.append({"buffer": 0, "byteOffset": len(self._bytes), "byteLength": len(data), **keys})
        self._bytes += data
        self._bytes += b"\0" * (-len(self._bytes) % 4)
        return len(self.views) - 1

    def add_vertices(self, values: NDArray[np.float32]) -> int:
        """Appends (N, 2) or (N, 3) vertex data with its bounds; gives back the number of its accessor."""
        bounds = {"min": values.min(0).tolist(), "max": values.max(0).tolist()}
        return self._add_array(values, _ARRAY_BUFFER, bounds)

    def add_indices(self, values: NDArray[np.uint32]) -> int:
        """Appends (N,) vertex numbers; gives back the number of their accessor."""
        return self._add_array(values, _ELEMENT_ARRAY_BUFFER, {})

    def _add_array(self, values: NDArray[Any], target: int, bounds: dict[str, Any]) -> int:
        view = self.add_bytes(np.ascontiguousarray(values).tobytes(), target=target)
        kind = _KINDS[values.shape[1] if values.ndim > 1 else 1]
        component = _COMPONENT_TYPES[str(values.dtype)]
        self.accessors.append(
            {"bufferView": view, "componentType": component, "count": len(values), "type": kind, **bounds}
        )
        return len(self.accessors) - 1
