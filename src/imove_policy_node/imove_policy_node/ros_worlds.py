"""The policy loop's world over ROS: in lockstep through /imove/advance, in real time through command topics."""

from typing import Any

from imove_interfaces.srv import Advance
from rclpy.client import Client
from rclpy.publisher import Publisher

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.policy import Observation, PolicyNeeds
from imove_core.rig import Rig
from imove_policy_node.inbox import Inbox
from imove_policy_node.rollout import ArmTargets
from imove_ros.conversions import joint_trajectory, ns_from_time
from imove_ros.presence import SIMULATOR_LOST, Presence, wait_for

FIRST_WAIT_S = 2.0
OBSERVATION_TIMEOUT_S = 10.0
ADVANCE_TIMEOUT_S = 60.0


class _RosWorld:
    """What both clocks share."""

    def __init__(self, rig: Rig, inbox: Inbox, episode_id: str, instruction: str, first_stamp_ns: int) -> None:
        self._rig, self._inbox = rig, inbox
        self._episode_id, self._instruction = episode_id, instruction
        self._first_ns = self._stamp_ns = first_stamp_ns

    def _observation(self, messages: dict[str, Any] | None, request_id: int) -> Observation:
        if messages is None:
            raise self._silence()
        return self._inbox.observation(self._stamp_ns, messages, self._episode_id, self._instruction, request_id)

    def _silence(self) -> ImoveError:
        return ImoveError(f"no observation of episode {self._episode_id} arrived for {OBSERVATION_TIMEOUT_S:.0f} s")


class LockstepWorld(_RosWorld):
    """Simulated time moves only when the policy has answered."""

    def __init__(
        self,
        rig: Rig,
        inbox: Inbox,
        episode_id: str,
        instruction: str,
        first_stamp_ns: int,
        client: Client,
        simulator: Presence,
        me: str,
    ) -> None:
        """Starts at the first observation of an episode.

        Args:
            rig: The embodiment.
            inbox: What the node hears.
            episode_id: The episode that is set up.
            instruction: Its text.
            first_stamp_ns: Stamp of its first observation.
            client: Of /imove/advance.
            simulator: Whether the simulator of this episode is still there.
            me: Full name of this node.
        """
        super().__init__(rig, inbox, episode_id, instruction, first_stamp_ns)
        self._client, self._simulator, self._me = client, simulator, me

    def observe(self, needs: PolicyNeeds, request_id: int) -> Observation:
        """The observation of the last step that was run."""
        messages = self._inbox.at(self._stamp_ns, FIRST_WAIT_S)
        if messages is None:
            # The first observation can be published before this node's subscriptions are known to the simulator.
            response = self._call(Advance.Request(steps=0, images=bool(needs.cameras)))
            self._stamp_ns = ns_from_time(response.stamp)
            messages = self._inbox.at(self._stamp_ns, OBSERVATION_TIMEOUT_S)
        return self._observation(messages, request_id)

    def advance(self, targets: ArmTargets, steps: int, needs: PolicyNeeds) -> int:
        """Sends the targets and waits until the steps have been run."""
        commands = [
            joint_trajectory(self._rig.arm(name), targets.stamp_ns, targets.offsets_ns, positions)
            for name, positions in targets.positions.items()
        ]
        request = Advance.Request(
            arms=list(targets.positions), commands=commands, steps=steps, images=bool(needs.cameras)
        )
        response = self._call(request)
        self._stamp_ns = ns_from_time(response.stamp)
        return int(response.step)

    def _call(self, request: Advance.Request) -> Advance.Response:
        request.episode_id, request.requester = self._episode_id, self._me
        response = wait_for(self._client.call_async(request), ADVANCE_TIMEOUT_S, self._simulator.there)
        if response is None:
            raise ImoveError(SIMULATOR_LOST)
        if not response.ok:
            raise ImoveError(response.message)
        return response


class RealtimeWorld(_RosWorld):
    """Time runs; how long the policy takes counts as it does on the robot."""

    def __init__(
        self,
        rig: Rig,
        inbox: Inbox,
        episode_id: str,
        instruction: str,
        first_stamp_ns: int,
        publishers: dict[str, Publisher],
    ) -> None:
        """Starts at the first observation of an episode; `publishers` are the command topics by arm name."""
        super().__init__(rig, inbox, episode_id, instruction, first_stamp_ns)
        self._publishers = publishers

    def observe(self, needs: PolicyNeeds, request_id: int) -> Observation:
        """The newest complete observation."""
        found = self._inbox.newest(self._stamp_ns - 1, OBSERVATION_TIMEOUT_S)
        if found is not None:
            self._stamp_ns = found[0]
        return self._observation(None if found is None else found[1], request_id)

    def advance(self, targets: ArmTargets, steps: int, needs: PolicyNeeds) -> int:
        """Sends the targets and waits until `steps` control periods after their observation have passed."""
        for name, positions in targets.positions.items():
            arm = self._rig.arm(name)
            self._publishers[name].publish(joint_trajectory(arm, targets.stamp_ns, targets.offsets_ns, positions))
        until_ns = targets.stamp_ns + round(steps * 1e9 / self._rig.control_rate_hz)
        while self._stamp_ns < until_ns:
            found = self._inbox.newest(self._stamp_ns, OBSERVATION_TIMEOUT_S)
            if found is None:
                raise self._silence()
            self._stamp_ns = found[0]
        return round((self._stamp_ns - self._first_ns) * self._rig.control_rate_hz / 1e9)


def advance_client(node: Any, group: Any) -> Client:
    """Client of /imove/advance."""
    return node.create_client(Advance, contract.ADVANCE_SERVICE, callback_group=group)
