"""Cost of looks in CPU seconds: the same scenes plain, on each table surface, in each room, and fully randomised.

    python bench/looks.py [--repetitions N] [--rig R] [--json]

`reset` is the time from a spec that was not seen before to its first images, `rate` the control steps a CPU second with
all cameras at 224x224 rendered after every step. Every case is measured with the others in turn, so that a busy machine
slows all alike; medians count.
"""

import argparse
import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sim_step import CHUNK, SIZES, Swing, cpu_s, load_specs, run_steps

from imove_core.randomization import PLAIN
from imove_core.rig import Rig, load_rig
from imove_core.spec import EpisodeSpec
from imove_sim_bridge.registry import create_backend
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.randomization import PRESETS, RandomizationConfig, parse_randomization, vary
from imove_tasks.randomization.patterns import TABLE_PATTERNS
from imove_tasks.randomization.rooms import room_names

RESET_BUDGET_S, RATE_BUDGET = 0.15, 33.0


@dataclass(frozen=True)
class Row:
    """One case.

    Attributes:
        name: What was shown.
        reset_s: CPU seconds of a reset to the first images, median.
        rate: Control steps a CPU second, median.
    """

    name: str
    reset_s: float
    rate: float

    @property
    def within(self) -> bool:
        """Whether both budgets are met."""
        return self.reset_s <= RESET_BUDGET_S and self.rate >= RATE_BUDGET


def cases() -> dict[str, RandomizationConfig]:
    """Configurations by name; the plain one first."""
    pins = {"plain": "{}"}
    pins |= {f"table: {name}": f"{{table: {{pattern: {name}}}}}" for name in TABLE_PATTERNS if name != "plain"}
    pins |= {f"room: {name}": f"{{background: {name}}}" for name in room_names() if name != "plain"}
    return {name: parse_randomization(f"pin: {pin}", name) for name, pin in pins.items()} | {
        f"preset: {name}": config for name, config in PRESETS.items() if name != "off"
    }


def measure(
    library: AssetLibrary, rig: Rig, specs: Sequence[EpisodeSpec], config: RandomizationConfig, repetition: int
) -> tuple[float, float]:
    """CPU seconds of a reset, and steps a CPU second, over some scenes."""
    cameras = [camera.name for camera in rig.cameras]
    backend = create_backend("mujoco", rig, library.get, SIZES[0])
    first, *others = [vary(spec, config, repetition, rig=rig, library=library) for spec in specs]
    for spec in (first, *others):
        for item in (*spec.objects, *spec.randomization.clutter):
            library.get(item.asset).content_hash()

    def begin(spec: EpisodeSpec) -> None:
        backend.load(spec)
        backend.reset()
        backend.observe(cameras)

    begin(first)
    reset_s = statistics.median(cpu_s(lambda spec=spec: begin(spec)) for spec in others)
    steps_s = cpu_s(lambda: run_steps(backend, rig, Swing(rig), 2 * CHUNK, cameras))
    backend.close()
    return reset_s, 2 * CHUNK / steps_s


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=5, help="of each measurement (default 5)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rig", default="piperx_dual")
    options = parser.parse_args()
    rig, library = load_rig(options.rig), AssetLibrary.shipped()
    _, specs = load_specs(rig)
    plain = [spec.model_copy(update={"randomization": PLAIN}) for spec in specs]
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in cases()}
    for repetition in range(options.repetitions):
        for name, config in cases().items():
            found[name].append(measure(library, rig, plain, config, repetition))
    rows = [
        Row(name, *(statistics.median(part) for part in zip(*measured, strict=True)))
        for name, measured in found.items()
    ]
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return
    print(f"{'':22} {'reset, CPU-s':>14} {'steps/CPU-s':>12}")
    for row in rows:
        print(f"{row.name:22} {row.reset_s:14.3f} {row.rate:12.0f}  {'ok' if row.within else 'over budget'}")


if __name__ == "__main__":
    main()
