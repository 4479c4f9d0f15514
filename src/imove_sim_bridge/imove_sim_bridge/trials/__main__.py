"""`python -m imove_sim_bridge.trials CATEGORY...`: a short table of how objects of some categories can be held."""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np

from imove_core.rig import load_rig
from imove_sim_bridge.trials.grasping import grasp_trials
from imove_sim_bridge.trials.report import Reason
from imove_sim_bridge.trials.stability import stability_trials
from imove_tasks.assets.library import AssetLibrary


def main() -> None:
    """Prints one line a category."""
    parser = argparse.ArgumentParser(prog="python -m imove_sim_bridge.trials", description=__doc__)
    parser.add_argument("categories", nargs="*", help="categories; all when none is given")
    parser.add_argument("--count", type=int, default=20, help="trial grasps an object (default 20)")
    parser.add_argument("--instances", type=int, default=6, help="objects a category (default 6)")
    parser.add_argument("--rig", default="piperx_dual", help="shipped rig, or a .yaml file")
    options = parser.parse_args()
    rig = load_rig(options.rig)
    library = AssetLibrary.generate(options.instances)
    print(f"{'category':<22} {'held':>5} {'worst':>5} {'CPU-s':>6}  failures; resting poses that do not hold")
    for name in options.categories or library.categories():
        assets = library.in_category(name)
        start = time.process_time()
        reports = [grasp_trials(asset, rig, np.random.default_rng(0), options.count) for asset in assets]
        poses = [stability_trials(asset, np.random.default_rng(0)) for asset in assets]
        seconds = (time.process_time() - start) / len(assets)
        reasons: Counter[Reason] = Counter()
        for report in reports:
            reasons.update(dict(report.failures))
        held = np.mean([report.share for report in reports])
        worst = min(report.share for report in reports)
        told = [f"{reason} {number}" for reason, number in reasons.most_common()]
        told += [
            f"{asset.name} pose {pose.pose} tilts {np.degrees(pose.tilt_rad):.0f} deg"
            for asset, report in zip(assets, poses, strict=True)
            for pose in report.failing
        ]
        print(f"{name:<22} {held:>5.0%} {worst:>5.0%} {seconds:>6.2f}  {', '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
