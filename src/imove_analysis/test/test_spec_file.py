from pathlib import Path

import pytest

from imove_analysis import spec_file
from imove_analysis.spec_file import SpecFile
from imove_analysis.testing import make_spec
from imove_core.errors import ImoveError
from imove_tasks.suites import Suite, write_suite


@pytest.fixture
def suite() -> Suite:
    return Suite("test/scene", 3, "a" * 64, tuple(make_spec(index) for index in range(5)))


@pytest.fixture
def path(suite: Suite, tmp_path: Path) -> Path:
    write_suite(suite, tmp_path / "suite.jsonl")
    return tmp_path / "suite.jsonl"


def test_gives_the_scenes_of_the_suite_in_its_order(suite: Suite, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec_file, "MOST_KEPT", 2)
    found = SpecFile(path, suite.content_hash)
    assert list(found) == [spec.id for spec in suite.specs]
    assert tuple(found.values()) == suite.specs
    assert [found[spec.id] for spec in reversed(suite.specs)] == list(reversed(suite.specs))
    assert len(found) == 5
    assert found.get("test/scene/009") is None


def test_refuses_what_was_changed_or_is_another_suite(suite: Suite, path: Path) -> None:
    with pytest.raises(ImoveError, match=r"has the content hash .*; bbbbbbbbbbbb is needed"):
        SpecFile(path, "b" * 64)
    text = path.read_text()
    path.write_text(text.replace("thing 1", "thing 7", 1))
    with pytest.raises(ImoveError, match="was changed after it was frozen"):
        SpecFile(path, suite.content_hash)
    path.write_text(text[:-200])
    with pytest.raises(ImoveError, match="was changed after it was frozen|is damaged"):
        SpecFile(path, suite.content_hash)
    path.write_text("[]\n")
    with pytest.raises(ImoveError, match="is damaged"):
        SpecFile(path, suite.content_hash)
    path.unlink()
    with pytest.raises(ImoveError, match="cannot be read: no such file"):
        SpecFile(path, suite.content_hash)
