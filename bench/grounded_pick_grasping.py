"""How often `grounded_pick` lifts what it is pointed at, with a perfect heat map: its grasping half alone.

    python bench/grounded_pick_grasping.py [SUITE] [--episodes N] [--first I] [--json]

The heat map is made from the episode spec instead of weights; everything after it is the policy as it ships.
"""

import argparse
import json
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imove_baselines.grounded_pick.grounder import Heat
from imove_baselines.grounded_pick.heat import cell_points, soft_label
from imove_baselines.grounded_pick.policy import GroundedPick
from imove_baselines.table_view import TableView
from imove_core.fixed_camera import fixed_camera
from imove_core.policy import EpisodeStart, Observation
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.trajectory import JointCommand
from imove_core.transforms import apply
from imove_sim_bridge.backend import SimBackend
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.stages import StageMachine
from imove_tasks.suites import open_suite

EXECUTE_STEPS = 15


class KnowingGrounder:
    """Points at the objects of a spec, at their settled places."""

    def __init__(self, rig: Rig) -> None:
        """Looks through the rig's fixed camera; `spec` is set before each episode."""
        self.view, self.camera = TableView.of(rig), fixed_camera(rig)
        self.spec: EpisodeSpec | None = None

    def ground(self, image: NDArray[np.uint8], text: str) -> Heat:
        """Points at the objects of the normal instruction, whatever picture and text are."""
        assert self.spec is not None
        told = self.spec.instruction("normal")
        return Heat(self._at(told.target), None if told.destination is None else self._at(told.destination))

    def _at(self, object_id: str | None) -> NDArray[np.float32]:
        assert self.spec is not None and object_id is not None
        item = self.spec.object(object_id)
        middle = apply(item.world_from_object, (np.array(item.box_min) + item.box_max) / 2)
        return soft_label(cell_points(self.view), self.view.seen_at(self.camera, middle), np.zeros((2, 2)))


def run(backend: SimBackend, rig: Rig, grounder: KnowingGrounder, policy: GroundedPick, spec: EpisodeSpec) -> dict:
    """Runs one episode; returns which strict stages the target reached."""
    grounder.spec = spec
    backend.load(spec)
    state = backend.reset()
    machine = StageMachine(rig, spec, "normal")
    machine.update(state)
    policy.reset(EpisodeStart(spec.id, rig, spec.instruction("normal").text, 0))
    camera = policy.needs.cameras[0]
    for request in range(spec.horizon_steps // EXECUTE_STEPS):
        frame = backend.observe([camera], [camera])[camera]
        assert frame.depth_mm is not None
        observation = Observation(
            state.stamp_ns,
            {camera: frame.rgb},
            state.robot.positions.astype(np.float32),
            spec.instruction("normal").text,
            spec.id,
            request,
            depth={camera: frame.depth_mm},
        )
        chunk = policy.infer(observation)
        times = state.stamp_ns + np.rint((np.arange(len(chunk.positions)) + 1) * chunk.dt_s * 1e9).astype(np.int64)
        parts = rig.split(chunk.positions.astype(float))
        commands = {name: JointCommand(state.stamp_ns, times, rows) for name, rows in parts.items()}
        for state in backend.advance(commands, EXECUTE_STEPS):
            machine.update(state)
    target = spec.instruction("normal").target
    events = machine.score().events
    return {
        "stages": [e.stage for e in events if e.rubric == "strict" and e.object_id == target],
        "tries": policy.tries,
        "category": spec.object(str(target)).labels["category"],
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints how many targets were reached and lifted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", nargs="?", default="pick_category/seen")
    parser.add_argument("--episodes", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    suite = open_suite(chosen.suite)
    rig = suite.open_rig()
    backend = create_backend("mujoco", rig, open_library(()).get, (224, 224))
    grounder = KnowingGrounder(rig)
    policy = GroundedPick(rig, grounder, grounder.camera, "grounded_pick (perfect heat map)")
    began, rows = time.process_time(), []
    for spec in suite.specs[chosen.first : chosen.first + chosen.episodes]:
        rows.append({"id": spec.id, **run(backend, rig, grounder, policy, spec)})
        if not chosen.json:
            print(rows[-1]["id"], rows[-1]["category"], rows[-1]["tries"], ",".join(rows[-1]["stages"]), flush=True)
    counts = {stage: sum(stage in row["stages"] for row in rows) for stage in ("reach", "lift", "reach_place", "place")}
    summary = {"suite": suite.name, "episodes": len(rows), **counts, "cpu_s": time.process_time() - began}
    print(json.dumps({**summary, "rows": rows} if chosen.json else summary))
    backend.close()


if __name__ == "__main__":
    main()
