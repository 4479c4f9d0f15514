"""Kills an evaluation at random moments, again and again, and holds its results to those of an undisturbed run.

    python bench/kill_run.py [--kills 500] [--scenes 2] [--seed 0]

Each run evaluates `hold` on the first scenes of a suite under the paper's five conditions on two workers. SIGKILL goes
to a worker, or to the command itself with or without its workers; a command that has ended is given again until it has
nothing left to do. Then records but for `wall`, summary, traces and suite must be, byte for byte, those of a run that
nobody disturbed. Runs follow each other until there were so many kills.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

LONGEST_WAIT_S = 3.0
"""Starting takes about as long as this, so that kills come before, during and after it."""


def command(suite: str, scenes: int, folder: Path) -> list[str]:
    """The words of an evaluation."""
    flags = {
        "suite": suite, "policy": "hold", "episodes": scenes, "condition": "counterfactual", "workers": 2,
        "out": folder, "image-size": "64x48",
    }  # fmt: skip
    words = [text for name, value in flags.items() for text in (f"--{name}", str(value))]
    return [sys.executable, "-m", "imove_bringup.cli", "eval", *words]


def result_of(folder: Path) -> dict[str, bytes]:
    """Content by file of what must not depend on kills."""
    lines = [json.loads(line) for line in (folder / "episodes.jsonl").read_bytes().splitlines()]
    kept = [{key: value for key, value in line.items() if key != "wall"} for line in lines]
    found = {"episodes.jsonl": "\n".join(json.dumps(line, sort_keys=True) for line in kept).encode()}
    for path in (folder / "summary.json", folder / "suite.jsonl", *sorted((folder / "traces").rglob("*"))):
        if path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def workers_of(process: int) -> list[int]:
    """Ids of the worker processes of a command."""
    found = []
    with suppress(OSError):
        for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(int(child))
    return found


def disturbed_run(words: list[str], rng: np.random.Generator, most_kills: int) -> tuple[int, int]:
    """Gives a command again and again while it is killed, at most so often, and then until it ends by itself.

    Returns:
        Kills, and how often the command was given.
    """
    kills = starts = 0
    while True:
        running = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        starts += 1
        while running.poll() is None:
            if kills >= most_kills:
                running.wait()
                break
            time.sleep(rng.uniform(0.0, LONGEST_WAIT_S))
            workers = workers_of(running.pid)
            # One in three takes the command, half of those all at once.
            whole = not workers or rng.uniform() < 1 / 3
            victims = [running.pid] if whole else [int(rng.choice(workers))]
            if whole and rng.uniform() < 1 / 2:
                victims += workers
            if running.poll() is None:
                for victim in victims:
                    with suppress(ProcessLookupError):
                        os.kill(victim, signal.SIGKILL)
                        kills += 1
        if running.returncode == 0:
            return kills, starts


def main() -> None:
    """Prints the figures; exit status 1 when a result differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--scenes", type=int, default=2)
    parser.add_argument("--suite", default="pick_category/seen")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    kills = starts = runs = 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / "undisturbed"
        subprocess.run(command(given.suite, given.scenes, whole), check=True, stdout=subprocess.DEVNULL)
        wanted = result_of(whole)
        while kills < given.kills:
            folder = Path(name) / f"run_{runs}"
            more, again = disturbed_run(command(given.suite, given.scenes, folder), rng, given.kills - kills)
            kills, starts, runs = kills + more, starts + again, runs + 1
            found = result_of(folder)
            differing = [file for file in wanted.keys() | found.keys() if wanted.get(file) != found.get(file)]
            if differing:
                sys.exit(f"after {kills} kills the result differs in {', '.join(sorted(differing))}")
    episodes = wanted["episodes.jsonl"].count(b"\n") + 1
    print(
        f"{kills} kills in {runs} runs of {episodes} episodes, whose command was given {starts} times: "
        f"all {len(wanted)} files of each as without kills; {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
