"""Trial grasps and resting poses of single assets in physics."""

from imove_sim_bridge.trials.grasping import grasp_trials
from imove_sim_bridge.trials.report import REASONS, GripTally, PoseTrial, StabilityReport, TrialReport
from imove_sim_bridge.trials.settings import GraspSettings, StabilitySettings
from imove_sim_bridge.trials.stability import stability_trials

__all__ = [
    "REASONS",
    "GraspSettings",
    "GripTally",
    "PoseTrial",
    "StabilityReport",
    "StabilitySettings",
    "TrialReport",
    "grasp_trials",
    "stability_trials",
]
