"""`metadata.yaml` of a rosbag2 bag, version 9 (Jazzy, Kilted), and the quality of service in it.

Keys and their meaning are those of rosbag2's `bag_metadata.hpp` and `yaml.hpp`; its reader wants every key.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from imove_core.bag.errors import BagError
from imove_core.bag.topics import BagTopic
from imove_core.contract import Qos

VERSION = 9
ROS_DISTRO = "kilted"
INFORMATION_KEY = "rosbag2_bagfile_information"
METADATA_FILE = "metadata.yaml"
TASK_KEY = "task"
# rosbag2's "no limit" of a duration: the largest count of ns in 64 bits.
_UNLIMITED = {"sec": 9223372036, "nsec": 854775807}


# The longest word that YAML takes for something else is `false`.
_PLAIN_KEY = re.compile(r"[a-z][a-z_]{5,}|depth|files|path|name|type|task|nsec|sec")


@dataclass(frozen=True)
class RecordedTopic:
    """A topic as a bag lists it.

    Attributes:
        topic: Name, type and quality of service.
        type_hash: `RIHS01_...`, "" where it is not known.
        messages: How many there are.
    """

    topic: BagTopic
    type_hash: str
    messages: int


@dataclass(frozen=True)
class TimeSpan:
    """First and last log time of a file in ns; both 0 where it has no message."""

    start_ns: int = 0
    end_ns: int = 0


# libyaml where PyYAML has it: ten times faster. Both make plain data only.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def bag_information(
    topics: Sequence[RecordedTopic], file_name: str, span: TimeSpan, custom_data: Mapping[str, str]
) -> dict[str, Any]:
    """What metadata.yaml and the `rosbag2` record of the file say about a bag of one file."""
    listed = [
        {
            "topic_metadata": {
                "name": recorded.topic.name,
                "type": recorded.topic.type,
                "serialization_format": "cdr",
                "offered_qos_profiles": [qos_profile(recorded.topic.qos)],
                "type_description_hash": recorded.type_hash,
            },
            "message_count": recorded.messages,
        }
        for recorded in topics
    ]
    times = {
        "starting_time": {"nanoseconds_since_epoch": span.start_ns},
        "duration": {"nanoseconds": span.end_ns - span.start_ns},
        "message_count": sum(recorded.messages for recorded in topics),
    }
    return {
        "version": VERSION,
        "storage_identifier": "mcap",
        **times,
        "topics_with_message_count": listed,
        "compression_format": "",
        "compression_mode": "",
        "relative_file_paths": [file_name],
        "files": [{"path": file_name, **times}],
        "custom_data": dict(custom_data),
        "ros_distro": ROS_DISTRO,
    }


def metadata_text(information: Mapping[str, Any], task: str) -> str:
    """The content of metadata.yaml.

    Args:
        information: From `bag_information`.
        task: The instruction; converters to training formats look for it beside rosbag2's own key.
    """
    return yaml_text({INFORMATION_KEY: information, TASK_KEY: task})


def qos_profile(qos: Qos) -> dict[str, Any]:
    """A quality of service as rosbag2 writes it since version 9."""
    return {
        "history": "keep_last",
        "depth": qos.depth,
        "reliability": "reliable" if qos.reliable else "best_effort",
        "durability": "transient_local" if qos.latched else "volatile",
        "deadline": _UNLIMITED,
        "lifespan": _UNLIMITED,
        "liveliness": "automatic",
        "liveliness_lease_duration": _UNLIMITED,
        "avoid_ros_namespace_conventions": False,
    }


@lru_cache(maxsize=64)
def qos_from_profiles(text: str) -> Qos:
    """The quality of service of a channel's `offered_qos_profiles`: of several publishers the weakest.

    Older bags have numbers (1 = reliable, transient local) where newer ones have names; a text that is neither gives
    the default of a publisher.
    """
    try:
        profiles = load_yaml(text, "offered_qos_profiles")
    except BagError:
        profiles = None
    profiles = [profile for profile in profiles if isinstance(profile, dict)] if isinstance(profiles, list) else []
    if not profiles:
        return Qos(depth=10)
    depths = [profile.get("depth") for profile in profiles]
    return Qos(
        depth=max([depth for depth in depths if isinstance(depth, int) and depth > 0], default=10),
        latched=all(profile.get("durability") in ("transient_local", 1) for profile in profiles),
        reliable=all(profile.get("reliability") in ("reliable", 1) for profile in profiles),
    )


def yaml_text(value: Any, indent: str = "") -> str:
    """YAML of plain data with string keys in block style, a hundred times faster than PyYAML's.

    Texts are quoted, so that no reader takes one for a number, a date or a truth value.
    """
    if isinstance(value, Mapping) and value:
        return "".join(f"{indent}{_key(key)}:{_nested(item, indent + '  ')}" for key, item in value.items())
    if isinstance(value, list | tuple) and value:
        # A mapping in a list starts on the line of its dash.
        return "".join(f"{indent}-{_nested(item, indent + '  ', in_list=True)}" for item in value)
    return f"{indent}{_scalar(value)}\n"


def _nested(value: Any, indent: str, in_list: bool = False) -> str:
    if not value or not isinstance(value, Mapping | list | tuple):
        return f" {_scalar(value)}\n"
    text = yaml_text(value, indent)
    return f" {text.lstrip(' ')}" if in_list else f"\n{text}"


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else _scalar(key)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        # JSON's escapes are YAML's; what JSON leaves unescaped and no screen shows, YAML forbids.
        return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in _json(value))
    return _json(value)


_json = json.JSONEncoder(ensure_ascii=False).encode


def load_yaml(text: str, where: str) -> Any:
    """Plain data of a YAML text.

    Args:
        text: The YAML.
        where: How to call its place in an error.

    Raises:
        BagError: The text is not YAML.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise BagError(f"{where} holds metadata that are not YAML: {' '.join(str(error).split())}") from error
