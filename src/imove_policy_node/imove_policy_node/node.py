"""The policy node: runs a policy on the episode that is set up, one action goal an episode."""

import threading
from typing import Any

from imove_interfaces.action import RunEpisode
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from imove_core import contract
from imove_core.errors import ImoveError
from imove_core.policy import Policy, PolicyError, prompt_hash
from imove_core.rig import load_rig
from imove_policy_node.asking import ANSWER_TIMEOUT_S
from imove_policy_node.episodes import EpisodeRunner, LoopSettings
from imove_policy_node.inbox import Inbox
from imove_policy_node.lockstep_world import LockstepWorld, advance_client
from imove_policy_node.realtime_asker import PolicyThread
from imove_policy_node.realtime_world import RealtimeWorld
from imove_policy_node.registry import PolicyContext, create_policy
from imove_policy_node.reporting import Reporter
from imove_policy_node.rollout_record import Rollout
from imove_policy_node.ros_episode import RosEpisode
from imove_policy_node.safety_io import SafetyIo
from imove_policy_node.scheduling.latency import parse_latency
from imove_policy_node.scheduling.registry import create_scheduler
from imove_ros.by_hand import Batches
from imove_ros.listening_executor import ListeningExecutor
from imove_ros.node_main import run_node
from imove_ros.parameters import CLOCKS, LOCKSTEP, declare, declare_choice
from imove_ros.policy_loop import loop_message
from imove_ros.presence import Presence, same_server
from imove_ros.qos import ContractTopics
from imove_ros.safety import EMERGENCY_STOP
from imove_tasks.assets.library import folders_from, open_library

JOINTS_HZ = 60.0
"""How often joint states are looked at on the real table, where drivers send two hundred a second."""


class PolicyNode(Node):
    """Serves /imove/run_episode, or in a blinded comparison the action of its label, with one policy."""

    def __init__(self) -> None:
        """Reads the parameters and makes the policy."""
        super().__init__("policy_node")
        self._rig = load_rig(declare(self, "rig", "piperx_dual"))
        self._lockstep = declare_choice(self, "clock", CLOCKS) == LOCKSTEP
        settings = self._loop_settings()
        self._label = declare(self, "label", "")
        self._policy = self._make_policy()
        self._turn = threading.Lock()
        self._newest: Any = None
        self._ending = False
        group = ReentrantCallbackGroup()
        topics = ContractTopics(self, self._rig)
        real = declare_choice(self, "domain", contract.DOMAINS) == contract.REAL
        batches = Batches(self, JOINTS_HZ) if real else None
        inbox = Inbox(topics, self._rig, self._policy.needs, group, batches)
        self._safety = SafetyIo(self, topics, self._rig, group)
        self._stops = 0
        self._reporter = Reporter(self, topics, self._policy.policy_id, self._label)
        self._advance = advance_client(self, group)
        self._commands = {
            arm.name: topics.publisher(JointTrajectory, contract.joint_trajectory_topic(arm.name))
            for arm in self._rig.arms
        }
        thread = None if self._lockstep else PolicyThread()
        self._runner = EpisodeRunner(self._rig, self._policy, settings, inbox, self._safety, self._world, thread)
        self._server = ActionServer(
            self,
            RunEpisode,
            contract.policy_action(self._label),
            self._execute,
            callback_group=group,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def _loop_settings(self) -> LoopSettings:
        return LoopSettings(
            create_scheduler(declare(self, "scheduler", "receding"), declare(self, "execute_steps", 0)),
            parse_latency(declare(self, "latency", "0")),
            declare(self, "answer_timeout_s", ANSWER_TIMEOUT_S),
        )

    def _make_policy(self) -> Policy:
        library = open_library(folders_from(declare(self, "assets", "")))
        name, url = declare(self, "policy", "expert"), declare(self, "policy_url", "")
        size = (declare(self, "image_width", 640), declare(self, "image_height", 480))
        return create_policy(name, PolicyContext(self._rig, library, url, declare(self, "policy_config", ""), size))

    def _execute(self, handle: Any) -> RunEpisode.Result:
        # There is one policy: an older goal, whose evaluator may be gone, ends before its next question.
        self._newest = handle
        result = RunEpisode.Result(policy_id=self._policy.policy_id)
        with self._turn:
            self._stops = self._safety.stops
            try:
                if self._wanted(handle):
                    self._run(handle, result)
                result.ok = self._wanted(handle)
            except ImoveError as error:
                result.message = str(error)
                result.next_may_work = isinstance(error, PolicyError)
            if self._stopped:
                result.message = EMERGENCY_STOP
            elif not self._wanted(handle):
                result.message = "the policy node was told to stop"
            elif not result.ok:
                # Why a policy failed may tell which it is.
                said = f"policy {self._label} failed" if self._label else result.message
                self.get_logger().error(said)
                self._reporter.failed(said)
            if result.ok:
                handle.succeed()
            elif handle.is_cancel_requested:
                handle.canceled()
            else:
                handle.abort()
        return result

    def wind_up(self) -> None:
        """Ends the episode that runs, and begins no other."""
        self._ending = True
        with self._turn:
            pass

    @property
    def _stopped(self) -> bool:
        """Whether the emergency stop has come on since the present episode began; a release does not bring it back."""
        return self._safety.stops != self._stops

    def _wanted(self, handle: Any) -> bool:
        return handle is self._newest and not (self._ending or self._stopped or handle.is_cancel_requested)

    def _run(self, handle: Any, result: RunEpisode.Result) -> None:
        """Runs the episode of a goal, and puts into the result what came of it, also where it was lost."""

        def answered(rollout: Rollout) -> None:
            self._reporter.answered(rollout)
            handle.publish_feedback(RunEpisode.Feedback(step=rollout.steps))
            _fill(result, rollout)

        self._reporter.begin(handle.request.episode_id)
        _fill(result, self._runner.run(handle.request, lambda: self._wanted(handle), answered))

    def _world(self, episode: RosEpisode) -> LockstepWorld | RealtimeWorld:
        if self._lockstep:
            simulator = Presence(same_server(self, self._advance.service_is_ready, contract.OBJECTS_TOPIC))
            return LockstepWorld(episode, self._advance, simulator, self.get_fully_qualified_name())
        return RealtimeWorld(episode, self._commands)

    def destroy_node(self) -> None:
        """Closes the policy with the node."""
        self._policy.close()
        super().destroy_node()


def _fill(result: RunEpisode.Result, rollout: Rollout) -> None:
    result.steps, result.loop = rollout.steps, loop_message(rollout.summary())
    result.prompt, result.prompt_sha256 = rollout.prompt, prompt_hash(rollout.prompt)


def main() -> None:
    """Runs the node until it is interrupted."""
    run_node(PolicyNode, lambda: ListeningExecutor(num_threads=4), PolicyNode.wind_up)
