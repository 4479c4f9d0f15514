"""The policy around a model in this process."""

from __future__ import annotations

import logging
from collections.abc import Callable

from imove_core.policy import Chunk, EpisodeStart, Observation, PolicyNeeds
from imove_core.rig import Rig
from imove_policy_node.in_process.features import Features
from imove_policy_node.in_process.manifest_file import LoadedManifest, given_manifest, load_manifest
from imove_policy_node.in_process.model import Model

_log = logging.getLogger(__name__)


class InProcessPolicy:
    """Asks a model that lies in memory; it keeps nothing from one answer to the next.

    The instruction is echoed as it was handed to the policy, also where the model has no input for it.
    """

    def __init__(
        self, loaded: LoadedManifest, build: Callable[[LoadedManifest], Model], rig: Rig, image_size: tuple[int, int]
    ) -> None:
        """Checks manifest, rig and model against each other.

        Args:
            loaded: The manifest and its files.
            build: Makes the model, e.g. `OnnxModel`.
            rig: The embodiment.
            image_size: Width and height of the camera images, pixels.

        Raises:
            ImoveError: They do not fit; both values are shown.
        """
        self._manifest = loaded.manifest
        self._features = Features(loaded, rig, image_size)
        self._model = build(loaded)
        self.policy_id = loaded.policy_id
        self.needs = PolicyNeeds(cameras=loaded.manifest.cameras)

    def reset(self, episode: EpisodeStart) -> None:
        """Says where an instruction is longer than the model reads; there is nothing to forget."""
        if (unread := self._features.unread_words(episode.instruction)) > 0:
            _log.warning(
                "policy %s does not read the last %d words of '%s'", self.policy_id, unread, episode.instruction
            )

    def infer(self, observation: Observation) -> Chunk:
        """Asks the model.

        Raises:
            PolicyError: It fails, or its output is none of what the manifest says.
        """
        output = self._model.run(self._features.inputs(observation))
        return Chunk(
            positions=self._features.targets(output, observation.state),
            dt_s=1.0 / self._manifest.rate_hz,
            observation_stamp_ns=observation.stamp_ns,
            prompt=observation.instruction,
            policy_id=self.policy_id,
        )

    def close(self) -> None:
        """Has nothing to free but memory."""


def load_policy(
    name: str, build: Callable[[LoadedManifest], Model], config: str, rig: Rig, image_size: tuple[int, int]
) -> InProcessPolicy:
    """Loads the policy that a user names by its manifest.

    Args:
        name: Of the kind of policy, for error messages.
        build: Makes the model.
        config: Path of a manifest, or of the folder of one.
        rig: The embodiment.
        image_size: Width and height of the camera images, pixels.

    Raises:
        ImoveError: There is none, or it does not fit.
    """
    return InProcessPolicy(load_manifest(given_manifest(name, config)), build, rig, image_size)
