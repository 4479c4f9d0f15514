"""What moves results and is rarely told: how answers are executed, what of text and images a model is given."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from imove_core.blinding import split_blind
from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.errors import ImoveError
from imove_core.rig import Rig
from imove_policy_node.scheduling.registry import DECAY, FADE_STEPS, RECEDING_STEPS

MANIFEST = "manifest.yaml"


def scheduler_details(name: str, execute_steps: int) -> dict[str, Any]:
    """What a scheduler does with an answer.

    Args:
        name: One of `scheduler_names`.
        execute_steps: As it was set, 0 for the scheduler's own.
    """
    own: dict[str, int | str] = {"receding": RECEDING_STEPS, "async_stamped": "half of an answer", "ensemble": 1}
    # It executes every answer to its end, whatever is set.
    executed = "all of an answer" if name == "sync_hold" else execute_steps or own[name]
    extra: dict[str, dict[str, float]] = {"async_stamped": {"fade_steps": FADE_STEPS}, "ensemble": {"decay": DECAY}}
    return {"executed_steps": executed, **extra.get(name, {})}


def policy_details(name: str, config: str, rig: Rig) -> dict[str, Any]:
    """What a policy is given of text and images, and the hash of what it is set up by.

    Nothing is loaded and no server is asked.

    Args:
        name: As users write it.
        config: Mapping, manifest or bag, "" for the usual one.
        rig: The embodiment.

    Raises:
        ImoveError: A file is missing or broken.
    """
    inner, text = split_blind(name)
    found: dict[str, Any] = {"prompt_handling": "not read"}
    if inner in _MAPPED:
        found = _mapped(inner, config, rig)
    elif inner in _MANIFESTS:
        found = _manifest(_MANIFESTS[inner](config))
    elif inner == "expert":
        found = {"prompt_handling": "the spec is read in its place"}
    elif inner == "replay":
        found["bag"] = Path(config).name
    if text is not None:
        found["prompt_handling"] = f"always '{text}'" if text else "removed"
    return found


def _mapped(adapter: str, config: str, rig: Rig) -> dict[str, Any]:
    from imove_policy_node.adapters.mapping_files import load_mapping

    mapping = load_mapping(adapter, config or _MAPPED[adapter](rig))
    image = mapping.image
    return {
        "mapping": mapping.name,
        "config_hash": sha256_of_text(canonical_json(mapping.model_dump(mode="json"))),
        "prompt_handling": mapping.prompt_handling,
        "images": f"{image.width}x{image.height}, {image.fit}",
        "answer_rows": mapping.horizon or "varying",
    }


def _manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST if path.is_dir() else path
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ImoveError(f"manifest {file} cannot be read: {error.strerror}") from error
    # A manifest names its model by hash, so that of the manifest stands for both.
    return {
        "config_hash": hashlib.sha256(content).hexdigest(),
        "prompt_handling": "words in lower case, without punctuation",
    }


def _usual_openpi(rig: Rig) -> str:
    from imove_policy_node.adapters.openpi import usual_mapping

    return usual_mapping(rig)


def _usual_gr00t(rig: Rig) -> str:
    from imove_policy_node.adapters.gr00t import usual_mapping

    return usual_mapping(rig)


def _usual_xpolicylab(rig: Rig) -> str:
    from imove_policy_node.adapters.xpolicylab import usual_mapping

    return usual_mapping(rig)


def _shipped(usual: str) -> Callable[[str], Path]:
    def folder(config: str) -> Path:
        from imove_baselines.shipped import shipped_weights

        shipped = shipped_weights(config or usual)
        return shipped if "/" not in config and shipped.is_dir() else Path(config)

    return folder


def _given(name: str) -> Callable[[str], Path]:
    def folder(config: str) -> Path:
        from imove_policy_node.in_process.manifest_file import given_manifest

        return given_manifest(name, config)

    return folder


_MAPPED: dict[str, Callable[[Rig], str]] = {
    "openpi": _usual_openpi,
    "gr00t": _usual_gr00t,
    "xpolicylab": _usual_xpolicylab,
}
_MANIFESTS: dict[str, Callable[[str], Path]] = {
    "onnx": _given("onnx"),
    "torch": _given("torch"),
    "act_film": _shipped("act_film"),
    "grounded_pick": _shipped("grounded_pick"),
}
