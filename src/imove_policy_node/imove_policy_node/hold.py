"""The policy that never moves: a floor for every score."""

import numpy as np

from imove_core.policy import Chunk, EpisodeStart, Observation, PolicyNeeds
from imove_core.rig import Rig


class HoldPolicy:
    """Answers with the joint positions that it first saw."""

    policy_id = "hold"
    needs = PolicyNeeds()
    CHUNK_LENGTH = 15

    def __init__(self, rig: Rig) -> None:
        """Works on any rig."""
        self._rig = rig
        self._first: np.ndarray | None = None

    def reset(self, episode: EpisodeStart) -> None:
        """Forgets the position to hold."""
        self._first = None

    def infer(self, observation: Observation) -> Chunk:
        """Answers with one position, repeated."""
        if self._first is None:
            self._first = observation.state.copy()
        return Chunk(
            positions=np.repeat(self._first[None], self.CHUNK_LENGTH, axis=0),
            dt_s=1.0 / self._rig.control_rate_hz,
            observation_stamp_ns=observation.stamp_ns,
            prompt=observation.instruction,
            policy_id=self.policy_id,
        )

    def close(self) -> None:
        """Has nothing to free."""
