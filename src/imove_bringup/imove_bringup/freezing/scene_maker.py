"""Makes proved scenes: draws, settles, checks and proves one after another, until one holds."""

from collections import Counter
from dataclasses import dataclass

from imove_bringup.freezing.proving import Prover
from imove_bringup.freezing.settling import AT_REST_M, rest_drift_m, settled_objects
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_sim_bridge.backend import SimBackend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.drawing import SceneDrawer
from imove_tasks.families.model import Turn
from imove_tasks.registry import get_family
from imove_tasks.scenes import Proof, Scene, episode_spec

ATTEMPTS = 200
"""Draws of one episode before its suite is given up."""


@dataclass(frozen=True)
class Refusal:
    """Why a draw did not become an episode.

    Attributes:
        step: `draw`, `words`, `settle`, `layout` or `physics`.
        reason: One sentence.
    """

    step: str
    reason: str


@dataclass(frozen=True)
class Made:
    """A proved scene and what it took.

    Attributes:
        scene: The scene.
        refused: Draws of the episode that did not hold.
    """

    scene: Scene
    refused: int


class SceneMaker:
    """Makes the scenes of one family and split on one rig."""

    def __init__(self, drawer: SceneDrawer, rig: Rig, library: AssetLibrary, backend: SimBackend) -> None:
        """Works with a simulator of the rig."""
        self._drawer, self._rig, self._library, self._backend = drawer, rig, library, backend
        self._prover = Prover(rig, backend)

    def make(self, seed: int, index: int) -> Made:
        """The first scene that holds of those drawn for an episode; the same arguments give the same scene.

        Raises:
            ImoveError: None of `ATTEMPTS` draws holds; the message says why most of them do not.
        """
        refusals: Counter[tuple[str, str]] = Counter()
        for attempt in range(ATTEMPTS):
            made = self.attempt(Turn(split=self._drawer.split, seed=seed, index=index, attempt=attempt))
            if isinstance(made, Scene):
                return Made(made, attempt)
            refusals[made.step, made.reason] += 1
        (step, reason), count = refusals.most_common(1)[0]
        raise ImoveError(
            f"no episode {index} held in {ATTEMPTS} draws; {count} of them were refused at {step}: {reason}"
        )

    def attempt(self, turn: Turn) -> Scene | Refusal:
        """Draws, settles, checks and proves one scene; the same turn gives the same answer."""
        step = "draw"
        try:
            scene, constraints = self._drawer.draw(turn)
            assets = {item.id: self._library.get(item.asset) for item in scene.objects}
            step = "words"
            spec = episode_spec(scene, 0, assets)
            step = "settle"
            scene = scene.model_copy(update={"objects": settled_objects(self._backend, spec)})
            step = "layout"
            faults = self._drawer.check(scene, constraints)
            if faults:
                raise ImoveError(faults[0])
            scene.check_goals()
            step = "words"
            spec = episode_spec(scene, 0, assets)
            step = "settle"
            drift_m = rest_drift_m(self._backend, spec)
            if drift_m > AT_REST_M:
                raise ImoveError("an object does not rest where it is said to")
            step = "physics"
            every_goal = get_family(scene.family).every_goal
            proved = self._prover.prove(spec, scene.goals, assets, every_goal)
        except ImoveError as error:
            return Refusal(step, str(error))
        proof = Proof(
            engine=str(self._backend.provenance()["engine"]),
            drift_m=round(drift_m, 6),
            candidates=proved.candidates,
            placed=proved.placed,
        )
        return scene.model_copy(update={"goals": proved.goals, "proof": proof})
