"""Runs over a corpus against a service on this host: what is taken, what is queued, what a kill leaves."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from PIL import Image

from imove_bringup.annotation import deciding
from imove_bringup.annotation.corpus import Corpus
from imove_bringup.annotation.deciding import carry_out, reject, take, take_reviewed
from imove_bringup.annotation.folder import AnnotationFolder, hold
from imove_bringup.annotation.labels import Labels
from imove_bringup.annotation.runner import Runner
from imove_core.errors import ImoveError
from imove_tasks.assets.library import open_library
from imove_tasks.assets.storage import read_asset, read_index

from .annotation_helpers import (
    KEY,
    MODELS,
    Oracle,
    another_color,
    another_shape,
    answered,
    client_of,
    make_corpus,
    picture_of,
    run,
    serving,
    status,
    truth,
)  # fmt: skip

CATEGORIES = ("mug", "banana", "stapler", "plate")


def everything_written(root):
    return b"".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file())


def check_whole(root):
    """Every asset of the index is read, and nothing half-written lies about."""
    for row in read_index(root):
        assert read_asset(root / row.origin).content_hash() == row.content_hash
    assert not [path for path in root.rglob("*.partial")]
    urdfs = {path.relative_to(root).as_posix() for path in root.glob("*/*/*/*/*.urdf")}
    assert urdfs == {row.origin for row in read_index(root)}


def test_agreement_is_taken_and_disagreement_waits(tmp_path):
    mug, banana, stapler, plate = assets = make_corpus(tmp_path, CATEGORIES)
    before = {row.uuid: row for row in read_index(tmp_path)}
    oracle = Oracle(
        assets,
        {
            ("first", "mug"): {"description": "Mug of the first model."},
            ("second", "banana"): {"color": another_color(banana)},
            ("first", "stapler"): answered("never JSON"),
            ("second", "plate"): {"height_m": [1.0, 2.0]},
        },
    )
    with serving(oracle) as service:
        totals, corpus, folder = run(tmp_path, service)
    assert (totals.accepted, totals.queued, totals.unanswered, totals.done_before) == (1, 3, [], 0)
    assert totals.tokens == 100 * len(service.requests) == 100 * (2 * 4 + 1)
    after = {row.uuid: row for row in read_index(tmp_path)}
    assert [uuid for uuid in after if after[uuid] != before[uuid]] == [mug.uuid]
    with_words = open_library([tmp_path])
    assert with_words.get(mug.uuid).description == "Mug of the first model."
    assert f"{mug.color} {mug.phrase}" in [item.text for item in with_words.get(mug.uuid).expressions]
    check_whole(tmp_path)
    waiting = {case.uuid: case for case in folder.waiting()}
    assert set(waiting) == {banana.uuid, stapler.uuid, plate.uuid}
    assert waiting[banana.uuid].reasons[0].startswith("color: first says")
    assert waiting[stapler.uuid].reasons[0].startswith("first: the answer: Invalid JSON")
    assert waiting[plate.uuid].reasons[0].startswith("second: height 1 to 2 m, but it is")
    assert Image.open(folder.picture(banana.uuid)).size == (960, 688)
    assert KEY.encode() not in everything_written(tmp_path)


def test_a_request_shows_the_object_and_the_vocabularies(tmp_path):
    assets = make_corpus(tmp_path, ["mug"])
    with serving(Oracle(assets)) as service:
        run(tmp_path, service)
    assert [request["model"] for request in service.requests] == list(MODELS)
    assert picture_of(service.requests[0]).startswith(b"\x89PNG")
    task = service.requests[0]["messages"][0]["content"]
    for word in ("kitchen", "mug", "beige", "ring-shaped", "leather"):
        assert word in task or word == "kitchen"


def test_a_second_run_asks_nothing_again(tmp_path):
    assets = make_corpus(tmp_path, ["mug", "banana"])
    oracle = Oracle(assets, {("second", "banana"): {"shape": another_shape(assets[1])}})
    with serving(oracle) as service:
        run(tmp_path, service)
        asked = len(service.requests)
        totals, _, folder = run(tmp_path, service)
    assert len(service.requests) == asked == 4
    assert (totals.accepted, totals.queued, totals.done_before, totals.tokens) == (0, 0, 2, 0)
    assert len(folder.queue.lines()) == 1


def test_an_answer_that_is_there_is_not_paid_for_twice(tmp_path):
    assets = make_corpus(tmp_path, ["mug"])
    with serving(Oracle(assets, {("second", "mug"): status(500)})) as service:
        totals, _, _ = run(tmp_path, service)
        assert totals.unanswered[0].endswith(
            "second did not answer in 3 attempts; the last one answered with status 500"
        )
        assert (totals.accepted, totals.queued) == (0, 0)
    with serving(Oracle(assets)) as service:
        totals, _, _ = run(tmp_path, service)
        assert [request["model"] for request in service.requests] == ["second"]
    assert totals.accepted == 1


def test_a_dead_service_ends_the_run_after_a_few(tmp_path):
    make_corpus(tmp_path, CATEGORIES)
    with serving(lambda request, count: status(503)) as service, pytest.raises(ImoveError, match="gave up after 3"):
        run(tmp_path, service, jobs=1)
    check_whole(tmp_path)


def test_a_refused_key_ends_the_run_and_changes_nothing(tmp_path):
    make_corpus(tmp_path, ["mug", "banana"])
    before = read_index(tmp_path)
    with serving(lambda request, count: status(401)) as service, pytest.raises(ImoveError, match="refuses the key"):
        run(tmp_path, service)
    assert read_index(tmp_path) == before
    assert KEY.encode() not in everything_written(tmp_path)


def test_one_model_cannot_check_itself(tmp_path):
    make_corpus(tmp_path, ["mug"])
    with serving(status) as service, pytest.raises(ImoveError, match="two different ones"):
        Runner(Corpus(tmp_path), AnnotationFolder(tmp_path), client_of(service), ("m", "m"), threading.Event())


COMMAND = [sys.executable, "-m", "imove_bringup.cli", "assets", "annotate"]


def command(root, service, *more):
    environ = {**os.environ, "IMOVE_VLM_URL": service.url, "IMOVE_VLM_KEY": KEY}
    words = [*COMMAND, str(root), "--model", "first", "--check-model", "second", *more]
    return subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_killed_command_goes_on_where_it_was(tmp_path):
    assets = make_corpus(tmp_path, CATEGORIES)
    oracle = Oracle(assets)
    reached, gate = threading.Event(), threading.Event()

    def play(request, count):
        # The first four answers come; then the service hangs until the command is dead.
        if count > 4 and not gate.is_set():
            reached.set()
            gate.wait(60.0)
        return oracle(request, count)

    with serving(play) as service:
        killed = command(tmp_path, service, "--jobs", "1")
        has_reached = reached.wait(60.0)
        killed.send_signal(signal.SIGKILL)
        assert has_reached, killed.communicate()
        killed.communicate()
        gate.set()
        answers = AnnotationFolder(tmp_path).answers.lines()
        assert len(answers) == 4
        service.requests.clear()
        out, err = (ended := command(tmp_path, service, "--json")).communicate(timeout=60.0)
    assert ended.returncode == 0, err
    totals = json.loads(out)
    assert totals["accepted"] + totals["done_before"] == 4
    assert len(service.requests) == 4
    asked = [(line.uuid, line.model) for line in AnnotationFolder(tmp_path).answers.lines()]
    assert len(set(asked)) == len(asked) == 8
    check_whole(tmp_path)
    assert KEY not in out + err


def test_the_command_says_what_is_missing(tmp_path):
    make_corpus(tmp_path, ["mug"])

    def said(*words, **environ):
        result = subprocess.run(
            [*COMMAND, *words], capture_output=True, text=True, env={**os.environ, **environ}, timeout=60.0
        )
        return result.returncode, result.stderr

    models = ("--model", "a", "--check-model", "b")
    assert said(str(tmp_path)) == (2, "imove: --model and --check-model are needed, the names of two models; or "
                                      "--review to decide by hand\n")  # fmt: skip
    code, text = said(str(tmp_path), *models)
    assert code == 2
    assert text.startswith("imove: IMOVE_VLM_URL is not set")
    code, text = said(str(tmp_path / "other"), *models)
    assert code == 2
    assert "is no corpus folder" in text
    with hold(tmp_path):
        code, text = said(str(tmp_path), *models)
    assert code == 2
    assert "another annotate command works on" in text


def queued_case(root, category="mug", **change):
    """A corpus with one asset that waits."""
    (asset,) = make_corpus(root, [category])
    with serving(Oracle([asset], {("second", category): change or {"shape": another_shape(asset)}})) as service:
        _, corpus, folder = run(root, service)
    (case,) = folder.waiting()
    return asset, case, corpus, folder


def test_a_confirmed_case_takes_the_models_words(tmp_path):
    asset, case, corpus, folder = queued_case(tmp_path)
    (offer, other) = deciding.offers(case)
    assert other.shape == another_shape(asset)
    assert take_reviewed(corpus, folder, case, offer) == "confirmed"
    assert folder.waiting() == ()
    assert open_library([tmp_path]).get(asset.uuid).description == truth(asset)["description"]
    check_whole(tmp_path)


def test_a_corrected_category_moves_the_asset(tmp_path):
    asset, case, corpus, folder = queued_case(tmp_path)
    labels = Labels(category="thermos", color="red", shape="square", material="wood", description="No mug.")
    assert take_reviewed(corpus, folder, case, labels) == "corrected"
    changed = open_library([tmp_path]).get(asset.uuid)
    assert (changed.name, changed.shape) == ("red wood thermos", "square")
    assert read_index(tmp_path)[0].split == "unseen_category"
    check_whole(tmp_path)


def test_an_untrue_phrase_is_refused_and_nothing_happens(tmp_path):
    asset, case, corpus, folder = queued_case(tmp_path)
    labels = Labels.of_asset(asset).model_copy(update={"expressions": (f"{another_color(asset)} mug",)})
    with pytest.raises(ImoveError, match="claims color"):
        take_reviewed(corpus, folder, case, labels)
    assert folder.waiting() == (case,)


def test_a_rejected_case_leaves_the_corpus_with_its_reason(tmp_path):
    asset, case, corpus, folder = queued_case(tmp_path)
    for reason in ("", "  ", "a\nb", "x" * 301):
        with pytest.raises(ImoveError, match="one line with 1 to 300"):
            reject(corpus, folder, case, reason)
    reject(corpus, folder, case, "the handle hangs in the air")
    assert read_index(tmp_path) == ()
    (kept,) = folder.excluded.glob("*/*.urdf")
    assert read_asset(kept) == asset
    assert folder.decisions.lines()[-1].reason == "the handle hangs in the air"
    check_whole(tmp_path)


class Killed(BaseException):
    """Stands for a kill: nothing catches it."""


@pytest.mark.parametrize("at", ["write_asset", "write_index", "rmtree"])
def test_a_decision_that_a_kill_cut_short_is_carried_out(tmp_path, monkeypatch, at):
    from imove_bringup.annotation import corpus as module

    asset, case, corpus, folder = queued_case(tmp_path)
    labels = Labels.of_asset(asset).model_copy(update={"category": "thermos", "description": "New."})

    def killed(*args, **options):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module.shutil if at == "rmtree" else module, at, killed)
        with pytest.raises(Killed):
            take(corpus, folder, asset, labels, "corrected")
    corpus, folder = Corpus(tmp_path), AnnotationFolder(tmp_path)
    assert folder.waiting() == ()
    carry_out(corpus, folder)
    assert open_library([tmp_path]).get(asset.uuid).description == "New."
    check_whole(tmp_path)


@pytest.mark.parametrize("finished", [True, False])
def test_what_a_kill_left_of_writing_is_tidied_up(tmp_path, finished):
    (asset,) = make_corpus(tmp_path, ["mug"])
    home = (tmp_path / read_index(tmp_path)[0].origin).parent
    (home.parent / ".imported-mug.abc.partial" / "mesh").mkdir(parents=True)
    former = home.parent / ".imported-mug.def.former"
    former.mkdir()
    if finished:
        (former / home.name).mkdir()
    else:
        home.rename(former / home.name)
    Corpus(tmp_path).tidy()
    assert [path.name for path in home.parent.iterdir()] == [home.name]
    assert open_library([tmp_path]).get(asset.uuid) == asset


@pytest.mark.parametrize("at", ["write_index", "replace"])
def test_a_rejection_that_a_kill_cut_short_is_carried_out(tmp_path, monkeypatch, at):
    from imove_bringup.annotation import corpus as module

    _, case, corpus, folder = queued_case(tmp_path)

    def killed(*args, **options):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module.os if at == "replace" else module, at, killed)
        with pytest.raises(Killed):
            reject(corpus, folder, case, "no good")
    corpus, folder = Corpus(tmp_path), AnnotationFolder(tmp_path)
    carry_out(corpus, folder)
    assert read_index(tmp_path) == ()
    assert len(list(folder.excluded.glob("*/*.urdf"))) == 1
    check_whole(tmp_path)


def test_what_is_imported_anew_keeps_its_decision(tmp_path):
    asset, case, corpus, folder = queued_case(tmp_path)
    take_reviewed(corpus, folder, case, Labels.of_asset(asset).model_copy(update={"description": "By hand."}))
    make_corpus(tmp_path, ["mug"])
    corpus, folder = Corpus(tmp_path), AnnotationFolder(tmp_path)
    carry_out(corpus, folder)
    assert open_library([tmp_path]).get(asset.uuid).description == "By hand."
