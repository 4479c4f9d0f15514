"""Lets a scene come to rest and takes over where its objects lie then."""

import numpy as np

from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec, SceneObject
from imove_core.state import ObjectState, StepState
from imove_core.transforms import quaternion_from_rotation
from imove_sim_bridge.backend import SimBackend

SETTLE_STEPS = 60
"""Two seconds."""
SETTLE_M = 0.004
"""An object that moves further while it settles was not put where it can rest."""
AT_REST_M = 0.001


def drift_m(first: StepState, last: StepState) -> float:
    """Largest way that an object has moved between two states, m."""
    pairs = zip(first.objects, last.objects, strict=True)
    return max(float(np.linalg.norm(after.position - before.position)) for before, after in pairs)


def settled_objects(backend: SimBackend, spec: EpisodeSpec) -> tuple[SceneObject, ...]:
    """The objects of a spec in the poses in which they come to rest.

    Raises:
        ImoveError: An object moves further than a few millimetres.
    """
    backend.load(spec)
    first = backend.reset()
    last = backend.advance({}, SETTLE_STEPS)[-1]
    moved = drift_m(first, last)
    if moved > SETTLE_M:
        raise ImoveError(f"an object moves {moved * 1e3:.1f} mm while the scene settles")
    return tuple(_at(item, state) for item, state in zip(spec.objects, last.objects, strict=True))


def _at(item: SceneObject, state: ObjectState) -> SceneObject:
    quaternion = quaternion_from_rotation(state.world_from_object[:3, :3])
    return item.model_copy(
        update={"position": tuple(state.position.tolist()), "quaternion_xyzw": tuple(quaternion.tolist())}
    )


def rest_drift_m(backend: SimBackend, spec: EpisodeSpec) -> float:
    """How far objects move when a settled scene is left alone for two seconds, m."""
    backend.load(spec)
    first = backend.reset()
    return drift_m(first, backend.advance({}, SETTLE_STEPS)[-1])
