"""Controls that see the true scene: one picks the instructed object, one picks any."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from imove_core.errors import ImoveError
from imove_core.policy import Chunk, EpisodeStart, Observation, PolicyNeeds
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_motion.grasps import grasp_candidates
from imove_motion.pick import PickPlan, PickPlanner
from imove_motion.timing import ease, hold
from imove_policy_node.playback import Playback, whole_rig
from imove_tasks.assets.library import AssetLibrary

WATCH_S = 0.5
RETREAT_SPEED_RAD_S = 1.2
HOME_TOLERANCE = 0.05
# Planning for an object that has moved less than this since it was found out of reach would fail again.
MOVED_M = 0.01


class ScenePicker(ABC):
    """Plans one pick from true object states, watches what came of it, and tries again while time is left."""

    policy_id = "scene_picker"
    needs = PolicyNeeds(objects=True, spec=True)

    def __init__(self, rig: Rig, library: AssetLibrary) -> None:
        """Prepares planning for a rig; `library` knows the objects' grips."""
        self._rig = rig
        self._library = library
        self._planner = PickPlanner(rig)
        self._spec: EpisodeSpec | None = None
        self._goal: str | None = None
        self._playback: Playback | None = None
        self._out_of_reach: Array | None = None

    @abstractmethod
    def choose(self, episode: EpisodeStart, spec: EpisodeSpec) -> str | None:
        """Id of the object to pick in this episode, None to stay."""

    def reset(self, episode: EpisodeStart) -> None:
        """Chooses the object for the episode.

        Raises:
            ImoveError: The episode came without its spec.
        """
        if episode.spec is None:
            raise ImoveError(f"policy {self.policy_id} needs the episode spec, which was not sent")
        self._spec = episode.spec
        self._goal = self.choose(episode, episode.spec)
        self._playback, self._out_of_reach = None, None

    def infer(self, observation: Observation) -> Chunk:
        """Answers with the next part of the motion, planning anew when the last one is over without success."""
        if self._playback is None or self._playback.finished(observation.stamp_ns):
            start = observation.state.astype(float) if self._playback is None else self._playback.goal
            self._playback = Playback(self._rig, self._next_motion(observation, start), observation.stamp_ns)
        return self._playback.chunk(observation, self.policy_id)

    def _next_motion(self, observation: Observation, start: Array) -> Array:
        stay = hold(start, WATCH_S, self._rig.control_rate_hz)
        goal = next((item for item in observation.objects if item.id == self._goal), None)
        if goal is None or goal.held_by or self._given_up(goal):
            return stay
        home = self._rig.home_positions
        if np.abs(start - home).max() > HOME_TOLERANCE:
            # A motion that failed ends somewhere low; go up and home before the next try.
            return ease(np.vstack([start, home]), RETREAT_SPEED_RAD_S, self._rig.control_rate_hz)
        others = [item for item in observation.objects if item.id != self._goal]
        try:
            plan = self._plan(goal, others, start)
        except ImoveError:
            # An object that rolled out of reach cannot be picked; staying is the honest answer.
            self._out_of_reach = goal.position
            return stay
        return whole_rig(self._rig, plan.arm, plan.positions, start)

    def _given_up(self, goal: ObjectState) -> bool:
        return self._out_of_reach is not None and float(np.linalg.norm(goal.position - self._out_of_reach)) < MOVED_M

    def _plan(self, goal: ObjectState, others: Sequence[ObjectState], start: Array) -> PickPlan:
        assert self._spec is not None
        asset = self._library.get(next(item.asset for item in self._spec.objects if item.id == goal.id))
        return self._planner.plan(grasp_candidates(asset, goal.world_from_object, self._planner.palm), start, others)

    def close(self) -> None:
        """Forgets the episode."""
        self._spec, self._goal, self._playback = None, None, None


class TargetPicker(ScenePicker):
    """The expert: picks the instructed object. Without a single referent it stays."""

    policy_id = "expert"

    def choose(self, episode: EpisodeStart, spec: EpisodeSpec) -> str | None:
        """The only referent of the instruction, None where it has none."""
        return spec.instruction(episode.condition).target


class RandomPicker(ScenePicker):
    """The language-blind control: picks one of all objects with equal chance."""

    policy_id = "random_object"

    def choose(self, episode: EpisodeStart, spec: EpisodeSpec) -> str | None:
        """One of all objects, by the seed of the episode alone."""
        rng = np.random.default_rng(episode.seed)
        return spec.objects[int(rng.integers(len(spec.objects)))].id
