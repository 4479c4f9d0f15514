"""Inverse kinematics: all joint vectors of an arm that bring its tool to a pose."""

from typing import Protocol

from imove_core.errors import ImoveError
from imove_core.inverse_kinematics.parallel_pitch import ParallelPitchSolver
from imove_core.inverse_kinematics.seven_joints import SevenJointSolver
from imove_core.inverse_kinematics.spherical_wrist import SphericalWristSolver
from imove_core.transforms import Array
from imove_description.arm_model import ArmModel

_SOLVERS = (ParallelPitchSolver, SphericalWristSolver, SevenJointSolver)


class InverseKinematics(Protocol):
    """A solver for one arm model."""

    def solve(self, base_from_tcp: Array) -> list[Array]:
        """Returns solutions (n,) within the joint limits, rad; empty when the pose is out of reach.

        The same pose gives the same solutions in the same order. Of an arm with more joints than six, of whose
        solutions there is no end, those at a fixed grid of positions of one joint are returned.

        Args:
            base_from_tcp: (4, 4) pose of the tool frame in the arm's base frame.
        """
        ...


def inverse_kinematics(model: ArmModel) -> InverseKinematics:
    """The solver whose type of arm `model` is.

    Raises:
        ImoveError: There is none; the message says why each was refused.
    """
    refusals = []
    for solver in _SOLVERS:
        try:
            return solver(model)
        except ImoveError as error:
            refusals.append(str(error))
    raise ImoveError("; ".join(refusals))
