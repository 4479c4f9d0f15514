"""The operator's web page: in graphs that have an operator, and on demand in those that have none."""

from dataclasses import replace
from pathlib import Path

from imove_bringup.arguments import BOOL, Kind, LaunchArgument, Values
from imove_bringup.graphs.model import NodeDescription
from imove_bringup.graphs.parts import BAGS

DEFAULT_PORT = 8765
LAST_PORT = 65535


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > LAST_PORT:
        raise ValueError(text)
    return int(text)


PORT = Kind(f"a port from 1 to {LAST_PORT}, or 0 for any free one", _port)
CONSOLE = LaunchArgument("console", "Whether the operator's web page is served.", "true", BOOL)
CONSOLE_HOST = LaunchArgument(
    "console_host",
    "Address that the page is served on: 127.0.0.1 for this computer, 0.0.0.0 for the network, with a token.",
    "127.0.0.1",
)
CONSOLE_PORT = LaunchArgument("console_port", "Port of the operator's web page.", str(DEFAULT_PORT), PORT)
ARGUMENTS = (CONSOLE, CONSOLE_HOST, CONSOLE_PORT)
ON_DEMAND = (replace(CONSOLE, default="false"), CONSOLE_HOST, CONSOLE_PORT)
"""The same where nobody needs the page."""


def console(values: Values, *, simulated: bool) -> tuple[NodeDescription, ...]:
    """The node that serves the page, none for `console:=false`.

    Args:
        values: With `console`, `console_host`, `console_port`, `rig` and `output`.
        simulated: Whether time is simulated.
    """
    if not values.flag("console"):
        return ()
    return (
        NodeDescription(
            package="imove_console",
            executable="console",
            name="console",
            parameters={
                "use_sim_time": simulated,
                "rig": values.text("rig"),
                "host": values.text("console_host"),
                "port": values.number("console_port"),
                "dataset": str(Path(values.text("output")) / BAGS),
            },
            # It says its address there.
            output="screen",
        ),
    )
