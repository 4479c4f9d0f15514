"""Writes a rollout as an episode bag, with the messages that the nodes publish, in the order in which they do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imove_analysis.records import COMPLETED, Execution, episode_id, make_record
from imove_bringup.synthesis.rollout import CONDITION, START_NS, Rollout, Step
from imove_core import contract
from imove_core.bag import messages
from imove_core.bag.facts import (
    LABELS_ATTACHMENT,
    PROVENANCE_ATTACHMENT,
    RIG_ATTACHMENT,
    SPEC_ATTACHMENT,
)
from imove_core.bag.messages import TypedMessage
from imove_core.bag.topics import BagTopic, bag_topics
from imove_core.bag.types import MessageTypes, message_types
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_core.canonical import canonical_json
from imove_core.episode_rig import episode_rig
from imove_core.frames import moving_frames, static_frames
from imove_core.rig import WORLD_FRAME, Rig
from imove_core.state import pose_hash
from imove_core.trajectory import JointCommand
from imove_description.urdf import rig_urdf
from imove_sim_bridge.backend import CameraFrame
from imove_tasks.assets.model import Asset
from imove_tasks.labels import EpisodeLabels, episode_labels

SOURCE = "synthesis"
JSON = "application/json"

Shown = tuple[Step, Mapping[str, CameraFrame]]
"""A control step with the images of its cameras, none where no images are recorded."""


@dataclass(frozen=True)
class Recorder:
    """Writes episodes of one rig.

    Attributes:
        rig: As it was built.
        images: Whether cameras are recorded.
        depth: Whether their depth is.
        seed: Of the synthesis.
        provenance: Where the data comes from, as plain data; the same for all episodes of a run.
        settings: How bags are written; by size alone, so that the same messages make the same file.
    """

    rig: Rig
    images: bool
    depth: bool
    seed: int
    provenance: Mapping[str, Any]
    settings: WriterSettings = WriterSettings(flush_s=math.inf, replace_partial=True)

    def write(self, folder: Path, rollout: Rollout, shown: Iterable[Shown], assets: Mapping[str, Asset]) -> None:
        """Writes the bag of a rollout; it appears under its name when it is whole.

        Args:
            folder: Of the bag; must not exist.
            rollout: A success.
            shown: Its steps with their images.
            assets: The objects' assets by object id.

        Raises:
            ImoveError: The bag cannot be written, or something cannot be rendered.
        """
        types = message_types()
        labels = episode_labels(rollout.spec, CONDITION, rollout.score, [step.phase for step in rollout.steps], assets)
        custom_data = self._custom_data(rollout, labels)
        with BagWriter(folder, self.topics(), self.settings, custom_data, labels.instruction, types) as writer:
            out = _Output(writer, types)
            self._begin(out, rollout)
            for number, (step, frames) in enumerate(shown):
                self._step(out, rollout, step, frames)
                if number == 0:
                    self._commands(out, rollout.commands)
            self._end(out, rollout)
            writer.attach(SPEC_ATTACHMENT, rollout.spec.to_json().encode(), JSON)
            writer.attach(RIG_ATTACHMENT, self.rig.model_dump_json().encode(), JSON)
            writer.attach(LABELS_ATTACHMENT, labels.to_json().encode(), JSON)
            writer.attach(PROVENANCE_ATTACHMENT, canonical_json(dict(self.provenance)).encode(), JSON)
            writer.finish(custom_data)

    def topics(self) -> tuple[BagTopic, ...]:
        """The topics of every bag."""
        here = {topic.name for topic in contract.topics_of(self.rig, "sim")}
        listed = tuple(topic for topic in bag_topics(self.rig, self.depth) if topic.name in here)
        if self.images:
            return listed
        of_cameras = tuple(f"/{camera.name}/" for camera in self.rig.cameras)
        return tuple(topic for topic in listed if not topic.name.startswith(of_cameras))

    def _custom_data(self, rollout: Rollout, labels: EpisodeLabels) -> dict[str, str]:
        spec, score = rollout.spec, rollout.score
        return {
            "schema": "1",
            "episode_id": episode_id(spec, CONDITION),
            "task": spec.family,
            "suite": spec.id.rpartition("/")[0],
            "split": spec.split,
            "condition": CONDITION,
            "instruction": labels.instruction,
            "rig": self.rig.name,
            "seed": str(self.seed),
            "spec_hash": spec.content_hash,
            "success": "true" if labels.success else "false",
            "stages": ",".join(stage for stage in score.stages if score.reached_stage("strict", stage)),
            "engine": str(self.provenance["simulator"]["engine"]),
            "dropped_messages": "0",
            "git_commit": str(self.provenance["revision"]),
            "imove_version": str(self.provenance["versions"].get("imove-core", "unknown")),
            "source": SOURCE,
            "clock": "lockstep",
        }

    def _begin(self, out: _Output, rollout: Rollout) -> None:
        spec, types = rollout.spec, out.types
        arms = [(arm.joint_prefix, arm.arm_model, arm.world_from_base.matrix) for arm in self.rig.arms]
        episode = messages.episode(
            types,
            START_NS,
            episode_id=episode_id(spec, CONDITION),
            suite=f"{spec.family}/{spec.split}",
            condition=CONDITION,
            rig=self.rig.name,
            spec_json=spec.to_json(),
            settled_pose_hash=pose_hash(rollout.steps[0].state.objects),
        )
        fixed = static_frames(episode_rig(self.rig, spec.randomization))
        out.put(contract.ROBOT_DESCRIPTION_TOPIC, messages.string(types, rig_urdf(self.rig.name, arms)), START_NS)
        out.put("/tf_static", messages.tf(types, 0, fixed), START_NS)
        out.put(contract.INSTRUCTION_TOPIC, messages.string(types, spec.instruction(CONDITION).text), START_NS)
        out.put(contract.EPISODE_TOPIC, episode, START_NS)

    def _step(self, out: _Output, rollout: Rollout, step: Step, frames: Mapping[str, CameraFrame]) -> None:
        types, state, stamp_ns, rig = out.types, step.state, step.state.stamp_ns, self.rig
        key = episode_id(rollout.spec, CONDITION)
        out.put(contract.CLOCK_TOPIC, messages.clock(types, stamp_ns), stamp_ns)
        robot = state.robot
        parts = [rig.split(values) for values in (robot.positions, robot.velocities, robot.efforts)]
        targets, nothing = rig.split(step.targets), step.targets[:0]
        for arm in rig.arms:
            measured = messages.joint_state(types, stamp_ns, arm.joint_names, *(part[arm.name] for part in parts))
            wanted = messages.joint_state(types, stamp_ns, arm.joint_names, targets[arm.name], nothing, nothing)
            out.put(contract.joint_states_topic(arm.name), measured, stamp_ns)
            out.put(contract.joint_target_topic(arm.name), wanted, stamp_ns)
        out.put(contract.OBJECTS_TOPIC, messages.object_states(types, state, key, WORLD_FRAME), stamp_ns)
        out.put("/tf", messages.tf(types, stamp_ns, moving_frames(rig, state)), stamp_ns)
        for name, frame in frames.items():
            self._image(out, name, frame, stamp_ns)
        phase = messages.phase(types, stamp_ns, episode_id=key, step=state.step, phase=step.phase)
        out.put(contract.PHASE_TOPIC, phase, stamp_ns)
        for event in step.events:
            reached = messages.stage_event(
                types,
                stamp_ns,
                episode_id=key,
                rubric=event.rubric,
                stage=event.stage,
                object_id=event.object_id,
                destination_id=event.destination_id,
                is_target=event.is_target,
                elapsed_s=event.elapsed_s,
            )
            out.put(contract.STAGE_EVENTS_TOPIC, reached, stamp_ns)

    def _image(self, out: _Output, name: str, frame: CameraFrame, stamp_ns: int) -> None:
        types, optical = out.types, self.rig.camera(name).optical_frame
        info = messages.camera_info(types, stamp_ns, optical, frame.intrinsics)
        out.put(contract.color_info_topic(name), info, stamp_ns)
        out.put(contract.color_topic(name), messages.image(types, stamp_ns, optical, frame.rgb), stamp_ns)
        if frame.depth_mm is not None:
            out.put(contract.depth_info_topic(name), info, stamp_ns)
            out.put(contract.depth_topic(name), messages.image(types, stamp_ns, optical, frame.depth_mm), stamp_ns)

    def _commands(self, out: _Output, commands: Mapping[str, JointCommand]) -> None:
        for name, command in commands.items():
            offsets_ns = (command.times_ns - command.stamp_ns).tolist()
            arm = self.rig.arm(name)
            sent = messages.joint_trajectory(out.types, arm, command.stamp_ns, offsets_ns, command.positions)
            out.put(contract.joint_trajectory_topic(name), sent, command.stamp_ns)

    def _end(self, out: _Output, rollout: Rollout) -> None:
        spec, last_ns = rollout.spec, rollout.steps[-1].state.stamp_ns
        execution = Execution(
            COMPLETED,
            rollout.score,
            policy_id=SOURCE,
            prompt=spec.instruction(CONDITION).text,
            settled_pose_hash=pose_hash(rollout.steps[0].state.objects),
        )
        result = messages.episode_result(
            out.types,
            last_ns,
            episode_id=episode_id(spec, CONDITION),
            outcome=COMPLETED,
            record_json=canonical_json(make_record(spec, CONDITION, self.seed, execution)),
        )
        out.put(contract.RESULT_TOPIC, result, last_ns)


@dataclass(frozen=True)
class _Output:
    """A writer of messages; in lockstep they are received when they are sent."""

    writer: BagWriter
    types: MessageTypes

    def put(self, topic: str, message: TypedMessage, stamp_ns: int) -> None:
        self.writer.write(topic, self.types.serialize(message.message, message.type), stamp_ns, stamp_ns)
