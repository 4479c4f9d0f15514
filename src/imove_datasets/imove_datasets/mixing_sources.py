"""Episodes of an exported data set, as a mixing plan counts them: layouts v2.x and v3.0 of LeRobot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from imove_core.errors import ImoveError
from imove_datasets.mixing import MixEpisode, MixSource

PARAPHRASES = "meta/paraphrases.jsonl"
"""Optional table of an export: a line an episode, {"episode_index": 0, "texts": ["...", ...]}, canonical text first."""


def read_source(folder: Path, weight: int) -> MixSource:
    """Reads which episodes a data set has, how long they are and what they may be called.

    Args:
        folder: Root of the data set, with `meta/info.json` in it.
        weight: Its part of the mixture.

    Raises:
        ImoveError: when the folder holds no data set of a known layout, or its tables disagree with each other.
    """
    info = _json(folder / "meta" / "info.json", folder)
    version = str(info.get("codebase_version"))
    if version.startswith("v2."):
        rows = _lines(folder / "meta" / "episodes.jsonl", folder)
    elif version == "v3.0":
        rows = _parquet_rows(folder / "meta" / "episodes", folder)
    else:
        raise ImoveError(f"{folder} has layout {version}; mixing plans read v2.0, v2.1 and v3.0")
    texts = _texts(folder)
    episodes = []
    for row in rows:
        try:
            index, length, tasks = int(row["episode_index"]), int(row["length"]), tuple(row["tasks"])
        except (KeyError, TypeError, ValueError) as error:
            raise ImoveError(f"{folder}: an episode lacks a readable episode_index, length or tasks: {row}") from error
        episodes.append(MixEpisode(index, length, texts.get(index, tasks) or ("",)))
    episodes.sort(key=lambda episode: episode.index)
    if len({episode.index for episode in episodes}) != len(episodes):
        raise ImoveError(f"{folder} lists an episode_index twice")
    if info.get("total_episodes") != len(episodes):
        raise ImoveError(
            f"{folder}: info.json counts {info.get('total_episodes')} episodes, {len(episodes)} are listed"
        )
    return MixSource(str(folder), weight, tuple(episodes))


def _texts(folder: Path) -> dict[int, tuple[str, ...]]:
    if not (folder / PARAPHRASES).is_file():
        return {}
    rows = _lines(folder / PARAPHRASES, folder)
    try:
        return {int(row["episode_index"]): tuple(str(text) for text in row["texts"]) for row in rows}
    except (KeyError, TypeError, ValueError) as error:
        raise ImoveError(f"{folder / PARAPHRASES}: a line lacks a readable episode_index or texts") from error


def _json(path: Path, folder: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ImoveError(f"{folder} is no exported data set: it lacks {path.relative_to(folder)}") from error
    except (OSError, ValueError) as error:
        raise ImoveError(f"{path} is not readable JSON: {error}") from error
    if not isinstance(value, dict):
        raise ImoveError(f"{path} holds {type(value).__name__}, not an object")
    return value


def _lines(path: Path, folder: Path) -> Iterator[Mapping[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ImoveError(f"{folder} lacks {path.relative_to(folder)}, which its layout has") from error
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ImoveError(f"{path}, line {number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise ImoveError(f"{path}, line {number} holds {type(row).__name__}, not an object")
        yield row


def _parquet_rows(folder: Path, root: Path) -> Iterator[Mapping[str, Any]]:
    files = sorted(folder.glob("chunk-*/file-*.parquet"))
    if not files:
        raise ImoveError(f"{root} lacks meta/episodes/chunk-*/file-*.parquet, which layout v3.0 has")
    for path in files:
        try:
            yield from pq.read_table(path, columns=["episode_index", "length", "tasks"]).to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise ImoveError(f"{path} is not a readable table of episodes: {error}") from error
