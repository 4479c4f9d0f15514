"""The policy `grounded_pick`: looks, chooses a thing by its heat map, picks it, and looks again where it failed.

It uses depth and a planner; only what to pick and where to put it is learned. No torch here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from imove_baselines.grounded_pick.choosing import heat_of_things, lifted
from imove_baselines.grounded_pick.grounder import Grounder
from imove_baselines.grounded_pick.heat import refined_peak
from imove_baselines.grounded_pick.placing import put_down
from imove_baselines.grounded_pick.reaching import Reacher
from imove_baselines.grounded_pick.robot_points import RobotPoints
from imove_baselines.grounded_pick.things import things_on
from imove_core.clouds import Cloud
from imove_core.errors import ImoveError
from imove_core.policy import Chunk, EpisodeStart, Observation, PolicyNeeds
from imove_core.rig import Camera, Rig
from imove_core.state import ObjectState
from imove_core.transforms import Array
from imove_motion.holding import holds
from imove_motion.pick import PickPlan
from imove_motion.playback import Playback, whole_rig
from imove_motion.timing import ease, hold

WATCH_S = 0.5
RETREAT_SPEED_RAD_S = 1.5
RETREAT_ACCELERATION_RAD_S2 = 8.0
# Grasps that are not tried again after a failure: those of like place and depth.
PASSED_OVER = 3
# Wider than what the domain randomisation adds to the initial joints.
HOME_TOLERANCE = 0.10


@dataclass(frozen=True, eq=False)
class _Pick:
    """A pick under way: the plan, where the thing is to go (None to keep it), and what else lies there."""

    plan: PickPlan
    place: Array | None
    others: tuple[ObjectState, ...]


class GroundedPick:
    """One picture and one text to one planned motion, watched."""

    def __init__(self, rig: Rig, grounder: Grounder, camera: Camera, policy_id: str) -> None:
        """Prepares planning.

        Args:
            rig: The embodiment.
            grounder: Says where a text points in a picture.
            camera: The fixed camera whose colour and depth it looks at.
            policy_id: Name and weights.

        Raises:
            ImoveError: An arm of the rig has no closed-form inverse kinematics.
        """
        self.policy_id = policy_id
        self.needs = PolicyNeeds(cameras=(camera.name,), depth=(camera.name,))
        self._rig, self._grounder, self._camera = rig, grounder, camera
        self._reacher = Reacher(rig)
        self._robot = RobotPoints(rig)
        self._playback: Playback | None = None
        self._pick: _Pick | None = None
        self.tries = 0
        self._done = False

    def reset(self, episode: EpisodeStart) -> None:
        """Forgets the last episode."""
        self._playback, self._pick, self.tries, self._done = None, None, 0, False

    def infer(self, observation: Observation) -> Chunk:
        """Answers with the next part of the motion; looks and plans when there is none, or it is over."""
        if self._playback is None or self._playback.finished(observation.stamp_ns):
            state = observation.state.astype(float)
            start = state if self._playback is None else self._playback.goal
            self._playback = Playback(self._rig, self._next(observation, state, start), observation.stamp_ns)
        return self._playback.chunk(observation, self.policy_id)

    def close(self) -> None:
        """Has nothing to free."""

    def _next(self, observation: Observation, state: Array, start: Array) -> Array:
        stay = hold(start, WATCH_S, self._rig.control_rate_hz)
        if self._done:
            return stay
        if self._pick is not None:
            return self._after_pick(self._pick, state, start)
        if np.abs(start - self._rig.home_positions).max() > HOME_TOLERANCE:
            return self._home(start)
        try:
            return self._look(observation, state, start)
        except ImoveError:
            # What cannot be picked from here may be so after a change; staying is the honest answer until then.
            return stay

    def _after_pick(self, pick: _Pick, state: Array, start: Array) -> Array:
        arm = pick.plan.arm
        self._pick = None
        if not holds(self._rig.split(state)[arm][-1], self._rig.split(start)[arm][-1]):
            self.tries += 1
            return self._home(start)
        self._done = True
        if pick.place is None:
            return hold(start, WATCH_S, self._rig.control_rate_hz)
        try:
            return put_down(self._rig, pick.plan, pick.place, start, pick.others)
        except ImoveError:
            return hold(start, WATCH_S, self._rig.control_rate_hz)

    def _look(self, observation: Observation, state: Array, start: Array) -> Array:
        name, view = self._camera.name, self._grounder.view
        if name not in observation.depth:
            raise ImoveError(f"policy {self.policy_id} needs depth of {name}, which was not sent")
        heat = self._grounder.ground(observation.images[name], observation.instruction)
        cloud = self._robot.without(Cloud.of(observation.depth[name], self._camera), state)
        things = things_on(cloud, self._rig.workspace)
        shares = heat_of_things(heat.pick, view, self._camera, things)
        if not shares.any():
            raise ImoveError("nothing lies where the heat map points")
        chosen = int(shares.argmax())
        others = [thing for number, thing in enumerate(things) if number != chosen]
        around = tuple(thing.as_neighbour(f"thing_{n}", cloud.pixel_m) for n, thing in enumerate(others))
        pick = partial(self._reacher.plan, cloud, things[chosen], others, start, PASSED_OVER * self.tries)
        if heat.place is None:
            return self._begun(_Pick(pick(), None, around), start)
        place = lifted(refined_peak(heat.place, view), view, self._camera, cloud.points)
        return self._begun(_Pick(self._carrying(pick, place, around, start), place, around), start)

    def _begun(self, pick: _Pick, start: Array) -> Array:
        self._pick = pick
        return whole_rig(self._rig, pick.plan.arm, pick.plan.positions, start)

    def _carrying(
        self, pick: Callable[..., PickPlan], place: Array, around: tuple[ObjectState, ...], start: Array
    ) -> PickPlan:
        """A pick by an arm that also reaches the place, the nearest to it first; any pick where none does."""
        nearest = sorted(
            self._rig.arms, key=lambda arm: float(np.linalg.norm(arm.world_from_base.matrix[:2, 3] - place[:2]))
        )
        for arm in nearest:
            try:
                plan = pick(arms=(arm.name,))
                put_down(self._rig, plan, place, whole_rig(self._rig, arm.name, plan.positions[-1:], start)[0], around)
            except ImoveError:
                continue
            return plan
        return pick()

    def _home(self, start: Array) -> Array:
        """With an open hand back to where nothing hides the table."""
        return ease(
            np.vstack([start, self._rig.home_positions]),
            RETREAT_SPEED_RAD_S,
            self._rig.control_rate_hz,
            peak_acceleration=RETREAT_ACCELERATION_RAD_S2,
        )
