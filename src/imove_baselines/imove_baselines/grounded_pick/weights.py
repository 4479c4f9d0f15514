"""Trained weights as a grounder: one run of a network in onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from imove_baselines.grounded_pick.grounder import Heat
from imove_baselines.grounded_pick.heat import probabilities
from imove_baselines.grounded_pick.manifest import GroundedPickManifest, read_manifest
from imove_baselines.mirroring import mirrored
from imove_baselines.table_view import TableView
from imove_core.errors import ImoveError
from imove_core.fixed_camera import fixed_camera
from imove_core.rig import Rig

INPUTS = ("picture", "tokens")
OUTPUTS = ("heat", "asked")
MIRRORS = ((False, False), (True, False), (False, True), (True, True))
"""Whether left and right, and front and back, are exchanged: training showed all of them, and four answers err less."""


class WeightsGrounder:
    """Points where a network points."""

    def __init__(self, folder: Path, rig: Rig) -> None:
        """Loads weights for a rig.

        Args:
            folder: With manifest and model.
            rig: That the policy runs on.

        Raises:
            ImoveError: The folder is damaged, or the weights are for another rig or view.
        """
        self.manifest, model = read_manifest(folder)
        _check_rig(self.manifest, rig, folder)
        self.camera = fixed_camera(rig, self.manifest.camera)
        self._session = _session(model, folder)
        self._vocabulary = self.manifest.vocabulary
        self._view = self.manifest.view.view()

    @property
    def view(self) -> TableView:
        """The grid of its heat maps."""
        return self._view

    def ground(self, image: NDArray[np.uint8], text: str) -> Heat:
        """Heat maps of an instruction on an image (H, W, 3): the mean over its picture and that one's mirror images."""
        picture = self._view.rectified(image, self.camera)
        picks, places, asked = zip(*(self._seen(picture, text, *mirror) for mirror in MIRRORS), strict=True)
        place = np.mean(places, axis=0) if np.mean(asked) > 0 else None
        return Heat(np.mean(picks, axis=0), place)

    def _seen(
        self, picture: NDArray[np.uint8], text: str, y: bool, x: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
        """Heat maps of a mirrored picture, mirrored back, and the logit for whether a place is asked for."""
        axes = tuple(axis for axis, wanted in ((0, x), (1, y)) if wanted)
        told = mirrored(text, y, x) if self.manifest.text == "full" else ""
        inputs = (np.flip(picture, axes).transpose(2, 0, 1)[None], self._vocabulary.encode(told)[None])
        heat, asked = self._session.run(list(OUTPUTS), dict(zip(INPUTS, inputs, strict=True)))
        pick, place = (np.flip(probabilities(logits), axes) for logits in heat[0])
        return pick, place, float(asked[0, 1])


def _session(model: bytes, folder: Path):  # type: ignore[no-untyped-def]
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # One thread beside a robot; and the same sums in the same order everywhere on one machine.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ImoveError(f"model in {folder} cannot be loaded: {' '.join(str(error).split())[:200]}") from error
    names = (tuple(item.name for item in session.get_inputs()), tuple(item.name for item in session.get_outputs()))
    if names != (INPUTS, OUTPUTS):
        raise ImoveError(f"model in {folder} has inputs and outputs {names}; {(INPUTS, OUTPUTS)} are needed")
    return session


def _check_rig(manifest: GroundedPickManifest, rig: Rig, folder: Path) -> None:
    if manifest.rig != rig.name:
        raise ImoveError(f"weights in {folder} are for rig {manifest.rig}; this is rig {rig.name}")
    wanted = TableView.of(rig)
    if manifest.view.view() != wanted:
        raise ImoveError(f"weights in {folder} are for view {manifest.view.view()}; rig {rig.name} has {wanted}")
