"""The contract of joint planners, put to the planner that needs nothing but this package."""

from collections.abc import Callable

import pytest

from imove_motion.planning.contract_checks import CHECKS, DETERMINISTIC_CHECKS
from imove_motion.planning.protocol import JointPlanner
from imove_motion.planning.rrt_connect import RrtConnectPlanner

PLANNERS: dict[str, Callable[[], JointPlanner]] = {"rrt_connect": RrtConnectPlanner}


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize("check", CHECKS + DETERMINISTIC_CHECKS, ids=lambda check: check.__name__)
def test_keeps_the_contract(name: str, check: Callable[[JointPlanner], None]) -> None:
    check(PLANNERS[name]())
