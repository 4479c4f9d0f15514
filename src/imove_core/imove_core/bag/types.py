"""Message types without ROS: definitions, hashes, and messages to bytes and back."""

import os
import struct
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype
from rosbags.serde import SerdeError
from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from imove_core.bag.errors import BagError
from imove_core.bag.schema import TypeSchema
from imove_core.errors import ImoveError, unknown_name

INTERFACES_PACKAGE = "imove_interfaces"
_ZEROS: dict[str, Any] = {"bool": False, "string": "", "wstring": "", "float32": 0.0, "float64": 0.0}
_ARRAY_TYPES = {"byte": "uint8", "char": "uint8", "octet": "uint8", "bool": "bool"}
_BIG_ENDIAN, _LITTLE_ENDIAN = b"\x00\x00", b"\x00\x01"
# What generated code stumbles over in bytes that are no message.
_PARSE_ERRORS = (
    SerdeError,
    AssertionError,
    IndexError,
    MemoryError,
    OverflowError,
    TypeError,
    ValueError,
    struct.error,
)


class MessageTypes:
    """A set of message types. Names are `package/msg/Type`; messages are plain objects with the fields of the type."""

    def __init__(self, store: Typestore) -> None:
        """Serves the types of `store`, which must not change any more."""
        self._store = store
        self._schemas: dict[str, TypeSchema] = {}

    @classmethod
    def of_schemas(cls, schemas: Iterable[TypeSchema]) -> "MessageTypes":
        """Types as the schemas of a bag define them.

        Raises:
            BagError: A schema cannot be read, or two define a type differently.
        """
        store = get_typestore(Stores.EMPTY)
        for schema in schemas:
            try:
                store.register(schema.fields())
            except (TypesysError, SyntaxError, ValueError) as error:
                raise BagError(f"definition of {schema.name} does not fit the others of the bag: {error}") from error
        return cls(store)

    def names(self) -> tuple[str, ...]:
        """All types, sorted."""
        return tuple(sorted(self._store.fielddefs))

    def definition(self, type_name: str) -> str:
        """The `ros2msg` text of a type, then of every type it depends on; raises ImoveError for an unknown type."""
        return self.schema(type_name).definition

    def type_hash(self, type_name: str) -> str:
        """The REP 2011 hash `RIHS01_...` of a type; raises ImoveError for an unknown type."""
        return self.schema(type_name).type_hash

    def schema(self, type_name: str) -> TypeSchema:
        """Definition and hash of a type; raises ImoveError for an unknown type."""
        if type_name not in self._schemas:
            self._check(type_name)
            definition, _ = self._store.generate_msgdef(type_name, ros_version=2)
            self._schemas[type_name] = TypeSchema(type_name, "ros2msg", definition, self._store.hash_rihs01(type_name))
        return self._schemas[type_name]

    def message_class(self, type_name: str) -> type[Any]:
        """The class of a type's messages, which takes every field; raises ImoveError for an unknown type."""
        self._check(type_name)
        return self._store.types[type_name]

    def make(self, type_name: str, **fields: Any) -> Any:
        """A message; fields that are left out are zero, empty or false.

        Raises:
            ImoveError: The type, or one of the fields, is unknown.
        """
        self._check(type_name)
        described = dict(self._store.fielddefs[type_name][1])
        for name in fields:
            if name not in described:
                raise unknown_name(f"field of {type_name}", name, described)
        values = {name: fields[name] if name in fields else self._zero(described[name]) for name in described}
        return self._store.types[type_name](**values)

    def serialize(self, message: Any, type_name: str) -> bytes:
        """Little-endian CDR of a message, with the four bytes of the encapsulation header.

        Raises:
            BagError: A field has a value of the wrong kind.
            ImoveError: The type is unknown.
        """
        self._check(type_name)
        try:
            return bytes(self._store.serialize_cdr(message, type_name, little_endian=True))
        except Exception as error:
            # Whatever generated code stumbles over: AttributeError, TypeError, struct.error, AssertionError ...
            raise BagError(f"message does not fit {type_name}: {error}") from error

    def deserialize(self, cdr: bytes, type_name: str) -> Any:
        """The message of CDR bytes; numeric arrays are numpy arrays.

        Bytes after the end of the message are ignored, as ROS does: rclpy's `serialize_message` leaves 8 undefined ones
        after a JointState without velocities. (Messages that come over the wire have none.)

        Raises:
            BagError: The bytes are no message of the type.
            ImoveError: The type is unknown.
        """
        self._check(type_name)
        # The store's own method refuses bytes after the end.
        try:
            if cdr[:2] not in (_BIG_ENDIAN, _LITTLE_ENDIAN):
                raise SerdeError("it does not start as CDR")
            known = self._store.get_msgdef(type_name)
            parse = known.deserialize_cdr_le if cdr[:2] == _LITTLE_ENDIAN else known.deserialize_cdr_be
            message, end = parse(memoryview(cdr)[4:], 0, known.cls, self._store)
            if end + 4 > len(cdr):
                raise SerdeError("it ends too early")
            return message
        except _PARSE_ERRORS as error:
            raise BagError(f"{len(cdr)} bytes are no {type_name} message: {error}") from error

    def _check(self, type_name: str) -> None:
        if type_name not in self._store.fielddefs:
            package = type_name.partition("/")[0]
            similar = [name for name in self._store.fielddefs if name.startswith(f"{package}/")]
            raise unknown_name(
                "message type", type_name, similar or ("package/msg/Type of ROS 2 and imove_interfaces",)
            )

    def _zero(self, described: Any) -> Any:
        kind, detail = described
        if kind == Nodetype.BASE:
            return _ZEROS.get(detail[0], 0)
        if kind == Nodetype.NAME:
            return self.make(detail)
        (item_kind, item), length = detail
        count = length if kind == Nodetype.ARRAY else 0
        if item_kind == Nodetype.BASE and item[0] not in ("string", "wstring"):
            return np.zeros(count, dtype=_ARRAY_TYPES.get(item[0], item[0]))
        return [self._zero((item_kind, item)) for _ in range(count)]


def message_types() -> MessageTypes:
    """The types of ROS 2 Kilted and of imove_interfaces.

    Raises:
        ImoveError: The .msg files of imove_interfaces are neither installed nor beside this package.
    """
    return _load(_interfaces_folder())


def _interfaces_folder() -> Path:
    installed = [Path(prefix) / "share" / INTERFACES_PACKAGE for prefix in _prefixes()]
    workspace = Path(__file__).resolve().parents[3] / INTERFACES_PACKAGE
    for folder in (*installed, workspace):
        if (folder / "msg").is_dir():
            return folder / "msg"
    raise ImoveError(
        f"message files of {INTERFACES_PACKAGE} are neither in {workspace} nor under AMENT_PREFIX_PATH; "
        "source the workspace"
    )


def _prefixes() -> list[str]:
    return [prefix for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if prefix]


@lru_cache(maxsize=4)
def _load(folder: Path) -> MessageTypes:
    store = get_typestore(Stores.ROS2_KILTED)
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.msg")):
        name = f"{INTERFACES_PACKAGE}/msg/{path.stem}"
        try:
            found.update(get_types_from_msg(path.read_text(encoding="utf-8"), name))
        except TypesysError as error:
            raise ImoveError(f"message file {path} cannot be read: {error}") from error
    store.register(found)
    return MessageTypes(store)
