"""The quality gate of assets: trial grasps, resting poses and labels of every object, results and a report page."""
