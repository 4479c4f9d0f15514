"""Contact and integration settings that every model shares, and the table's."""

from __future__ import annotations

import mujoco

SUBSTEPS = 16
"""Physics steps a control step: 1/480 s at 30 Hz."""
TABLE_THICKNESS_M = 0.04
TABLE_FRICTION = (0.8, 0.005, 0.0001)
"""Sliding, torsional and rolling friction of the table, as MuJoCo has them."""


def set_options(spec: mujoco.MjSpec, control_rate_hz: int) -> None:
    """Contact and integration settings under which grasps hold: elliptic cone, impratio 10, implicitfast."""
    spec.option.timestep = 1.0 / (control_rate_hz * SUBSTEPS)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    spec.option.iterations = 50
