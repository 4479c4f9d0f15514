"""Time and memory of reading a large run and printing its tables.

    python bench/large_run.py [--episodes 100000] [--report]

Writes a run of that many made-up episodes, five conditions a scene, with a copy of their suite, into a folder of its
own, prints its tables (or makes its report) in another process, and says how long that took and how much memory it
held at most.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from imove_analysis.chance import chance_level
from imove_analysis.records import make_record
from imove_analysis.testing import make_execution, make_score, make_spec
from imove_core.canonical import canonical_json
from imove_core.rig import load_rig
from imove_core.spec import COUNTERFACTUAL_CONDITIONS
from imove_tasks.suites import Suite, write_suite

SETTINGS = {
    "policy": "hold", "rig": "piperx_dual", "seed": 0, "clock": "lockstep", "scheduler": "receding", "sim": "mujoco",
    "image_size": [224, 224], "policy_config": "", "execute_steps": 0, "latency": "0", "safety": "default",
}  # fmt: skip
EVENTS = [(rubric, stage, key) for rubric in ("strict", "reference") for key in ("object_1", "object_0") for stage in
          ("reach", "lift")]  # fmt: skip


def write_run(folder: Path, episodes: int) -> None:
    """Writes settings, suite and records."""
    specs = tuple(make_spec(index) for index in range(-(-episodes // len(COUNTERFACTUAL_CONDITIONS))))
    suite = Suite("bench/large", 0, "b" * 64, specs)
    write_suite(suite, folder / "suite.jsonl")
    # Levels of chance are in the summary that every run writes.
    rig = load_rig("piperx_dual")
    by_condition = {
        condition: {"n": len(specs), "chance": chance_level(rig, specs, condition)}
        for condition in COUNTERFACTUAL_CONDITIONS
    }
    (folder / "summary.json").write_text(json.dumps({"by_condition": by_condition}))
    provenance = {"settings": {**SETTINGS, "suite": suite.name, "suite_hash": suite.content_hash}}
    (folder / "provenance.json").write_text(json.dumps(provenance))
    with (folder / "episodes.jsonl").open("w") as file:
        for spec in specs:
            for condition in COUNTERFACTUAL_CONDITIONS:
                instruction = spec.instruction(condition)
                execution = make_execution(make_score(*EVENTS, target=instruction.target), instruction.text)
                file.write(canonical_json(make_record(spec, condition, 0, execution)) + "\n")


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--report", action="store_true", help="make the report in place of the tables")
    arguments = parser.parse_args()
    episodes = arguments.episodes
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_run(folder, episodes)
        size_mb = (folder / "episodes.jsonl").stat().st_size / 1e6
        began = time.monotonic()
        what = ["report", str(folder)] if arguments.report else ["tables", str(folder), "--intervals"]
        command = [sys.executable, "-m", "imove_bringup.cli", *what]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        wall_s = time.monotonic() - began
        peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(done.stdout)
        print(f"{episodes} episodes, {size_mb:.0f} MB: {wall_s:.1f} s, at most {peak_mb:.0f} MiB")


if __name__ == "__main__":
    main()
