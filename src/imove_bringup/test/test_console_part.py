"""The console as a part of a graph."""

import pytest

from imove_bringup.arguments import LaunchArgument, parse_values
from imove_bringup.graphs.console_part import ARGUMENTS, ON_DEMAND, console
from imove_core.errors import ImoveError

OTHERS = (LaunchArgument("rig", "", "piperx_dual"), LaunchArgument("output", "", "/data/run"))


def values(**texts):
    return parse_values((*ARGUMENTS, *OTHERS), texts)


def test_the_console_serves_this_computer_and_the_recordings_of_the_run():
    (node,) = console(values(), simulated=True)
    assert (node.package, node.executable, node.required, node.output) == ("imove_console", "console", False, "screen")
    assert dict(node.parameters) == {
        "use_sim_time": True, "rig": "piperx_dual", "host": "127.0.0.1", "port": 8765, "dataset": "/data/run/bags"
    }  # fmt: skip
    assert console(values(console="false"), simulated=True) == ()


def test_where_nobody_needs_the_page_it_is_served_on_demand():
    assert console(parse_values((*ON_DEMAND, *OTHERS), {}), simulated=True) == ()
    asked = parse_values((*ON_DEMAND, *OTHERS), {"console": "true"})
    assert console(asked, simulated=True) == console(values(), simulated=True)


@pytest.mark.parametrize("port", ["-1", "65536", "http", "1_0", ""])
def test_what_is_no_port_is_refused(port):
    with pytest.raises(ImoveError, match="a port from 1 to 65535, or 0"):
        values(console_port=port)
