"""Run by a Python with pylibfranka: drives an arm at 1 kHz along positions from a file, and prints how it went.

usage: franka_sim_client.py POSITIONS.npy HOST
"""

from __future__ import annotations

import json
import sys

import numpy as np
import pylibfranka


def main(path: str, host: str) -> None:
    """Drives along (T, 7) rad, one row a millisecond, relative to where the arm is."""
    positions = np.load(path, allow_pickle=False)
    robot = pylibfranka.Robot(host, pylibfranka.RealtimeConfig.kIgnore)
    told = {"reflex": "", "cycles": 0}
    state = None
    try:
        control = robot.start_joint_position_control(pylibfranka.ControllerMode.JointImpedance)
        state, _ = control.readOnce()
        start = np.array(state.q_d)
        # A row a cycle and not a row a millisecond: a busy machine loses cycles, which a made one does not.
        for row in range(len(positions)):
            command = pylibfranka.JointPositions((start + positions[row] - positions[0]).tolist())
            command.motion_finished = row == len(positions) - 1
            control.writeOnce(command)
            told["cycles"] += 1
            # After the last write nothing more comes.
            if command.motion_finished:
                break
            state, _ = control.readOnce()
        told["reached"] = (np.array(state.q) - start).tolist()
    except pylibfranka.ControlException as error:
        told["reflex"] = str(error)
        robot.automatic_error_recovery()
        told["recovered"] = str(robot.read_once().robot_mode)
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
