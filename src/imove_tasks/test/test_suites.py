"""Suite files: what was frozen is read back, and nothing else is."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.canonical import canonical_json, sha256_of_text
from imove_core.errors import ImoveError
from imove_core.spec import EpisodeSpec
from imove_tasks.suites import Suite, open_suite, parse_suite, suite_name, suite_names, write_suite

from .drawn_scenes import scene_of, spec_of


def make_suite() -> Suite:
    specs = tuple(spec_of(scene_of("pick_category", index)) for index in range(3))
    return Suite("pick_category/seen", 3, "ab12cd", specs)


SUITE = make_suite()
CONTENT = SUITE.to_text().encode()
WHERE = "mine.jsonl"


def refrozen(change: Callable[[dict[str, object]], object], lines: list[str] | None = None) -> bytes:
    """A file whose header was changed and whose hash was made to fit."""
    header_line, *specs = SUITE.to_text().splitlines()
    specs = specs if lines is None else lines
    header = json.loads(header_line)
    change(header)
    header.pop("content_hash", None)
    content_hash = sha256_of_text("\n".join([canonical_json(header), *specs]))
    return "\n".join([canonical_json({**header, "content_hash": content_hash}), *specs, ""]).encode()


def with_id(spec: EpisodeSpec, spec_id: str) -> EpisodeSpec:
    return spec.model_copy(update={"id": spec_id})


def test_round_trip_through_a_file(tmp_path: Path) -> None:
    path = tmp_path / "suites" / "mine.jsonl"
    write_suite(SUITE, path)
    read = open_suite(str(path))
    assert read == SUITE
    assert read.content_hash == SUITE.content_hash
    assert path.read_bytes() == CONTENT
    assert [entry.name for entry in path.parent.iterdir()] == ["mine.jsonl"]


def test_one_json_value_a_line() -> None:
    header, *specs = CONTENT.decode().split("\n")[:-1]
    assert json.loads(header)["episodes"] == len(specs) == 3
    assert [EpisodeSpec.from_json(line) for line in specs] == list(SUITE.specs)


@given(position=st.integers(0, len(CONTENT) - 1), byte=st.integers(0, 255))
@settings(deadline=None, derandomize=True, max_examples=400)
def test_one_changed_byte_anywhere_is_refused(position: int, byte: int) -> None:
    changed = CONTENT[:position] + bytes([byte]) + CONTENT[position + 1 :]
    if changed == CONTENT:
        return
    with pytest.raises(ImoveError):
        parse_suite(changed, WHERE)


@pytest.mark.parametrize("byte", b"\n\r \t\x0b\x0c\x1c\x85,\x00")
def test_line_ends_and_blanks_count(byte: int) -> None:
    ends = [index for index, value in enumerate(CONTENT) if value == ord("\n")]
    commas = [CONTENT.index(b","), CONTENT.rindex(b",")]
    for position in (*ends, *commas):
        if CONTENT[position] != byte:
            with pytest.raises(ImoveError):
                parse_suite(CONTENT[:position] + bytes([byte]) + CONTENT[position + 1 :], WHERE)


@given(position=st.integers(0, len(CONTENT)), text=st.sampled_from(["\n", " ", "0", "\r", "}"]))
@settings(deadline=None, derandomize=True)
def test_one_byte_more_anywhere_is_refused(position: int, text: str) -> None:
    with pytest.raises(ImoveError):
        parse_suite(CONTENT[:position] + text.encode() + CONTENT[position:], WHERE)


@given(length=st.integers(0, len(CONTENT) - 1))
@settings(deadline=None, derandomize=True)
def test_a_truncated_file_is_refused(length: int) -> None:
    with pytest.raises(ImoveError):
        parse_suite(CONTENT[:length], WHERE)


def test_lines_dropped_doubled_or_swapped_are_refused() -> None:
    header, first, second, third = CONTENT.decode().split("\n")[:-1]
    for lines in ([first, second], [first, second, third, third], [second, first, third]):
        with pytest.raises(ImoveError, match=r"suite mine.jsonl was changed after it was frozen: its content hash is "):
            parse_suite("\n".join([header, *lines, ""]).encode(), WHERE)


def test_a_text_may_hold_any_separator() -> None:
    spec = SUITE.specs[0]
    odd = spec.instructions["normal"].model_copy(update={"text": "pick up\u2028the\u0085mug"})
    spec = spec.model_copy(update={"instructions": {**spec.instructions, "normal": odd}})
    suite = Suite("odd", 0, "", (spec,))
    assert parse_suite(suite.to_text().encode(), WHERE) == suite


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda h: h.update(schema_version=1), "line 1: schema_version: Input should be 2, got 1"),
        (lambda h: h.pop("seed"), "line 1: seed: Field required"),
        (lambda h: h.update(author="me"), "line 1: the header: unknown key 'author'; allowed: schema_version, name, "),
        (lambda h: h.update(name=7), "line 1: name: .* string, got 7"),
        (lambda h: h.update(seed=-1), "line 1: seed: .* greater than or equal to 0, got -1"),
        (lambda h: h.update(seed="3"), "was changed after it was frozen"),
        (lambda h: h.update(episodes=2), "was changed after it was frozen"),
    ],
)
def test_header_faults_are_named_even_where_the_hash_fits(
    change: Callable[[dict[str, object]], object], sentence: str
) -> None:
    with pytest.raises(ImoveError, match=f"suite mine.jsonl:? {sentence}"):
        parse_suite(refrozen(change), WHERE)


@pytest.mark.parametrize("content", [b"", b"\n", b"words\n", b"[]\n", b"null\n", CONTENT.split(b"\n", 1)[1]])
def test_what_has_no_header_is_refused(content: bytes) -> None:
    with pytest.raises(ImoveError, match="suite mine.jsonl: line 1: "):
        parse_suite(content, WHERE)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ImoveError, match="suite mine.jsonl: byte 3 is not UTF-8"):
        parse_suite(b'{"a\xff":1}\n', WHERE)


def test_specs_that_break_the_schema_or_its_writing_are_refused_even_where_the_hash_fits() -> None:
    loose = [json.dumps(json.loads(spec.to_json())) for spec in SUITE.specs]
    with pytest.raises(ImoveError, match="suite mine.jsonl was changed after it was frozen: it is not written as"):
        parse_suite(refrozen(lambda header: None, loose), WHERE)
    with pytest.raises(ImoveError, match="episode spec: the spec: unknown key 'x'"):
        parse_suite(refrozen(lambda header: None, ['{"x":1}']), WHERE)


def test_a_suite_has_episodes_and_each_once() -> None:
    with pytest.raises(ImoveError, match="suite none has no episode; at least 1 is needed"):
        Suite("none", 0, "", ())
    first, second, _ = SUITE.specs
    with pytest.raises(ImoveError, match="suite twice has 2 episodes with the id pick_category/seen/000; each id is"):
        Suite("twice", 0, "", (first, with_id(second, first.id)))


def test_hash_depends_on_header_and_specs() -> None:
    others = [
        Suite("other", 3, "ab12cd", SUITE.specs),
        Suite(SUITE.name, 4, "ab12cd", SUITE.specs),
        Suite(SUITE.name, 3, "ab12ce", SUITE.specs),
        Suite(SUITE.name, 3, "ab12cd", SUITE.specs[:2]),
        Suite(SUITE.name, 3, "ab12cd", SUITE.specs[::-1]),
        Suite(SUITE.name, 3, "ab12cd", (with_id(SUITE.specs[0], "else"), *SUITE.specs[1:])),
    ]
    assert len({SUITE.content_hash, *(suite.content_hash for suite in others)}) == 7


@pytest.mark.parametrize("episodes", [0, -1, 4])
def test_more_episodes_than_there_are_is_refused(episodes: int) -> None:
    assert list(SUITE.first(2)) == list(SUITE.specs[:2])
    with pytest.raises(ImoveError, match=f"episodes is {episodes}; suite pick_category/seen has 1 to 3"):
        SUITE.first(episodes)


def test_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(ImoveError, match="unknown suite 'pick_everything/seen'; allowed: "):
        open_suite("pick_everything/seen")
    with pytest.raises(ImoveError, match=r"suite file .*none.jsonl does not exist"):
        open_suite(str(tmp_path / "none.jsonl"))


@pytest.mark.parametrize("name", suite_names())
def test_every_shipped_suite_opens_under_its_name(name: str) -> None:
    suite = open_suite(name)
    assert suite.name == name
    assert len(suite.specs) == 100
    assert {suite_name(spec.family, spec.split, spec.rig) for spec in suite.specs} == {name}
