"""Episode bags become a dataset for a trainer, whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from imove_core.errors import ImoveError
from imove_datasets.dataset import Dataset, DatasetEpisode, as_lists
from imove_datasets.episode import EpisodeExport, EpisodeJob, Signature, export_episode
from imove_datasets.files import write_json, write_json_lines
from imove_datasets.gr00t import write_gr00t
from imove_datasets.layout import layout_of
from imove_datasets.motus import write_motus
from imove_datasets.openpi import write_openpi
from imove_datasets.relative import chunk_statistics
from imove_datasets.report import REPORT_FILE, ExportReport, make_report
from imove_datasets.settings import ExportSettings
from imove_datasets.sources import find_episodes
from imove_datasets.statistics import Floored
from imove_datasets.tasks import PARAPHRASES_FILE, TaskTable
from imove_datasets.tree_v21 import write_v21
from imove_datasets.tree_v30 import write_v30

Progress = Callable[[int, int], None]
"""Called with how many episodes are done, of how many."""


def export_dataset(
    bags: Sequence[Path],
    out: Path,
    settings: ExportSettings,
    workers: int = 1,
    progress: Progress = lambda done, total: None,
) -> ExportReport:
    """Writes a dataset of all episodes in `bags`; the same bags and settings give the same bytes.

    Args:
        bags: Datasets, folders of a task, or episodes; nothing in them is changed.
        out: Folder of the dataset; it must not exist, or be empty.
        settings: What is asked for.
        workers: Processes that read and encode episodes side by side.
        progress: Told when an episode is done.

    Raises:
        ImoveError: `out` holds something, a bag cannot be used, episodes do not fit together, none is left, or the
            disk is full. `out` is then as it was.
    """
    paths = find_episodes(bags)
    _check_target(out, paths)
    try:
        with _partial(out) as root:
            jobs = [EpisodeJob(path, root / ".work" / f"{number:06d}", settings) for number, path in enumerate(paths)]
            exports = _run(jobs, workers, progress)
            dataset = _dataset(exports, settings)
            floored = _write(dataset, exports, settings, root)
            report = make_report(settings, dataset, exports, floored)
            write_json(root / REPORT_FILE, report.to_record())
            shutil.rmtree(root / ".work")
    except OSError as error:
        raise ImoveError(f"{out} cannot be written: {error.strerror or error}") from error
    return report


def _check_target(out: Path, paths: Sequence[Path]) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ImoveError(f"{out} holds something already; a new or empty folder is needed")
    for path in paths:
        if out.resolve().is_relative_to(path.resolve()):
            raise ImoveError(f"{out} lies in the episode {path}; a folder outside of the bags is needed")


@contextmanager
def _partial(out: Path) -> Iterator[Path]:
    """A folder beside `out` that takes its place when all is well, and vanishes when not."""
    target = out.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    root = target.with_name(f".{target.name}.{os.getpid()}.partial")
    root.mkdir()
    try:
        yield root
        os.replace(root, target)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _run(jobs: Sequence[EpisodeJob], workers: int, progress: Progress) -> list[EpisodeExport]:
    exports: list[EpisodeExport] = []
    progress(0, len(jobs))
    for export in _exports(jobs, min(workers, len(jobs))):
        first = exports[0] if exports else export
        _check_same(first.facts.name, first.signature, export.facts.name, export.signature)
        exports.append(export)
        progress(len(exports), len(jobs))
    return exports


def _exports(jobs: Sequence[EpisodeJob], workers: int) -> Iterator[EpisodeExport]:
    if workers <= 1:
        yield from map(export_episode, jobs)
        return
    # A fork of a process that has threads, as encoders start them, may hang.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            yield from pool.map(export_episode, jobs)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _check_same(first: str, expected: Signature, name: str, got: Signature) -> None:
    for what in ("rig", "joints", "fps", "cameras"):
        mine, theirs = getattr(got, what), getattr(expected, what)
        if mine != theirs:
            raise ImoveError(f"{what} of {name}: {_text(mine)}; of {first}: {_text(theirs)}; a dataset needs one alone")


def _text(value: object) -> str:
    if not isinstance(value, tuple):
        return str(value)
    return ", ".join(item if isinstance(item, str) else f"{item[0]} {item[1]}x{item[2]}" for item in value)


def _dataset(exports: Sequence[EpisodeExport], settings: ExportSettings) -> Dataset:
    table = TaskTable(settings.paraphrases)
    episodes: list[DatasetEpisode] = []
    start = 0
    for export in exports:
        if export.data is not None:
            tasks = table.add(export.facts.instruction, export.facts.wordings, len(export.data))
            episodes.append(DatasetEpisode(len(episodes), start, export.data, tasks))
            start += len(export.data)
    if not episodes:
        raise ImoveError(f"no episode is left; of {exports[0].facts.name}: {exports[0].left_out}")
    layout = layout_of(settings.format, exports[0].facts.rig)
    return Dataset(layout, exports[0].signature, episodes, table.texts)


def _write(
    dataset: Dataset, exports: Sequence[EpisodeExport], settings: ExportSettings, root: Path
) -> tuple[Floored, ...]:
    write = write_v30 if dataset.layout.version == "v3.0" else write_v21
    write(dataset, root)
    statistics, floored = dataset.statistics
    if settings.paraphrases != "canonical":
        rows = ({"episode_index": item.index, "texts": list(item.tasks.choices)} for item in dataset.episodes)
        write_json_lines(root / PARAPHRASES_FILE, rows)
    if settings.format == "gr00t":
        write_gr00t(dataset, exports[0].facts.rig, settings, root)
    elif settings.format == "openpi":
        floored += write_openpi(dataset, settings, root)
    elif settings.format == "motus":
        write_motus(dataset, root)
    elif settings.actions == "relative":
        # lerobot's policies with relative actions normalise with the statistics that the dataset carries.
        key = dataset.layout.action.key
        relative, more = chunk_statistics(dataset, "relative", settings.horizon, padded=False)
        replaced = {**statistics, key: relative}
        write_json(root / "meta" / "stats.json", {name: as_lists(values) for name, values in replaced.items()})
        floored = (*(dimension for dimension in floored if dimension.column != key), *more)
    return floored
