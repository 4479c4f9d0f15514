"""Snapshots: round trip, immutability; composition: counts, splits, replaced failures; rows."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imove_core.canonical import canonical_json
from imove_tasks.assets import AssetError
from imove_tasks.assets.composition import (
    TOTAL,
    Verdict,
    compose,
    compose_category,
    instances_by_category,
    read_verdicts,
)
from imove_tasks.assets.rows import SPLITS, Row, in_order, row_of
from imove_tasks.assets.snapshots import Excluded, Snapshot, parse_snapshot, read_snapshot, write_snapshot
from imove_tasks.assets.sources import GeneratedSource
from imove_tasks.assets.taxonomy import CATEGORIES, DOMAINS

words = st.text("abc é_/\u2028", min_size=1, max_size=6)
lengths = st.floats(1e-4, 10.0)
rows = st.builds(
    Row,
    uuid=st.uuids().map(str),
    **dict.fromkeys(("name", "domain", "super_category", "category", "color", "shape", "material", "origin"), words),
    size_bucket=st.sampled_from(["small", "medium", "large"]),
    tags=st.sampled_from([(), ("is_container",), ("is_container", "is_graspable")]),
    mass_kg=lengths,
    extents_m=st.tuples(lengths, lengths, lengths),
    split=st.sampled_from(SPLITS),
    content_hash=st.text("0123456789abcdef", min_size=64, max_size=64),
)
exclusions = st.builds(Excluded, uuid=st.uuids().map(str), name=words, reason=words)
snapshots = st.builds(
    Snapshot,
    name=words,
    rows=st.lists(rows, min_size=1, max_size=5, unique_by=lambda row: row.uuid).map(tuple),
    excluded=st.lists(exclusions, max_size=3, unique_by=lambda item: item.uuid).map(tuple),
)


def row(index: int = 0, **changes: object) -> Row:
    """A plausible row of a mug."""
    made = row_of(GeneratedSource().load("generated/mug/0/0"), "seen", f"generated/mug/0/{index}")
    return made.model_copy(update={"uuid": f"id-{index}", **changes})


@given(snapshots)
def test_snapshot_survives_its_file(snapshot):
    assert parse_snapshot(snapshot.to_text().encode(), "here") == snapshot


@given(snapshots, st.randoms(use_true_random=False))
def test_order_in_which_rows_are_given_does_not_matter(snapshot, random):
    shuffled = list(snapshot.rows)
    random.shuffle(shuffled)
    assert Snapshot(snapshot.name, tuple(shuffled), snapshot.excluded[::-1]).to_text() == snapshot.to_text()


@settings(max_examples=300)
@given(snapshots, st.data())
def test_changed_byte_is_refused(snapshot, data):
    content = bytearray(snapshot.to_text().encode())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(AssetError, match="^snapshot here"):
        parse_snapshot(bytes(content), "here")


@given(rows)
def test_row_survives_its_line(made):
    assert Row.from_json(made.to_json()) == made
    assert "\n" not in made.to_json()


def test_instances_are_in_numeric_order():
    assert [made.origin for made in in_order(row(index) for index in (10, 2, 0))] == [
        f"generated/mug/0/{index}" for index in (0, 2, 10)
    ]


def test_snapshot_is_written_once_and_never_changed(tmp_path):
    path = tmp_path / "folder" / "a.jsonl"
    first, second = Snapshot("a", (row(),)), Snapshot("a", (row(), row(1)))
    write_snapshot(first, path)
    write_snapshot(first, path)
    with pytest.raises(AssetError, match=r"a\.jsonl holds another snapshot, and snapshots never change"):
        write_snapshot(second, path)
    assert read_snapshot(path) == first
    assert [item.name for item in path.parent.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Snapshot("a", ()), "snapshot a has no asset; at least 1 is needed"),
        (lambda: Snapshot("a", (row(), row(0, origin="b"))), "of b has the id id-0, which .* of generated/mug/0/0 has"),
        (
            lambda: Snapshot("a", (row(),), (Excluded(uuid="id-0", name="red mug", reason="slips"),)),
            "snapshot a excludes 'red mug' .id-0., whose id is in it already",
        ),
        (lambda: read_snapshot(Path("/nowhere.jsonl")), "snapshot file /nowhere.jsonl does not exist"),
        (lambda: parse_snapshot(b"", "here"), "snapshot here: line 1"),
        (lambda: parse_snapshot(b"\xff", "here"), "snapshot here: byte 0 is not UTF-8"),
        (lambda: Row.from_json("{}"), "not a row of an asset table: uuid: Field required"),
        (lambda: Row.from_json('{"colour": "red"}'), "unknown key 'colour'; allowed: uuid, name"),
        (lambda: row(tags=("is_soft",)), "tags are"),
        (lambda: row(split="train"), "split"),
        (lambda: row(mass_kg=-1.0), "mass_kg"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(make, message):
    with pytest.raises((AssetError, ValueError), match=message):
        make()


def test_rows_out_of_order_are_refused_although_the_hash_is_right():
    snapshot = Snapshot("a", (row(), row(1)))
    object.__setattr__(snapshot, "rows", snapshot.rows[::-1])
    with pytest.raises(AssetError, match="it is not written as a snapshot with its content is"):
        parse_snapshot(snapshot.to_text().encode(), "here")


def test_total_is_spread_evenly_and_the_rest_over_the_domains():
    counts = instances_by_category(tuple(CATEGORIES))
    assert sum(counts.values()) == TOTAL
    assert set(counts.values()) == {17, 18}
    more = [name for name, count in counts.items() if count == 18]
    assert len(more) == 6
    assert len({CATEGORIES[name].domain for name in more}) == 6
    assert more == [next(iter(next(iter(groups.values())))) for groups in list(DOMAINS.values())[:6]]


def test_total_that_is_too_small_is_refused():
    with pytest.raises(AssetError, match="2 objects cannot be of 3 categories"):
        instances_by_category(("mug", "bowl", "apple"), 2)


def failing(*indices: int) -> dict[tuple[str, str], Verdict]:
    """Verdicts of the first six mugs, some of which failed."""
    verdicts = {}
    for index in range(6):
        mug = GeneratedSource().load(f"generated/mug/0/{index}")
        passed = index not in indices
        verdict = Verdict(
            uuid=mug.uuid, content_hash=mug.content_hash(), passed=passed, reason="" if passed else f"slips {index}"
        )
        verdicts[verdict.uuid, verdict.content_hash] = verdict
    return verdicts


def test_failed_objects_are_listed_and_replaced_by_the_next_ones():
    part = compose_category("mug", 6, 0, failing(1, 3))
    assert [made.origin for made in part.rows] == [f"generated/mug/0/{index}" for index in (0, 2, 4, 5, 6, 7)]
    assert [item.reason for item in part.excluded] == ["slips 1", "slips 3"]
    assert part.unchecked == tuple(made.uuid for made in part.rows[-2:])
    assert [made.split for made in part.rows] == ["seen"] * 4 + ["unseen_instance"] * 2


def test_verdict_on_other_content_says_nothing():
    changed = {
        (uuid, "0" * 64): verdict.model_copy(update={"content_hash": "0" * 64})
        for (uuid, _), verdict in failing(0, 1, 2).items()
    }
    part = compose_category("mug", 3, 0, changed)
    assert part.excluded == ()
    assert len(part.unchecked) == 3


def test_category_of_which_too_few_objects_pass_is_refused():
    with pytest.raises(AssetError, match="only 2 of the first 6 objects of 'mug' passed, 3 are needed; .*: slips 5"):
        compose_category("mug", 3, 0, failing(1, 3, 4, 5))


def test_all_categories_are_composed(monkeypatch):
    monkeypatch.setattr("imove_tasks.assets.composition.BUILDERS", dict.fromkeys(("mug", "pear")))
    parts = list(compose(3, 0, failing(), workers=1))
    splits = {made.split for part in parts for made in part.rows if made.category == "pear"}
    assert sum(len(part.rows) for part in parts) == 3
    assert splits == {"unseen_category"}


def test_results_file_is_read_with_its_figures_and_the_last_verdict_holds(tmp_path):
    line = {"uuid": "a", "content_hash": "b", "passed": False, "reason": "slips", "successes": 40}
    path = tmp_path / "results.jsonl"
    path.write_text(f"{canonical_json(line)}\n{canonical_json({**line, 'passed': True})}\n")
    assert read_verdicts(path)["a", "b"].passed is True


@pytest.mark.parametrize(("text", "message"), [("[]", "line 1"), ('{"uuid": "a"}', "line 1: content_hash")])
def test_broken_results_are_refused(tmp_path, text, message):
    path = tmp_path / "results.jsonl"
    with pytest.raises(AssetError, match="results file .* does not exist"):
        read_verdicts(path)
    path.write_text(text)
    with pytest.raises(AssetError, match=message):
        read_verdicts(path)
