"""CPU seconds of a planned demonstration on certified scenes, how smooth it is, and what physics makes of it.

    python bench/planning.py [SUITE ...] [--episodes N] [--seed S] [--no-physics] [--json]

Each episode's own instruction is planned once, from the first state of the simulator; loading and settling are not
measured. Where physics is asked, the motion is played and scored by the strict rubric over the whole horizon.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.trajectory import JointCommand
from imove_motion.actions import Errand
from imove_motion.demonstration import Demonstration, DemonstrationPlanner
from imove_motion.planning.protocol import PlanningError
from imove_motion.planning.rrt_connect import RrtConnectPlanner
from imove_sim_bridge.backend import SimBackend
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.assets.model import Asset
from imove_tasks.stages import StageMachine
from imove_tasks.suites import Suite, open_suite

BUDGET_S = 1.0
HORIZON_STEPS = 300
SUITES = (
    "pick_category/seen",
    "pick_attribute/seen",
    "pick_spatial/seen@franka_single",
    "place_a2b/seen",
    "place_a2b/seen@franka_single",
)


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        suite: Name, or path of a suite file.
        planned: Episodes for which a motion was found.
        episodes: Of them all.
        succeeded: Motions that reached the last stage of the strict rubric and still held what was only picked;
            None where nothing was played.
        mean_s: CPU time of a plan.
        slowest_s: Of all.
        mean_steps: Control steps of a motion.
        most_steps: Of all.
        peak_speed_rad_s: Of all.
        peak_acceleration_rad_s2: Of all.
        peak_jerk_rad_s3: Of all.
        failures: How often which constraint was in the way.
    """

    suite: str
    planned: int
    episodes: int
    succeeded: int | None
    mean_s: float
    slowest_s: float
    mean_steps: float
    most_steps: int
    peak_speed_rad_s: float
    peak_acceleration_rad_s2: float
    peak_jerk_rad_s3: float
    failures: Mapping[str, int]


def measured(name: str, suite: Suite, episodes: int, seed: int, physics: bool) -> Row:
    """Plans, and plays, the first episodes of a suite."""
    rig, library = suite.open_rig(), open_library(())
    backend = create_backend("mujoco", rig, library.get, (64, 48))
    planner = DemonstrationPlanner(rig, RrtConnectPlanner())
    times_s, found, failures = [], [], Counter[str]()
    succeeded = 0
    specs = suite.first(episodes)
    for index, spec in enumerate(specs):
        backend.load(spec)
        first = backend.reset()
        assets = {item.id: library.get(item.asset) for item in spec.objects}
        began = time.process_time()
        try:
            plan = planned(planner, spec, first, assets, np.random.default_rng([seed, index]))
        except PlanningError as error:
            failures[error.constraint] += 1
            continue
        finally:
            times_s.append(time.process_time() - began)
        found.append(plan)
        succeeded += physics and played(backend, rig, spec, first, plan)
    backend.close()
    smooth = [plan.smoothness for plan in found]
    steps = [len(plan.positions) for plan in found]
    return Row(
        suite=name,
        planned=len(found),
        episodes=len(specs),
        succeeded=succeeded if physics else None,
        mean_s=float(np.mean(times_s)),
        slowest_s=max(times_s),
        mean_steps=float(np.mean(steps)) if steps else 0.0,
        most_steps=max(steps, default=0),
        peak_speed_rad_s=max((each.peak_speed_rad_s for each in smooth), default=0.0),
        peak_acceleration_rad_s2=max((each.peak_acceleration_rad_s2 for each in smooth), default=0.0),
        peak_jerk_rad_s3=max((each.peak_jerk_rad_s3 for each in smooth), default=0.0),
        failures=dict(failures),
    )


def planned(
    planner: DemonstrationPlanner,
    spec: EpisodeSpec,
    first: StepState,
    assets: Mapping[str, Asset],
    rng: np.random.Generator,
) -> Demonstration:
    """The motion that an episode's instruction asks for."""
    asked = spec.instructions["normal"]
    assert asked.target is not None and asked.meaning is not None, "a normal instruction has a target"
    place = asked.meaning.place
    errand = Errand(asked.target, asked.destination, *([] if place is None else [place.relation]))
    return planner.plan(errand, first.objects, assets, first.robot.positions, rng)


def played(backend: SimBackend, rig: Rig, spec: EpisodeSpec, first: StepState, plan: Demonstration) -> bool:
    """Whether the motion does in physics what is asked."""
    machine, asked = StageMachine(rig, spec, "normal"), spec.instructions["normal"]
    machine.update(first)
    steps = np.arange(1, len(plan.positions) + 1)
    times_ns = first.stamp_ns + np.round(steps * 1e9 / rig.control_rate_hz).astype(np.int64)
    parts = rig.split(plan.positions)
    commands = {name: JointCommand(first.stamp_ns, times_ns, rows) for name, rows in parts.items()}
    states = backend.advance(commands, HORIZON_STEPS)
    for state in states:
        machine.update(state)
    wanted = "place" if asked.destination else "lift"
    stages = {
        event.stage for event in machine.score().events if event.rubric == "strict" and event.object_id == asked.target
    }
    held = next(item.held_by for item in states[-1].objects if item.id == asked.target)
    return wanted in stages and (asked.destination is not None or held == plan.arm)


def text(rows: Sequence[Row]) -> str:
    """The table for people."""
    lines = [
        f"{'suite':34} {'planned':>8} {'done':>8} {'mean':>7} {'slowest':>8} {'budget':>7} {'steps':>11} "
        f"{'rad/s':>6} {'rad/s2':>7} {'rad/s3':>7}"
    ]
    for row in rows:
        done = "-" if row.succeeded is None else f"{row.succeeded}/{row.planned}"
        lines.append(
            f"{row.suite:34} {f'{row.planned}/{row.episodes}':>8} {done:>8} {row.mean_s:6.2f}s {row.slowest_s:7.2f}s "
            f"{row.mean_s / BUDGET_S:6.2f}x {f'{row.mean_steps:.0f} to {row.most_steps}':>11} "
            f"{row.peak_speed_rad_s:6.2f} {row.peak_acceleration_rad_s2:7.2f} {row.peak_jerk_rad_s3:7.1f}"
        )
        lines += [f"  {name}: {count}" for name, count in row.failures.items()]
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suites", nargs="*", default=SUITES, help="names or files of suites")
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-physics", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in options.suites:
        rows.append(measured(name, open_suite(name), options.episodes, options.seed, not options.no_physics))
    print(json.dumps([asdict(row) for row in rows], indent=1) if options.json else text(rows))


if __name__ == "__main__":
    main()
