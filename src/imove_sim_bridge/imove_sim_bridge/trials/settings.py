"""How trials are done and what they must reach; every number that decides a trial is here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from imove_motion.pick import PickSettings

_PICK = PickSettings()


@dataclass(frozen=True)
class GraspSettings:
    """A trial grasp: a timed pick of `imove_motion`, from the moment when the jaws are around the object.

    Errors are drawn evenly from minus to plus the limits; they stand for what a calibrated hand camera and the servos
    of an arm leave over.

    Attributes:
        position_error_m: Of the tool along its closing direction and square to it.
        height_error_m: Of the tool along the approach.
        yaw_error_rad: About the approach.
        tilt_error_rad: About each of the tool's two other axes.
        standoff_m: Distance before the grasp from which the approach is straight.
        opening_margin_m: Extra opening beyond what the fingers need to pass.
        squeeze_m: How far below the object's width the gripper is told to close.
        closing_speed_m_s: Of the opening; that of a timed pick as the pads meet the object.
        grip_s: Pause between closing and lifting.
        lift_m: Height of the lift.
        lift_s: Its duration, eased at both ends: a timed pick's accelerations (up to 1.1 m/s^2).
        shake_s: Duration of the shake to each of two sides, after the lift.
        shake_m_s2: Sideways acceleration of the shake.
        table_clearance_m: Least planned height of the hand above the table.
        overlap_m: The hand may overlap the object by no more than this on its way in.
        rise_m: The lowest corner of the object's box must end this much above where it was.
        slip_m: The held place of the object may move this far in the hand.
        turn_rad: The object may turn this far in the hand.
    """

    position_error_m: float = 0.004
    height_error_m: float = 0.0015
    yaw_error_rad: float = float(np.radians(3.0))
    tilt_error_rad: float = float(np.radians(1.5))
    standoff_m: float = _PICK.standoff_m
    opening_margin_m: float = _PICK.opening_margin_m
    squeeze_m: float = _PICK.squeeze_m
    closing_speed_m_s: float = 0.1
    grip_s: float = 0.1
    lift_m: float = _PICK.lift_m
    lift_s: float = 0.75
    shake_s: float = 0.15
    shake_m_s2: float = 1.5
    table_clearance_m: float = _PICK.table_clearance_m
    overlap_m: float = 0.0005
    rise_m: float = 0.03
    slip_m: float = 0.010
    turn_rad: float = float(np.radians(25.0))


@dataclass(frozen=True)
class StabilitySettings:
    """A trial of a resting pose.

    Attributes:
        drop_m: Height from which the object is put down.
        nudge_m_s: Speed that it is given sideways, in a drawn direction.
        watch_s: How long it is watched.
        tilt_rad: Its upright direction may change by this much.
    """

    drop_m: float = 0.001
    nudge_m_s: float = 0.02
    watch_s: float = 1.0
    tilt_rad: float = float(np.radians(5.0))


GRASP_SETTINGS = GraspSettings()
STABILITY_SETTINGS = StabilitySettings()
