"""Parameters of a node, with errors that a user can act on."""

from collections.abc import Sequence
from typing import TypeVar

from rclpy.exceptions import InvalidParameterTypeException
from rclpy.node import Node

from imove_core.errors import ImoveError, unknown_name

LOCKSTEP, REALTIME = "lockstep", "realtime"
CLOCKS = (LOCKSTEP, REALTIME)
"""Whether simulated time waits for the policy or runs by itself."""
Value = TypeVar("Value", str, int, float, bool)
_KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def declare(node: Node, name: str, default: Value) -> Value:
    """Declares a parameter and returns its value.

    Args:
        node: Whose parameter it is.
        name: Of the parameter.
        default: Value where none is given; its type is that of the parameter.

    Raises:
        ImoveError: A value of another type is given.
    """
    try:
        value: Value = node.declare_parameter(name, default).value
    except InvalidParameterTypeException as error:
        raise ImoveError(f"parameter {name} must be {_KINDS[type(default)]}: {_first_line(error)}") from error
    return value


def declare_choice(node: Node, name: str, allowed: Sequence[str]) -> str:
    """Declares a parameter that is one of a few texts and returns its value.

    Args:
        node: Whose parameter it is.
        name: Of the parameter.
        allowed: The texts, the default first.

    Raises:
        ImoveError: Another value is given.
    """
    value = declare(node, name, allowed[0])
    if value not in allowed:
        raise unknown_name(name, value, allowed)
    return value


def declare_count(node: Node, name: str, default: int, most: int) -> int:
    """Declares a parameter that is a whole number from 1 on and returns its value.

    Args:
        node: Whose parameter it is.
        name: Of the parameter.
        default: Value where none is given.
        most: Largest value allowed.

    Raises:
        ImoveError: Another value is given.
    """
    value = declare(node, name, default)
    if not 1 <= value <= most:
        raise ImoveError(f"parameter {name} is {value}; allowed: 1 to {most}")
    return value


def _first_line(error: Exception) -> str:
    text = str(error).partition("\n")[0]
    return text[:1].lower() + text[1:]
