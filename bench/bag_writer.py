"""CPU seconds of writing a bag beside a plain write of the same bytes, and drops of a recording in real time.

    python bench/bag_writer.py [--folder DIR] [--seconds S] [--repetitions N] [--real-time S]
        [--compression none|zstd] [--json]

The stream is that of a real table: three RGB-D cameras of 640x480 at 30 Hz and two arms at 200 Hz, 139 MB/s. Everything
is measured with process_time, in turn, so that a busy machine slows all alike; the ratio is that of the medians.
`--folder` on a RAM disk measures the writer alone; on a disk, fewer and larger writes can make a bag cheaper than the
plain file. `--real-time` feeds the same stream by the clock and counts what the queue drops.
"""

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from imove_core import contract
from imove_core.bag import messages as make
from imove_core.bag.mcap_file import Compression
from imove_core.bag.queue import QueuedWriter
from imove_core.bag.topics import bag_topics
from imove_core.bag.types import message_types
from imove_core.bag.writer import BagWriter, WriterSettings
from imove_core.rig import load_rig

BUDGET = 1.3
CAMERA_HZ, JOINT_HZ = 30, 200
NS = 1_000_000_000
Message = tuple[str, bytes, int]
Write = Callable[[Sequence[Message], Path], None]


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        writer: What wrote.
        median_s: CPU time, user and system, of all threads.
        mb_s: Written a CPU-second.
        ratio: To the plain write.
        file_ratio: Size of the messages to that of the file.
        within: Whether the ratio is within the budget; None for what the budget is not about.
    """

    writer: str
    median_s: float
    mb_s: float
    ratio: float
    file_ratio: float
    within: bool | None


class Stream:
    """What three RGB-D cameras and two arms send; images come round after half a second."""

    def __init__(self) -> None:
        """Serialises the messages once, so that only writing is measured."""
        self.rig, self.types = load_rig("piperx_dual"), message_types()
        self._images = [self._of_step(step) for step in range(CAMERA_HZ // 2)]
        self._joints = [
            (topic, self._cdr(make.joint_state(self.types, 0, arm.joint_names, *([arm.home_positions] * 3))))
            for arm in self.rig.arms
            for topic in (contract.joint_states_topic(arm.name), contract.joint_target_topic(arm.name))
        ]

    def messages(self, seconds: float) -> Iterator[Message]:
        """Topic, bytes and time of every message in order."""
        ticks = round(seconds * JOINT_HZ)
        for tick in range(ticks):
            now = tick * NS // JOINT_HZ
            for topic, cdr in self._joints:
                yield topic, cdr, now
            frame = tick * CAMERA_HZ // JOINT_HZ
            if tick == 0 or frame != (tick - 1) * CAMERA_HZ // JOINT_HZ:
                for topic, cdr in self._images[frame % len(self._images)]:
                    yield topic, cdr, now

    def writer(self, folder: Path, settings: WriterSettings) -> BagWriter:
        """A bag whose topics are not required, since only a part of them is sent."""
        topics = [topic for topic in bag_topics(self.rig, depth=True) if topic.name in self._sent]
        topics = [type(topic)(topic.name, topic.type, topic.qos) for topic in topics]
        return BagWriter(folder, topics, settings, {}, "", self.types)

    @property
    def _sent(self) -> set[str]:
        return {topic for topic, _ in [*self._joints, *self._images[0]]}

    def _of_step(self, step: int) -> list[tuple[str, bytes]]:
        rng = np.random.default_rng(step)
        sent = []
        for camera in self.rig.cameras:
            frame, name = camera.optical_frame, camera.name
            info = self._cdr(make.camera_info(self.types, 0, frame, camera.intrinsics))
            colour = _rendered(step, rng)
            depth = colour[..., 0].astype(np.uint16) * 4 + 400
            sent += [
                (contract.color_topic(name), self._cdr(make.image(self.types, 0, frame, colour))),
                (contract.color_info_topic(name), info),
                (contract.depth_topic(name), self._cdr(make.image(self.types, 0, frame, depth))),
                (contract.depth_info_topic(name), info),
            ]
        return sent

    def _cdr(self, typed: make.TypedMessage) -> bytes:
        return self.types.serialize(typed.message, typed.type)


def _rendered(step: int, rng: np.random.Generator) -> np.ndarray:
    """An image (480, 640, 3) that compresses as a rendered one: flat objects on a shaded table with faint grain."""
    y, x = np.mgrid[:480, :640]
    image = np.stack([120 + 50 * y / 480 + 8 * np.sin(x / 5), 95 + 40 * y / 480, 70 + 20 * y / 480], axis=-1)
    for _ in range(6):
        row, column = rng.integers(0, 400), rng.integers(0, 560) + step % 8
        image[row : row + 60, column : column + 60] = rng.integers(30, 240, 3)
    return image.astype(np.uint8)


def writers(stream: Stream) -> dict[str, tuple[Write, bool | None]]:
    """What is measured, and whether the budget is about it."""

    def bag(queued: bool, **options: object) -> Write:
        def write(messages: Sequence[Message], folder: Path) -> None:
            opened = stream.writer(folder / "bag", WriterSettings(reserve_bytes=0, **options))  # type: ignore[arg-type]
            if not queued:
                for topic, cdr, now in messages:
                    opened.write(topic, cdr, now, now)
                opened.finish({})
                return
            queue = QueuedWriter(opened, capacity_bytes=1 << 40)
            for topic, cdr, now in messages:
                queue.put(topic, cdr, now, now)
            queue.finish({})

        return write

    return {
        "plain write": (_plain, None),
        "bag, no compression, no checksum": (bag(False, compression="none", crc=False), True),
        "the same behind the queue": (bag(True, compression="none", crc=False), True),
        "bag, no compression, checksum": (bag(False, compression="none"), True),
        "the same behind the queue ": (bag(True, compression="none"), True),
        "bag, zstd, checksum (simulation)": (bag(False, compression="zstd"), None),
    }


def _plain(messages: Sequence[Message], folder: Path) -> None:
    with (folder / "plain").open("wb", buffering=0) as file:
        for _, cdr, _ in messages:
            file.write(cdr)
        os.fsync(file.fileno())


def measure(stream: Stream, folder: Path, seconds: float, repetitions: int) -> list[Row]:
    """Writes the stream with every writer in turn."""
    messages = list(stream.messages(seconds))
    size = sum(len(cdr) for _, cdr, _ in messages)
    measured = writers(stream)
    times: dict[str, list[float]] = {name: [] for name in measured}
    files: dict[str, int] = {}
    for _ in range(repetitions):
        for name, (write, _) in measured.items():
            place = Path(tempfile.mkdtemp(dir=folder))
            began = time.process_time()
            write(messages, place)
            times[name].append(time.process_time() - began)
            files[name] = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
            shutil.rmtree(place)
    medians = {name: statistics.median(values) for name, values in times.items()}
    plain = medians["plain write"]
    return [
        Row(
            name.strip(),
            median,
            size / 1e6 / median,
            median / plain,
            size / files[name],
            median / plain <= BUDGET if measured[name][1] else None,
        )
        for name, median in medians.items()
    ]


def record(stream: Stream, folder: Path, seconds: float, compression: Compression) -> dict[str, float]:
    """Feeds the stream by the clock, as a recorder of real cameras; counts drops."""
    place = Path(tempfile.mkdtemp(dir=folder))
    queue = QueuedWriter(stream.writer(place / "bag", WriterSettings(compression=compression)))
    began, cpu = time.monotonic_ns(), time.process_time()
    late_ns = most_waiting = 0
    for topic, cdr, now in stream.messages(seconds):
        early_ns = began + now - time.monotonic_ns()
        if early_ns > 0:
            time.sleep(early_ns / NS)
        late_ns = max(late_ns, -early_ns)
        queue.put(topic, cdr, now, now)
        most_waiting = max(most_waiting, queue.waiting_bytes)
    queue.finish({})
    counts = queue.counts().values()
    shutil.rmtree(place)
    return {
        "seconds": seconds,
        "received": sum(count.received for count in counts),
        "written": sum(count.written for count in counts),
        "dropped": sum(count.dropped for count in counts),
        "mb": sum(count.bytes for count in counts) / 1e6,
        "core_share": (time.process_time() - cpu) / seconds,
        "most_waiting_mb": most_waiting / 1e6,
        "latest_put_ms": late_ns / 1e6,
    }


def table(rows: Sequence[Row]) -> str:
    """The rows as text."""
    lines = [f"{'':34} {'CPU-s':>7} {'MB/CPU-s':>9} {'ratio':>6} {'smaller':>8}"]
    for row in rows:
        verdict = "" if row.within is None else f"  <= {BUDGET:g}: {'ok' if row.within else 'over budget'}"
        lines.append(
            f"{row.writer:34} {row.median_s:7.3f} {row.mb_s:9.0f} {row.ratio:6.2f} {row.file_ratio:7.1f}x{verdict}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"), help="where is written (default a RAM disk)")
    parser.add_argument("--seconds", type=float, default=3, help="of the stream (default 3)")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument(
        "--real-time", type=float, default=0, metavar="S", help="also record by the clock for S seconds"
    )
    parser.add_argument("--compression", choices=("none", "zstd"), default="zstd", help="of the recording by the clock")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    stream = Stream()
    rows = measure(stream, options.folder, options.seconds, options.repetitions)
    machine = {"cores": os.cpu_count(), "load_average": round(os.getloadavg()[0], 2), "folder": str(options.folder)}
    recorded = record(stream, options.folder, options.real_time, options.compression) if options.real_time else None
    if options.json:
        print(json.dumps({"machine": machine, "rows": [asdict(row) for row in rows], "real_time": recorded}, indent=2))
        return
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    print(table(rows))
    if recorded:
        print("real time: " + ", ".join(f"{key} {value:.6g}" for key, value in recorded.items()))


if __name__ == "__main__":
    main()
