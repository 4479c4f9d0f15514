"""The tracker of the real table against the truth of the simulator: stage events, poses, cost.

    python bench/tracker_truth.py --out DIR [--suite NAME] [--scenes N] [--first K] [--policy NAME ...]
        [--placing-mm S] [--placing-deg S] [--depth-noise-mm S] [--camera-off-mm S] [--image-every N]
        [--images WIDTHxHEIGHT] [--json]

Each scene runs under each policy. The tracker is shown what the real one is: colour and aligned depth of the static
camera (every third control step: 10 Hz), joint positions and targets, and the spec. The spec that it gets is not the
scene's: each object is told to lie a little elsewhere, as a person lays objects out (a normal error of S mm along x and
y, and of S degrees), so that places must be measured. Both the truth and what the tracker says go through the stage
machine; what is compared are the events of the strict rubric.

Episodes are kept in DIR as they end, one a line; the same command goes on where it was stopped, and prints the table of
all that are there.
"""

import os

# Set before numpy is loaded: one core.
os.environ.update({name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")})

import argparse
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy import ndimage

from imove_analysis.records import policy_seed
from imove_bringup.backend_world import BackendWorld
from imove_core.canonical import canonical_json
from imove_core.episode_rig import episode_rig
from imove_core.fixed_camera import fixed_camera
from imove_core.policy import EpisodeStart, PolicyNeeds
from imove_core.rig import Rig
from imove_core.spec import EpisodeSpec
from imove_core.state import StepState
from imove_core.transforms import Array, quaternion_from_rotation, rotation_about_axis, transform
from imove_motion.safety.guard import SafetyGuard
from imove_motion.safety.settings import DEFAULT, load_safety
from imove_policy_node.asking import LockstepAsker
from imove_policy_node.registry import PolicyContext, create_policy
from imove_policy_node.rollout import run_episode
from imove_policy_node.scheduling.latency import parse_latency
from imove_policy_node.scheduling.registry import create_scheduler
from imove_policy_node.world import ArmTargets
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import open_library
from imove_tasks.stages import StageMachine, stages_of
from imove_tasks.suites import open_suite
from imove_tracker.tracker import Tracker

CONDITION = "normal"
POLICIES = ("expert", "random_object")
EDGE_MM = 12
"""Depth that changes by more between neighbouring pixels is an edge."""


class SteppedWorld(BackendWorld):
    """A world that shows every control step while it is the present one, so that it can be rendered."""

    def advance(
        self, targets: ArmTargets | None, until_step: int, needs: PolicyNeeds, interrupted: Callable[[], bool]
    ) -> None:
        """See World."""
        super().advance(targets, min(until_step, self.state.step + 1), needs, interrupted)
        while self.state.step < until_step:
            super().advance(None, self.state.step + 1, needs, interrupted)


@dataclass(frozen=True)
class Sensing:
    """How much worse than the simulator's the camera of the tracker is.

    Attributes:
        noise_mm: Of depth, standard deviation.
        off_mm: Of the place where the camera is believed to be, along each axis; also its turn, in mrad.
    """

    noise_mm: float
    off_mm: float

    def depth(self, depth_mm: NDArray[np.uint16], rng: np.random.Generator) -> NDArray[np.uint16]:
        """A depth image with noise, and without what a stereo camera does not see at edges."""
        if not self.noise_mm:
            return depth_mm
        noisy = np.rint(depth_mm + rng.normal(0.0, self.noise_mm, depth_mm.shape))
        steep = ndimage.morphological_gradient(depth_mm.astype(np.int32), 3) > EDGE_MM
        gone = (steep & (rng.random(depth_mm.shape) < 0.5)) | (depth_mm == 0)
        return np.where(gone, 0, np.maximum(noisy, 1)).astype(np.uint16)

    def pose(self, world_from_camera: Array, rng: np.random.Generator) -> Array:
        """Where the camera is believed to be."""
        if not self.off_mm:
            return world_from_camera
        shift, axis = rng.normal(0.0, self.off_mm / 1e3, 3), rng.normal(size=3)
        turn = rotation_about_axis(axis, float(rng.normal(0.0, self.off_mm / 1e3)))
        return transform(turn @ world_from_camera[:3, :3], world_from_camera[:3, 3] + shift)


PERFECT = Sensing(0.0, 0.0)


def laid_out(spec: EpisodeSpec, placing_m: float, placing_rad: float) -> EpisodeSpec:
    """The spec with every object told to lie a little elsewhere."""
    rng = np.random.default_rng([spec.seed, 1])
    objects = []
    for item in spec.objects:
        x, y = np.array(item.position[:2]) + rng.normal(0.0, placing_m, 2)
        turned = rotation_about_axis([0, 0, 1.0], rng.normal(0.0, placing_rad)) @ item.world_from_object[:3, :3]
        quaternion = tuple(quaternion_from_rotation(turned).tolist())
        objects.append(item.model_copy(update={"position": (x, y, item.position[2]), "quaternion_xyzw": quaternion}))
    return EpisodeSpec.model_validate({**spec.model_dump(), "objects": [item.model_dump() for item in objects]})


class Watched:
    """One episode, scored by the truth and by the tracker."""

    def __init__(
        self,
        rig: Rig,
        spec: EpisodeSpec,
        told: EpisodeSpec,
        backend: Any,
        tracker: Tracker,
        sensing: Sensing = PERFECT,
        every: int = 3,
    ) -> None:
        """Begins before the first control step."""
        self._backend, self._tracker, self._every = backend, tracker, every
        self._sensing, self._rng = sensing, np.random.default_rng([spec.seed, 2])
        self._camera = fixed_camera(episode_rig(rig, spec.randomization))
        self._pose = sensing.pose(self._camera.parent_from_optical.matrix, self._rng)
        self.truth, self.tracked = StageMachine(rig, spec, CONDITION), StageMachine(rig, spec, CONDITION)
        self.costs_ms: list[float] = []
        self.errors_mm: dict[str, list[float]] = {}
        self.basis: dict[str, int] = {}
        tracker.begin(told)

    def take(self, state: StepState) -> None:
        """One control step."""
        self.truth.update(state)
        self._tracker.joints(state.stamp_ns, state.robot.positions, self._backend.joint_targets())
        if state.step % self._every == 0:
            name = self._camera.name
            frame = self._backend.observe([name], [name])[name]
            depth_mm = self._sensing.depth(frame.depth_mm, self._rng)
            began = time.process_time()
            self._tracker.see(state.stamp_ns, frame.rgb, depth_mm, self._pose, frame.intrinsics)
            self.costs_ms.append(1e3 * (time.process_time() - began))
        found = self._tracker.state(state.stamp_ns)
        self.tracked.update(replace(state, objects=found.objects))
        for true, guess, basis in zip(state.objects, found.objects, found.basis, strict=True):
            self.basis[basis] = self.basis.get(basis, 0) + 1
            middle = [(item.box_min + item.box_max) / 2 for item in (true, guess)]
            places = [
                (item.world_from_object @ [*centre, 1.0])[:3]
                for item, centre in zip((true, guess), middle, strict=True)
            ]
            self.errors_mm.setdefault(basis, []).append(1e3 * float(np.linalg.norm(places[0] - places[1])))


def events(machine: StageMachine) -> list[list[Any]]:
    """Strict events as stage, object, destination, step."""
    return [[e.stage, e.object_id, e.destination_id, e.step] for e in machine.score().events if e.rubric == "strict"]


def run(arguments: argparse.Namespace) -> Path:
    """Runs what is not there yet; returns the file of all episodes."""
    suite = open_suite(arguments.suite)
    rig, library = suite.open_rig(), open_library()
    backend = create_backend("mujoco", rig, library.get, arguments.images)
    tracker = Tracker(rig, library, fixed_camera(rig))
    policies = {
        name: create_policy(name, PolicyContext(rig, library, "", "", arguments.images)) for name in arguments.policy
    }
    guard, scheduler = SafetyGuard(rig, load_safety(DEFAULT, rig)), create_scheduler("sync_hold", 0)
    path = arguments.out / f"{suite.name.replace('/', '-')}.jsonl"
    arguments.out.mkdir(parents=True, exist_ok=True)
    done = {(line["spec"], line["policy"]) for line in read(path)}
    chosen = suite.specs[arguments.first : arguments.first + arguments.scenes]
    todo = [(spec, name) for spec in chosen for name in policies if (spec.id, name) not in done]
    placing = (arguments.placing_mm / 1e3, np.radians(arguments.placing_deg))
    sensing = Sensing(arguments.depth_noise_mm, arguments.camera_off_mm)
    with path.open("a") as out:
        for spec, name in track(todo, f"episodes of {suite.name}", disable=arguments.json):
            backend.load(spec)
            told = laid_out(spec, *placing)
            watched = Watched(rig, spec, told, backend, tracker, sensing, arguments.image_every)
            text, policy = spec.instruction(CONDITION).text, policies[name]
            start = EpisodeStart(
                f"{spec.id}/{CONDITION}", rig, text, policy_seed(arguments.seed, spec), CONDITION, spec
            )
            world = SteppedWorld(rig, backend, start.episode_id, text, watched.take)
            asker = LockstepAsker(policy, parse_latency("0"))
            run_episode(world, policy, scheduler, start, spec.horizon_steps, guard=guard, asker=asker)
            out.write(canonical_json(record(spec, name, watched)) + "\n")
            out.flush()
    for policy in policies.values():
        policy.close()
    backend.close()
    return path


def record(spec: EpisodeSpec, policy: str, watched: Watched) -> dict[str, Any]:
    """One line of the file."""
    return {
        "spec": spec.id,
        "policy": policy,
        "target": spec.instruction(CONDITION).target,
        "objects": [item.id for item in spec.objects],
        "stages": list(stages_of(spec.primitive)),
        "truth": events(watched.truth),
        "tracked": events(watched.tracked),
        "basis": watched.basis,
        "errors_mm": {
            basis: [round(float(np.quantile(values, share)), 3) for share in (0.5, 0.95, 1.0)]
            for basis, values in watched.errors_mm.items()
        },
        "ms": [round(float(np.median(watched.costs_ms)), 2), round(float(np.mean(watched.costs_ms)), 2)],
        "images": len(watched.costs_ms),
    }


def read(path: Path) -> list[dict[str, Any]]:
    """Whole lines of a file of episodes."""
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def kappa(pairs: Iterable[tuple[bool, bool]]) -> float:
    """Cohen's kappa of two judges; 1 where they never differ."""
    table = np.zeros((2, 2))
    for one, other in pairs:
        table[int(one), int(other)] += 1
    total = table.sum()
    agreed = np.trace(table) / total
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / total**2
    return 1.0 if chance == 1.0 else float((agreed - chance) / (1.0 - chance))


def summary(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """How far tracker and truth agree.

    `target` asks of each episode and stage whether the instructed object reached it, `all` the same of each object,
    `wrong objects` which of the events of other objects that either saw both saw.
    """
    target, every, wrong = [], [], []
    delays = []
    for line in lines:
        seen = [{(stage, name) for stage, name, *_ in line[side]} for side in ("truth", "tracked")]
        steps = [{(stage, name): step for stage, name, _, step in line[side]} for side in ("truth", "tracked")]
        for stage in line["stages"]:
            for name in line["objects"]:
                pair = ((stage, name) in seen[0], (stage, name) in seen[1])
                every.append(pair)
                if name == line["target"]:
                    target.append(pair)
                elif any(pair):
                    wrong.append(pair)
                if all(pair):
                    delays.append(steps[1][stage, name] - steps[0][stage, name])

    def agreement(pairs: list[tuple[bool, bool]]) -> float:
        return sum(one == other for one, other in pairs) / len(pairs) if pairs else 1.0

    seen_errors = [line["errors_mm"]["seen"] for line in lines if "seen" in line["errors_mm"]]
    return {
        "episodes": len(lines),
        "target": {"n": len(target), "agreement": agreement(target), "kappa": kappa(target)},
        "all": {"n": len(every), "agreement": agreement(every), "kappa": kappa(every)},
        "wrong objects": {"n": len(wrong), "agreement": agreement(wrong)},
        "delay_steps": {"median": float(np.median(delays)), "p95": float(np.quantile(np.abs(delays), 0.95))},
        "seen_error_mm": {
            "median": float(np.median([e[0] for e in seen_errors])),
            "p95": float(np.median([e[1] for e in seen_errors])),
        },
        "carried_error_mm": float(
            np.median([line["errors_mm"]["carried"][0] for line in lines if "carried" in line["errors_mm"]] or [0.0])
        ),
        "ms_an_image": {
            "median": float(np.median([line["ms"][0] for line in lines])),
            "mean": float(np.average([line["ms"][1] for line in lines], weights=[line["images"] for line in lines])),
        },
    }


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--suite", default="pick_category/seen")
    parser.add_argument("--scenes", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--policy", nargs="+", default=POLICIES)
    parser.add_argument("--placing-mm", type=float, default=6.0)
    parser.add_argument("--placing-deg", type=float, default=6.0)
    parser.add_argument("--depth-noise-mm", type=float, default=0.0)
    parser.add_argument("--camera-off-mm", type=float, default=0.0)
    parser.add_argument("--image-every", type=int, default=3)
    parser.add_argument("--images", type=lambda text: tuple(map(int, text.split("x"))), default=(640, 480))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    lines = read(run(arguments))
    found = {"all": summary(lines)}
    for policy in sorted({line["policy"] for line in lines}):
        found[policy] = summary([line for line in lines if line["policy"] == policy])
    if arguments.json:
        print(json.dumps(found, indent=2))
        return
    for name, part in found.items():
        print(f"\n{name}: {part['episodes']} episodes")
        for what in ("target", "all", "wrong objects"):
            numbers = part[what]
            extra = f"  kappa {numbers['kappa']:.3f}" if "kappa" in numbers else ""
            print(f"  {what:14} n {numbers['n']:5}  agreement {numbers['agreement']:.3f}{extra}")
        for what in ("delay_steps", "seen_error_mm", "carried_error_mm", "ms_an_image"):
            print(f"  {what:18} {part[what]}")
    for line in lines:
        seen = [{tuple(e[:3]) for e in line[side]} for side in ("truth", "tracked")]
        if seen[0] != seen[1]:
            print(
                f"  {line['spec']} {line['policy']}: truth alone {seen[0] - seen[1]}, tracker alone {seen[1] - seen[0]}"
            )


if __name__ == "__main__":
    main()
