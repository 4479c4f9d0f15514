"""Launch arguments: what a graph accepts, and how `name:=value` tokens become typed values.

Everything is checked here, before any process starts; the messages name the argument, what was got and what
is allowed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from imove_core.errors import ImoveError, unknown_name


class ImageSize(NamedTuple):
    """Width and height of every camera image, pixels."""

    width: int
    height: int


_T = TypeVar("_T")
Value = str | int | bool | ImageSize


@dataclass(frozen=True)
class Kind:
    """What texts an argument accepts.

    Attributes:
        allowed: Completes the sentence "it must be ..."; also shown by `--show-args`.
        convert: Text to value; raises ValueError for a text that is not allowed.
        choices: The texts of a closed list, empty for an open kind.
    """

    allowed: str
    convert: Callable[[str], Value]
    choices: tuple[str, ...] = ()

    def parse(self, text: str, what: str) -> Value:
        """Converts a text that the user gave.

        Args:
            text: Given.
            what: How the message names it, e.g. "--episodes 0".

        Raises:
            ImoveError: The text is not allowed.
        """
        try:
            return self.convert(text)
        except (ValueError, KeyError):
            raise ImoveError(f"{what} must be {self.allowed}") from None


def choice(names: Iterable[str]) -> Kind:
    """The kind that allows exactly these texts.

    Args:
        names: At least one text, in the order in which they are shown.
    """
    choices = tuple(names)

    def convert(text: str) -> str:
        if text not in choices:
            raise ValueError(text)
        return text

    return Kind(allowed=f"one of {', '.join(choices)}", convert=convert, choices=choices)


def conditions_kind() -> Kind:
    """The kind that allows instruction conditions: one, a list, or a named group."""
    from imove_analysis.conditions import CONDITION_RULE, parse_conditions

    def convert(text: str) -> str:
        try:
            return ",".join(parse_conditions(text))
        except ImoveError as error:
            raise ValueError(text) from error

    return Kind(CONDITION_RULE, convert)


def policy_kind() -> Kind:
    """The kind that allows names of policies."""
    from imove_policy_node.registry import POLICY_RULE, check_policy_name

    def convert(text: str) -> str:
        try:
            check_policy_name(text)
        except ImoveError as error:
            raise ValueError(text) from error
        return text

    return Kind(POLICY_RULE, convert)


def policies_kind() -> Kind:
    """The kind that allows the policies of a comparison, or nothing."""
    from imove_eval.blinded.policies import POLICIES_RULE, parse_policies
    from imove_policy_node.registry import POLICY_RULE, check_policy_name

    def convert(text: str) -> str:
        try:
            for choice in parse_policies(text) if text else ():
                check_policy_name(choice.name)
        except ImoveError as error:
            raise ValueError(text) from error
        return text

    return Kind(f"empty, or {POLICIES_RULE}; NAME is {POLICY_RULE}", convert)


def latency_kind() -> Kind:
    """The kind that allows latencies of a policy."""
    from imove_policy_node.scheduling.latency import LATENCY_RULE, parse_latency

    def convert(text: str) -> str:
        try:
            parse_latency(text)
        except ImoveError as error:
            raise ValueError(text) from error
        return text

    return Kind(LATENCY_RULE, convert)


def _whole_number(text: str, lowest: int, highest: int) -> int:
    # int() alone would also take "1_000", "+1" and " 1 ".
    if not (text.isascii() and text.isdecimal()) or not lowest <= int(text) <= highest:
        raise ValueError(text)
    return int(text)


def _bool(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


def _image_size(text: str) -> ImageSize:
    width, height = text.split("x")
    return ImageSize(_whole_number(width, 16, 4096), _whole_number(height, 16, 4096))


# ROS integer parameters are signed 64 bit wide; counts stay far below.
POSITIVE = Kind("a whole number of at least 1", lambda text: _whole_number(text, 1, 10**9))
SEED = Kind("a whole number of at least 0", lambda text: _whole_number(text, 0, 2**63 - 1))
COUNT = Kind("a whole number of at least 0", lambda text: _whole_number(text, 0, 10**9))
BOOL = Kind("true or false", _bool)
TEXT = Kind("any text", str)
PATH = Kind("a path", str)
IMAGE_SIZE = Kind("WIDTHxHEIGHT in pixels, each 16 to 4096, e.g. 224x224", _image_size)


@dataclass(frozen=True)
class LaunchArgument:
    """One argument of a graph.

    Attributes:
        name: Left of `:=`.
        description: One sentence for `--show-args`.
        default: Text that is used when the argument is not given; always allowed by `kind`.
        kind: What is allowed.
    """

    name: str
    description: str
    default: str
    kind: Kind = TEXT

    @property
    def rule(self) -> str:
        """What is allowed, "" where any text is."""
        return "" if self.kind in (TEXT, PATH) else self.kind.allowed

    def parse(self, text: str) -> Value:
        """Converts the text right of `:=`.

        Raises:
            ImoveError: The text is not allowed.
        """
        return self.kind.parse(text, f"launch argument {self.name}:={text}")


@dataclass(frozen=True)
class Values:
    """Typed values of all arguments of a graph, by name."""

    by_name: Mapping[str, Value]

    def _get(self, name: str, kind: type[_T]) -> _T:
        value = self.by_name[name]
        if not isinstance(value, kind):
            raise TypeError(f"launch argument {name} is a {type(value).__name__}, not a {kind.__name__}")
        return value

    def text(self, name: str) -> str:
        """The value of a text, path or choice argument."""
        return self._get(name, str)

    def number(self, name: str) -> int:
        """The value of a count or a seed."""
        return self._get(name, int)

    def flag(self, name: str) -> bool:
        """The value of a true-or-false argument."""
        return self._get(name, bool)

    def size(self, name: str) -> ImageSize:
        """The value of an image size."""
        return self._get(name, ImageSize)

    def texts(self) -> dict[str, str]:
        """The values as texts from which `parse_values` makes the same ones."""
        return {name: _text(value) for name, value in self.by_name.items()}

    def replaced(self, **changes: Value) -> "Values":
        """The same values but for those given."""
        return Values({**self.by_name, **changes})


def _text(value: Value) -> str:
    if isinstance(value, ImageSize):
        return f"{value.width}x{value.height}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def split_tokens(tokens: Iterable[str]) -> dict[str, str]:
    """Splits `name:=value` tokens; where a name comes twice the last one wins, as with `ros2 launch`.

    Raises:
        ImoveError: A token is not of that form.
    """
    texts = {}
    for token in tokens:
        name, separator, value = token.partition(":=")
        if not separator or not name:
            raise ImoveError(f"launch argument {token!r} must have the form name:=value")
        texts[name] = value
    return texts


def parse_values(arguments: Sequence[LaunchArgument], texts: Mapping[str, str]) -> Values:
    """Typed values of all arguments: those given, and the defaults of the others.

    Args:
        arguments: What the graph accepts.
        texts: Texts by argument name.

    Returns:
        One value an argument, in the order of `arguments`.

    Raises:
        ImoveError: A name is unknown or a text is not allowed.
    """
    known = {argument.name: argument for argument in arguments}
    for name in texts:
        if name not in known:
            raise unknown_name("launch argument", name, known)
    return Values({name: argument.parse(texts.get(name, argument.default)) for name, argument in known.items()})


def describe_arguments(arguments: Sequence[LaunchArgument]) -> str:
    """The text that `--show-args` prints: name, meaning, what is allowed and default of each argument."""
    lines = ["Arguments, given as name:=value:"]
    for argument in arguments:
        lines += ["", f"    {argument.name}", f"        {argument.description}"]
        if argument.rule:
            lines.append(f"        allowed: {argument.rule}")
        lines.append(f"        default: {argument.default or '(empty)'}")
    return "\n".join(lines)
