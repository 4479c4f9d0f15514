"""`imove teleop`: keys of this terminal for the teleoperation that runs in another one."""

import os


def teleop() -> None:
    """Command the teleoperation that runs here by keys of this terminal; also over SSH. Ctrl-C only leaves it."""
    from imove_bringup.transport import transport_defaults

    # As the nodes of a launched graph have it; read when the first node of a process is made.
    os.environ.update(transport_defaults(os.environ))
    from imove_teleop_aloha.keys_node import main

    main()
