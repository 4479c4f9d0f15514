"""Small synthesis jobs, and bags with something changed."""

from collections.abc import Callable, Mapping
from pathlib import Path

from imove_bringup.synthesis.job import SynthesisJob
from imove_core.bag.reader import BagMessage, EpisodeBag
from imove_core.bag.types import message_types
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_tasks.randomization import load_randomization

SUITE = "pick_spatial/seen@franka_single"
EPISODES = 3


def small_job(out: Path, **changes: object) -> SynthesisJob:
    """Demonstrations of a shipped suite with small images."""
    fields = {
        "task": "pick_spatial",
        "split": "train",
        "suite": SUITE,
        "rig": "franka_single",
        "sim": "mujoco",
        "planner": "rrt_connect",
        "seed": 0,
        "looks": load_randomization("default"),
        "image_size": (32, 24),
        "depth": True,
        "assets": (),
        "out": str(out),
    }
    return SynthesisJob.model_validate(fields | changes)


def rewritten(
    bag: EpisodeBag,
    folder: Path,
    facts: Mapping[str, str] | None = None,
    attachments: Mapping[str, bytes] | None = None,
    change: Callable[[BagMessage], bytes | None] = lambda message: message.cdr,
) -> Path:
    """A copy of a bag with other custom data, attachments or messages; `change` may drop a message."""
    settings = WriterSettings(reserve_bytes=0)
    with BagWriter(folder, bag.topics, settings, bag.custom_data, bag.task, message_types()) as writer:
        for message in bag.messages():
            cdr = change(message)
            if cdr is not None:
                writer.write(message.topic, cdr, message.log_time_ns, message.publish_time_ns)
        for name, data in {**bag.attachments, **(attachments or {})}.items():
            writer.attach(name, data, "application/json")
        writer.finish(facts or {})
    return folder
