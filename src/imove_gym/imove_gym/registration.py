"""Ids of the environments: one a task family."""

import gymnasium

from imove_tasks.registry import family_names

NAMESPACE = "imove"
VERSION = 0
"""Goes up when spaces, rewards or ends of episodes change their meaning."""
ENTRY_POINT = "imove_gym.environment:ImoveEnv"


def environment_id(task: str) -> str:
    """The id that `gymnasium.make` takes for a task family, e.g. `imove/pick_category-v0`."""
    return f"{NAMESPACE}/{task}-v{VERSION}"


def register_environments() -> None:
    """Makes every family known to gymnasium; families that are known already stay as they are.

    Time limits are the horizons of the episode specs, which the environment keeps by itself.
    """
    for task in family_names():
        if environment_id(task) not in gymnasium.registry:
            gymnasium.register(environment_id(task), entry_point=ENTRY_POINT, kwargs={"task": task})
