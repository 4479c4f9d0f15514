"""Manifests and what lies beside them, read once, each checked before it is used."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError

from imove_baselines.vocabulary import Vocabulary
from imove_core.errors import ImoveError
from imove_core.values import first_fault
from imove_policy_node.in_process.manifest import Manifest

MANIFEST_FILE = "manifest.yaml"
LARGEST_TEXT_BYTES = 2**22
"""Of a manifest or a vocabulary; the largest shipped ones have some kB."""
LARGEST_MODEL_BYTES = 2**31
"""More than one protobuf message can hold."""


@dataclass(frozen=True)
class LoadedManifest:
    """A manifest and the files that it names.

    Attributes:
        manifest: What it says.
        path: Where it was read.
        model: Content of the model file, whose hash was checked.
        vocabulary: Of its text input, None where it has none.
    """

    manifest: Manifest
    path: Path
    model: bytes
    vocabulary: Vocabulary | None

    @property
    def policy_id(self) -> str:
        """Name of the policy and the beginning of its model's hash."""
        return f"{self.manifest.name}@{self.manifest.model.sha256[:12]}"


def given_manifest(name: str, config: str) -> Path:
    """Where a user says that the manifest of a policy lies.

    Args:
        name: Of the kind of policy, for error messages.
        config: Path of a manifest, or of the folder of one.

    Raises:
        ImoveError: It is empty.
    """
    if not config:
        raise ImoveError(f"policy {name} needs policy_config: the path of a manifest.yaml, or of its folder")
    return Path(config)


def load_manifest(path: Path) -> LoadedManifest:
    """Reads a manifest, its model and its vocabulary.

    Args:
        path: A manifest, or the folder of one.

    Raises:
        ImoveError: A file is missing, breaks the schema or is another one than the manifest names.
    """
    file = path / MANIFEST_FILE if path.is_dir() else path
    manifest = _parsed(_read(file, LARGEST_TEXT_BYTES), file)
    model_path = file.parent / manifest.model.file
    model = _read(model_path, LARGEST_MODEL_BYTES)
    digest = hashlib.sha256(model).hexdigest()
    if digest != manifest.model.sha256:
        raise ImoveError(
            f"model {model_path} has the SHA-256 {digest}, {file.name} names {manifest.model.sha256}; they do not "
            "belong together"
        )
    vocabulary = None
    if manifest.text is not None:
        words_path = file.parent / manifest.text.vocabulary
        try:
            words = _read(words_path, LARGEST_TEXT_BYTES).decode().splitlines()
            vocabulary = Vocabulary(tuple(words), manifest.text.length)
        except UnicodeDecodeError as error:
            raise ImoveError(f"vocabulary {words_path} is not UTF-8") from error
        except ImoveError as error:
            raise ImoveError(f"vocabulary {words_path}: {error}") from error
    return LoadedManifest(manifest, file, model, vocabulary)


def _parsed(content: bytes, file: Path) -> Manifest:
    try:
        manifest = Manifest.model_validate(yaml.safe_load(content))
        manifest.mapping()
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ImoveError(f"manifest {file} is not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise ImoveError(f"manifest {file}: {first_fault(error, 'the manifest')}") from error
    return manifest


def _read(path: Path, largest: int) -> bytes:
    try:
        size = path.stat().st_size
        if size > largest:
            raise ImoveError(f"file {path} has {size} bytes; at most {largest} are read")
        return path.read_bytes()
    except OSError as error:
        raise ImoveError(f"file {path} of a policy cannot be read: {error.strerror}") from error
