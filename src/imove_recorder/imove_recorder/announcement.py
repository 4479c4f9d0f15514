"""The episode that a scene provider has announced, and what its bag says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from imove_core import provenance
from imove_core.bag.facts import SCHEMA
from imove_core.bag.messages import EPISODE, STRING, stamp_ns_of
from imove_core.bag.types import MessageTypes
from imove_core.spec import EpisodeSpec
from imove_recorder.settings import RecorderSettings


@dataclass(frozen=True)
class Announcement:
    """An episode that is set up.

    Attributes:
        stamp_ns: Of its first observation.
        episode_id: As whoever runs it calls it.
        suite: Name of its suite.
        condition: Instruction condition.
        rig: Name of the rig.
        spec: The whole spec.
    """

    stamp_ns: int
    episode_id: str
    suite: str
    condition: str
    rig: str
    spec: EpisodeSpec

    @classmethod
    def from_cdr(cls, cdr: bytes, types: MessageTypes) -> Announcement:
        """Decodes a message of /imove/episode; raises ImoveError for another one, or a spec that breaks the schema."""
        message: Any = types.deserialize(cdr, EPISODE)
        return cls(
            stamp_ns=stamp_ns_of(message),
            episode_id=message.episode_id,
            suite=message.suite,
            condition=message.condition,
            rig=message.rig,
            spec=EpisodeSpec.from_json(message.spec_json),
        )


def text_of(cdr: bytes, types: MessageTypes) -> str:
    """The text of a String message; raises BagError for one that is none."""
    return str(types.deserialize(cdr, STRING).data)


def episode_facts(announcement: Announcement, instruction: str, settings: RecorderSettings) -> dict[str, str]:
    """What a bag's custom_data says of an episode before anybody knows how it ends."""
    spec = announcement.spec
    return {
        "schema": SCHEMA,
        "episode_id": announcement.episode_id,
        "task": spec.family,
        "suite": announcement.suite,
        "split": spec.split,
        "condition": announcement.condition,
        "instruction": instruction,
        "rig": announcement.rig,
        "seed": str(spec.seed),
        "spec_hash": spec.content_hash,
        "source": settings.domain,
        "clock": settings.clock,
    }


def origin_facts() -> dict[str, str]:
    """What a bag's custom_data says of the software that made it; asks git, so once a process is enough."""
    collected = provenance.collect()
    return {
        "git_commit": str(collected["revision"]),
        "imove_version": str(collected["versions"].get("imove-core", "unknown")),
    }
