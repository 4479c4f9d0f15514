"""One line of episodes.jsonl: what was run, what the policy received, what came of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from imove_core.blinding import expected_prompt
from imove_core.episode_key import episode_key
from imove_core.errors import ImoveError
from imove_core.policy import prompt_hash
from imove_core.recording import LAST_STEP
from imove_core.spec import EpisodeSpec
from imove_core.step_trace import SUFFIX
from imove_tasks.stages import EpisodeScore

COMPLETED = "completed"
POLICY_LOST = "aborted: policy lost"
POLICY_FAILED = "aborted: policy failed"
SIMULATOR_LOST = "aborted: simulator lost"
STATES_LOST = "aborted: states lost"
RECORDER_LOST = "aborted: recorder lost"
CONDUCTOR_LOST = "aborted: trial conductor lost"
STOPPED = "aborted: trial stopped"
REDONE = "aborted: redone by the operator"
DISCARDED = "aborted: discarded by the operator"
OPERATOR_OUTCOMES = (REDONE, DISCARDED)
"""What a person decided of a trial that says nothing of the policy."""
PUBLIC_OUTCOMES = (
    COMPLETED, POLICY_LOST, POLICY_FAILED, SIMULATOR_LOST, STATES_LOST, RECORDER_LOST, CONDUCTOR_LOST, STOPPED, REDONE,
    DISCARDED,
)  # fmt: skip
"""Outcomes that tell nothing of who acted; any other one is the word of a policy's node."""
TRACES = "traces"
"""Folder of the control steps of all episodes, within the folder of a run."""
WALL_KEY = "wall"
"""Key of everything in a record that depends on the machine's speed or the time of day."""


@dataclass(frozen=True)
class Execution:
    """What an executor reports of one episode.

    Attributes:
        outcome: `completed`, or `aborted: REASON`.
        score: Stages under both rubrics; None for an episode that never began.
        policy_id: As the policy calls itself.
        prompt: The text that the policy says it received last.
        inferences: Questions that the policy answered.
        settled_pose_hash: Of the first observation.
        loop: What the scheduler did, see `imove_core.policy_loop`; empty for an episode that never began.
        safety: What the safety layer did, likewise.
        wall: Latencies and other wall-clock facts.
        message: One sentence for people about an aborted episode.
        next_may_work: Whether only this episode is lost, e.g. because the policy's server did not answer once.
        simulator: Engine, version and renderer of the scene provider.
        phases: Phase of each control step from the first observation on.
        bag: Folder of the episode's bag within the output folder, None where it was not recorded.
        stamp_ns: Of the first observation; 0 for an episode that never began.
        last_step: Control step at which the episode ended that did not run to its horizon.
        operator: What a person says of a trial on the real table, None where nobody was asked.
        trace: Its control steps, from `imove_core.step_trace.trace_bytes`; None where they are not kept.
    """

    outcome: str
    score: EpisodeScore | None
    policy_id: str = ""
    prompt: str = ""
    inferences: int = 0
    settled_pose_hash: str = ""
    loop: Mapping[str, Any] = field(default_factory=dict)
    safety: Mapping[str, Any] = field(default_factory=dict)
    wall: Mapping[str, float] = field(default_factory=dict)
    message: str = ""
    next_may_work: bool = False
    simulator: Mapping[str, Any] = field(default_factory=dict)
    phases: tuple[str, ...] = ()
    bag: str | None = None
    stamp_ns: int = 0
    last_step: int | None = None
    operator: Mapping[str, Any] | None = None
    trace: bytes | None = None


def episode_id(spec: EpisodeSpec, condition: str) -> str:
    """Name of an episode within a run of one policy."""
    return episode_key(spec.id, condition)


def trace_path(spec_id: str, condition: str) -> str:
    """File of an episode's control steps, relative to the folder of its run.

    Raises:
        ImoveError: The id of the scene would lead out of that folder.
    """
    if not all(part.strip(".") for part in spec_id.split("/")):
        raise ImoveError(f"the id '{spec_id}' of a scene is no place for its trace; parts between / need a letter")
    return f"{TRACES}/{spec_id}/{condition}{SUFFIX}"


def public_outcome(outcome: str) -> str:
    """The outcome as people may see it who are not to know which policy acted."""
    return outcome if outcome in PUBLIC_OUTCOMES else "aborted"


_PUBLIC_FIELDS = (
    "spec_id", "spec_hash", "condition", "candidates", "settled_pose_hash", "score", "bag", "video", LAST_STEP,
    "operator",
)  # fmt: skip


def public_record(record: Mapping[str, Any], label: str) -> dict[str, Any]:
    """What of a record may be seen by people who are not to know which policy acted.

    Args:
        record: From `make_record`.
        label: That stands for the policy.
    """
    shown = {name: record[name] for name in _PUBLIC_FIELDS if name in record}
    key = episode_key(record["spec_id"], record["condition"], label)
    return {"episode_id": key, "outcome": public_outcome(record["outcome"]), "policy_id": label, **shown}


def policy_seed(seed: int, spec: EpisodeSpec) -> int:
    """Seed of the policy's draws in one scene: equal for all conditions, so that conditions are paired."""
    digest = hashlib.sha256(f"{seed}/{spec.id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def make_record(spec: EpisodeSpec, condition: str, seed: int, execution: Execution, policy: str = "") -> dict[str, Any]:
    """The record of an episode as plain data; see docs/contracts.md for its fields.

    Args:
        spec: What was run.
        condition: Which of its instructions was given.
        seed: Of the run.
        execution: What came of it.
        policy: Name of the policy as users write it, which says whether it was to get another text.
    """
    text = spec.instruction(condition).text
    expected = expected_prompt(policy, text)
    is_kept = execution.outcome == COMPLETED and execution.trace is not None
    record = {
        "episode_id": episode_id(spec, condition),
        "spec_id": spec.id,
        "spec_hash": spec.content_hash,
        "condition": condition,
        "outcome": execution.outcome,
        "message": execution.message,
        "policy_id": execution.policy_id,
        "policy_seed": policy_seed(seed, spec),
        "prompt_sent": text,
        "prompt_expected": expected,
        "prompt_echoed": execution.prompt,
        "prompt_sha256": prompt_hash(execution.prompt),
        "prompt_verified": execution.outcome == COMPLETED and execution.prompt == expected,
        "inferences": execution.inferences,
        "candidates": len(spec.candidates),
        "settled_pose_hash": execution.settled_pose_hash,
        "score": execution.score.to_record() if execution.score else None,
        "bag": execution.bag,
        "trace": trace_path(spec.id, condition) if is_kept else None,
        "video": None,
        "loop": dict(execution.loop),
        "safety": dict(execution.safety),
        WALL_KEY: dict(execution.wall),
    }
    # Only trials on the real table have these: records of simulations stay as they are.
    if execution.last_step is not None:
        record[LAST_STEP] = execution.last_step
    if execution.operator is not None:
        record["operator"] = dict(execution.operator)
    return record
