"""Where a result comes from, with and without a checkout."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from imove_core.provenance import collect, package_versions, source_revision


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_versions_of_installed_packages_only() -> None:
    assert package_versions(("numpy", "imove-no-such-package")) == {"numpy": np.__version__}


def test_revision_of_a_clean_and_of_a_changed_checkout(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    inside = tmp_path / "package"
    inside.mkdir()
    (inside / "file").write_text("one")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    git(tmp_path, "tag", "v1")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert source_revision(inside) == commit
    (inside / "file").write_text("two")
    assert source_revision(inside) == f"{commit}-dirty"


def test_revision_outside_of_a_checkout_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert source_revision(tmp_path) == "unknown"
    assert source_revision(tmp_path / "nowhere") == "unknown"


def test_revision_without_git_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert source_revision(Path(__file__).parent) == "unknown"


def test_collection_is_plain_data() -> None:
    collected = collect()
    assert json.loads(json.dumps(collected)) == collected
    assert collected["versions"]["python"] == sys.version.split()[0]
    assert set(collected["platform"]) == {"system", "machine", "libc"}
    assert collected["revision"]
