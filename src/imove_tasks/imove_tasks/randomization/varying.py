"""The same frozen episode with other looks, for controlled sweeps."""

from __future__ import annotations

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.randomization.clutter import meanings_of
from imove_tasks.randomization.config import RandomizationConfig
from imove_tasks.randomization.drawing import draw_randomization

LOOKS_MARK = "~looks-"
"""In the id of a varied episode, between the id of the frozen one and a hash of the draws."""
_HASH_DIGITS = 8


def vary(spec: EpisodeSpec, config: RandomizationConfig, seed: int, *, rig: Rig, library: AssetLibrary) -> EpisodeSpec:
    """The same episode with newly drawn looks and start.

    Objects, their poses, instructions and rubrics are untouched. The certificate stays where only looks differ; where
    the arms start elsewhere or cameras stand elsewhere it no longer holds and is left out.

    Args:
        spec: The frozen episode, or a variant of it.
        config: What is drawn, and what is pinned.
        seed: Of the draws; at least 0.
        rig: The rig of the episode.
        library: Where its assets are.

    Returns:
        A spec whose id is that of the frozen one, then `~looks-` and a hash of the draws.

    Raises:
        ImoveError: The rig is not the episode's, an asset is missing, or a pin names what is not there.
    """
    if rig.name != spec.rig:
        raise ImoveError(f"episode {spec.id} is for rig '{spec.rig}'; it cannot be varied on '{rig.name}'")
    assets = {item.id: library.get(item.asset) for item in spec.objects}
    draws = draw_randomization(config, rig, assets, library, seed, meanings_of(spec))
    digest = sha256_of_text(canonical_json(draws.model_dump(mode="json")))[:_HASH_DIGITS]
    before = spec.randomization
    same_start = (draws.joint_offsets_rad, draws.camera_offsets) == (before.joint_offsets_rad, before.camera_offsets)
    return spec.model_copy(
        update={
            "id": f"{spec.id.partition(LOOKS_MARK)[0]}{LOOKS_MARK}{digest}",
            "randomization": draws,
            "certificate": spec.certificate if same_start else None,
        }
    )
