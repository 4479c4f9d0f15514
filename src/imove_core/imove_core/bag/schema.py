"""What a bag stores about a message type, so that a reader needs no ROS to decode it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from rosbags.interfaces import Nodetype
from rosbags.typesys import TypesysError, get_types_from_idl, get_types_from_msg

from imove_core.bag.errors import BagError

TYPE_NAME = re.compile(r"[a-z][a-z0-9_]*/(msg|srv|action)/[A-Za-z][A-Za-z0-9_]*")
# Far above any real definition (CameraInfo with its dependencies: 2 kB); keeps a damaged file from costing minutes.
MAX_DEFINITION_CHARS = 200_000
ENCODINGS = ("ros2idl", "ros2msg")


@dataclass(frozen=True)
class TypeSchema:
    """The definition of a message type.

    Attributes:
        name: `package/msg/Type`.
        encoding: `ros2msg` or `ros2idl`, as in an MCAP schema.
        definition: Text of the type, then of every type it depends on.
        type_hash: REP 2011 hash `RIHS01_` and 64 hexadecimal digits, "" where it is not known.
    """

    name: str
    encoding: str
    definition: str
    type_hash: str

    def fields(self) -> dict[str, Any]:
        """Parses the definition into rosbags' field definitions by type name.

        Raises:
            BagError: The name or the encoding is unknown, or the text is not a definition.
        """
        # The parser makes Python code of the name, so nothing but a name may get there.
        if not TYPE_NAME.fullmatch(self.name):
            raise BagError(f"schema {self.name[:80]!r} is not a message type; package/msg/Type is allowed")
        if self.encoding not in ENCODINGS:
            raise BagError(f"schema of {self.name} is encoded {self.encoding[:40]!r}; allowed: {', '.join(ENCODINGS)}")
        if len(self.definition) > MAX_DEFINITION_CHARS:
            raise BagError(
                f"definition of {self.name} has {len(self.definition)} characters; {MAX_DEFINITION_CHARS} are allowed"
            )
        try:
            if self.encoding == "ros2msg":
                parsed = get_types_from_msg(self.definition, self.name)
            else:
                parsed = get_types_from_idl(self.definition)
        except (TypesysError, ValueError, RecursionError) as error:
            raise BagError(f"definition of {self.name} cannot be read: it is not a {self.encoding} text") from error
        for name in parsed:
            if not TYPE_NAME.fullmatch(name):
                raise BagError(f"definition of {self.name} holds {name[:80]!r}, which is not a message type")
        if self.name not in parsed:
            raise BagError(f"definition of {self.name} defines {', '.join(sorted(parsed)) or 'nothing'} instead")
        _check_dependencies(self.name, parsed)
        return dict(parsed)


def _check_dependencies(name: str, parsed: Mapping[str, Any], within: tuple[str, ...] = ()) -> None:
    """Raises BagError where a type that `name` is made of is missing, or is made of itself."""
    if name in within:
        raise BagError(f"definition of {within[0]} is made of itself through {name}")
    if name not in parsed:
        raise BagError(f"definition of {within[0]} uses {name[:80]!r}, which it does not define")
    for _, (kind, detail) in parsed[name][1]:
        if kind in (Nodetype.ARRAY, Nodetype.SEQUENCE):
            kind, detail = detail[0]
        if kind == Nodetype.NAME:
            _check_dependencies(detail, parsed, (*within, name))


class SchemaSource(Protocol):
    """Where a writer takes the definitions of its topics from."""

    def schema(self, type_name: str) -> TypeSchema:
        """The definition of a type; raises ImoveError for an unknown one."""
        ...
