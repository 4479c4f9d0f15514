"""One text for one value, and files that are whole or not there."""

import errno
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.canonical import canonical_json, sha256_of_text, write_text_atomically

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    scalars | texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
)


@given(value=values)
@settings(deadline=None, derandomize=True)
def test_text_is_one_line_and_reads_back_as_the_value(value: object) -> None:
    text = canonical_json(value)
    assert "\n" not in text
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text


@given(items=st.dictionaries(texts, scalars, max_size=6), rng=st.randoms(use_true_random=False))
@settings(deadline=None, derandomize=True)
def test_order_of_keys_does_not_matter(items: dict[str, object], rng: object) -> None:
    shuffled = list(items.items())
    rng.shuffle(shuffled)
    assert canonical_json(dict(shuffled)) == canonical_json(items)


def test_text_has_no_blanks_and_no_escapes() -> None:
    assert canonical_json({"b": [1, 0.1], "a": "Größe"}) == '{"a":"Größe","b":[1,0.1]}'


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_lacks_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json({"x": number})


def test_hash_is_sha256_of_utf8() -> None:
    assert sha256_of_text("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256_of_text("ö") == "6dbd11fd012e225b28a5d94a9b432bc491344f3e92158661be2ae5ae2b8b1ad8"


def test_write_replaces_the_old_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    write_text_atomically(path, "old")
    write_text_atomically(path, "new ö\n")
    assert path.read_bytes() == "new ö\n".encode()
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_full_disk_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text("old")
    # In a process of its own: the limit on file sizes would hold for the test runner too.
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from imove_core.canonical import write_text_atomically\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try:\n"
        "    write_text_atomically(Path(sys.argv[1]), 'x' * 100_000)\n"
        "except OSError as error:\n"
        "    print(type(error).__name__, error.errno)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["OSError", str(errno.EFBIG)]
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["result.json"]


def test_text_that_is_no_utf8_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_text_atomically(tmp_path / "result.json", "lone surrogate \ud800")
    assert not list(tmp_path.iterdir())


def test_missing_folder_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_text_atomically(tmp_path / "nowhere" / "result.json", "x")
