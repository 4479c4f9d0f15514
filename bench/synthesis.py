"""Cost and yield of demonstrations: 200 of place_a2b with 3 cameras at 224x224 take 30 minutes on 2 cores at most.

    python bench/synthesis.py [--specs N] [--task T] [--rig R] [--suite NAME] [--workers W] [--no-depth] [--json]

Few specs are run, and what 200 would take is worked out from their processor time: that depends little on what else the
machine does meanwhile, while the wall time, which is printed too, does.
"""

import argparse
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from imove_bringup.synthesis.job import SynthesisJob
from imove_bringup.synthesis.synthesis import synthesise
from imove_bringup.synthesis.yields import Yield
from imove_tasks.randomization import load_randomization

DEMONSTRATIONS = 200
CORES = 2
BUDGET_MIN = 30.0
BARE_BUDGET_CPU_S = 3.0
"""Of a demonstration without cameras, on a spec that is there already."""
SIZE = (224, 224)


@dataclass(frozen=True)
class Result:
    """What was measured.

    Attributes:
        specs: That were tried.
        kept: That became demonstrations.
        wall_s: Time that passed, with the start of the workers.
        cpu_s: Processor time by part of one kept demonstration.
        bare_cpu_s: Planning, physics and validation alone.
        megabytes: Size of a bag, MB.
        minutes_for_200: On 2 cores that do nothing else, from the processor time.
        peak_jerk_rad_s3: Largest of all kept motions.
    """

    specs: int
    kept: int
    wall_s: float
    cpu_s: dict[str, float]
    bare_cpu_s: float
    megabytes: float
    minutes_for_200: float
    peak_jerk_rad_s3: float


def measure(job: SynthesisJob, specs: int, workers: int) -> Result:
    """Makes demonstrations in the job's folder."""
    began_s = time.monotonic()
    found: Yield = synthesise(job, specs, workers, "", lambda outcome: None)
    wall_s = time.monotonic() - began_s
    sizes = [path.stat().st_size for path in job.folder.rglob("*.mcap")]
    total_s = sum(found.cpu_s.values())
    return Result(
        specs=found.specs,
        kept=found.kept,
        wall_s=wall_s,
        cpu_s=found.cpu_s,
        bare_cpu_s=found.cpu_s.get("plan_cpu_s", 0.0) + found.cpu_s.get("roll_out_cpu_s", 0.0),
        megabytes=sum(sizes) / max(1, len(sizes)) / 1e6,
        minutes_for_200=DEMONSTRATIONS * total_s / CORES / 60,
        peak_jerk_rad_s3=found.smoothness["peak_jerk_rad_s3"].largest if found.kept else 0.0,
    )


def text(result: Result) -> str:
    """The result as lines."""
    parts = ", ".join(f"{name.removesuffix('_cpu_s')} {value:.2f}" for name, value in result.cpu_s.items())
    fits = "ok" if result.minutes_for_200 <= BUDGET_MIN else "over budget"
    bare = "ok" if result.bare_cpu_s <= BARE_BUDGET_CPU_S else "over budget"
    return "\n".join(
        [
            f"{result.kept} of {result.specs} specs became demonstrations, {result.megabytes:.0f} MB each, "
            f"in {result.wall_s:.0f} s of wall time",
            f"CPU-s a demonstration: {sum(result.cpu_s.values()):.2f} ({parts})",
            f"{DEMONSTRATIONS} demonstrations on {CORES} cores: {result.minutes_for_200:.1f} min "
            f"(<= {BUDGET_MIN:g})   {fits}",
            f"without cameras, on a certified spec: {result.bare_cpu_s:.2f} CPU-s (<= {BARE_BUDGET_CPU_S:g})   {bare}",
            f"largest peak jerk: {result.peak_jerk_rad_s3:.1f} rad/s3",
        ]
    )


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--specs", type=int, default=20, help="that are tried (default 20)")
    parser.add_argument("--task", default="place_a2b")
    parser.add_argument("--rig", default="piperx_dual")
    parser.add_argument("--suite", default="", help="takes specs from a suite; draws and certifies them by itself")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--no-depth", action="store_true", help="record colour alone")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        job = SynthesisJob(
            task=options.task,
            split="train",
            suite=options.suite,
            rig=options.rig,
            sim="mujoco",
            planner="rrt_connect",
            seed=0,
            looks=load_randomization("default"),
            image_size=SIZE,
            depth=not options.no_depth,
            assets=(),
            out=str(Path(folder) / "data"),
        )
        result = measure(job, options.specs, options.workers)
    print(json.dumps(asdict(result), indent=2) if options.json else text(result))


if __name__ == "__main__":
    main()
