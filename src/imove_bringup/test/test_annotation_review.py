"""The review page: what the server lets through, and a person's work in a real browser."""

import http.client
import json
import threading
from contextlib import contextmanager

import pytest
from tests.browser import CHROMIUM, browsing

from imove_bringup.annotation.corpus import Corpus
from imove_bringup.annotation.folder import AnnotationFolder
from imove_bringup.annotation.server import TOKEN_HEADER, ReviewServer
from imove_core.errors import ImoveError
from imove_tasks.assets.library import open_library
from imove_tasks.assets.storage import read_index

from .annotation_helpers import Oracle, another_color, another_shape, answered, make_corpus, run, serving, truth

CATEGORIES = ("mug", "banana", "stapler", "plate")


def make_queue(root):
    """Four assets that wait: two colours, an answer that is none, a wrong height, and a hostile description."""
    mug, banana, stapler, plate = assets = make_corpus(root, CATEGORIES)
    changes = {
        ("second", "mug"): {"color": another_color(mug), "expressions": ["The Mug!", "drinking mug"]},
        ("first", "banana"): answered("never JSON"),
        ("second", "stapler"): {"height_m": [1.0, 2.0], "material": "wood"},
        ("first", "plate"): {
            "description": "<img src=x onerror=alert(1)><script>document.title='owned'</script>",
            "shape": another_shape(plate)},
    }  # fmt: skip
    with serving(Oracle(assets, changes)) as service:
        run(root, service, jobs=1)
    return assets


@contextmanager
def reviewing(root, port=0):
    with ReviewServer(Corpus(root), AnnotationFolder(root), port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def request(server, method, path, body=None, **headers):
    """Status, headers and body; `path` is put behind the token unless it begins with a slash."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20.0)
    try:
        whole = path if path.startswith("/") else f"/{server.token}/{path}"
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, whole, data, {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()
    finally:
        connection.close()


def post(server, path, body, **headers):
    status, _, content = request(server, "POST", path, body, **{TOKEN_HEADER: server.token, **headers})
    return status, json.loads(content)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    root = tmp_path_factory.mktemp("waiting")
    make_queue(root)
    with reviewing(root) as server:
        yield server


def test_nothing_is_served_without_the_token_or_under_another_name(waiting):
    assert waiting.server_address[0] == "127.0.0.1"
    for path in ("/", "/overview", f"/{waiting.token[:-1]}/overview", f"/{waiting.token}", "/%00", "//"):
        assert request(waiting, "GET", path)[0] == 404
    assert request(waiting, "GET", "overview", Host="evil.example")[0] == 404
    assert request(waiting, "GET", "overview", Host=f"localhost:{waiting.server_port}")[0] == 200


@pytest.mark.parametrize(
    "path", ["../../index.jsonl", "picture/..%2f..%2findex.jsonl", "picture/../x", "case/", "x.js"]
)
def test_nothing_else_is_served(waiting, path):
    assert request(waiting, "GET", path)[0] == 404


def test_every_answer_forbids_what_the_page_does_not_need(waiting):
    for path in ("", "review.js", "form.js", "style.css", "overview", "picture/imported-mug", "nothing"):
        _, headers, body = request(waiting, "GET", path)
        kind = headers["Content-Type"]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers
        assert b"http" not in body or kind == "image/png"


def test_posts_without_the_header_are_refused(waiting):
    body = {"uuid": "imported-mug", "reason": "forged"}
    assert request(waiting, "POST", "reject", body)[0] == 403
    assert request(waiting, "POST", "reject", body, **{TOKEN_HEADER: "x"})[0] == 403
    assert request(waiting, "POST", "reject", body, **{TOKEN_HEADER: waiting.token}, Host="evil.example")[0] == 404
    assert request(waiting, "GET", "reject", **{TOKEN_HEADER: waiting.token})[0] == 404
    assert len(json.loads(request(waiting, "GET", "overview")[2])["waiting"]) == 4


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("reject", b"{", 400, "no JSON object"),
        ("reject", b"[" * 9000, 400, "no JSON object"),
        ("reject", [], 400, "no JSON object"),
        ("reject", b" " * 70_000, 413, "65536 bytes"),
        ("reject", {}, 422, "['reason', 'uuid'] are needed"),
        ("reject", {"uuid": "imported-mug", "reason": 5}, 422, "text is needed"),
        ("reject", {"uuid": "imported-mug", "reason": ""}, 422, "a reason of one line"),
        ("reject", {"uuid": "nobody", "reason": "x"}, 404, "no object with the id 'nobody' waits"),
        ("reject", {"uuid": ["imported-mug"], "reason": "x"}, 404, "waits"),
        ("accept", {"uuid": "imported-mug", "labels": []}, 422, "an object is needed"),
        ("accept", {"uuid": "imported-mug", "labels": {}}, 422, "Field required"),
        ("delete", {"uuid": "imported-mug"}, 404, "no such page"),
    ],
)
def test_bad_posts_are_refused_with_one_sentence(waiting, path, body, status, words):
    code, answer = post(waiting, path, body)
    assert code == status
    assert words in answer["error"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"color": "mauve"}, "unknown color 'mauve'"),
        ({"category": "chalice"}, "unknown category 'chalice'"),
        ({"expressions": ["the mug"]}, "has the article 'the'"),
        ({"expressions": ["banana"]}, "claims category 'banana', but it is 'mug'"),
        ({"mood": "fine"}, "unknown key 'mood'"),
    ],
)
def test_the_server_checks_labels_too(waiting, change, words):
    case = json.loads(request(waiting, "GET", "case/imported-mug")[2])
    code, answer = post(waiting, "accept", {"uuid": "imported-mug", "labels": {**case["current"], **change}})
    assert code == 422
    assert words in answer["error"]


def test_a_taken_port_is_said(waiting):
    with pytest.raises(ImoveError, match=f"port {waiting.server_port} cannot be served"):
        ReviewServer(Corpus(waiting.desk._corpus.root), waiting.desk._folder, waiting.server_port)


def test_a_decided_case_cannot_be_decided_again(tmp_path):
    (mug,) = make_corpus(tmp_path, ["mug"])
    with serving(Oracle([mug], {("second", "mug"): {"shape": another_shape(mug)}})) as service:
        run(tmp_path, service)
    with reviewing(tmp_path) as server:
        labels = json.loads(request(server, "GET", "case/imported-mug")[2])["models"][0]["offer"]
        body = {"uuid": "imported-mug", "labels": labels}
        assert post(server, "accept", body) == (200, {"action": "confirmed", "waiting": 0})
        assert post(server, "accept", body)[0] == 404
        assert post(server, "reject", {"uuid": "imported-mug", "reason": "late"})[0] == 404
    assert open_library([tmp_path]).get("imported-mug").description == labels["description"]


def shows(page, asset):
    """Waits until the page shows an asset."""
    page.wait("document.querySelector('#name')?.textContent === " + json.dumps(asset.name))


def pick(page, asset):
    """Clicks an asset in the queue."""
    name = json.dumps(asset.name)
    page.run(f"[...document.querySelectorAll('#queue button')].find(b => b.textContent.startsWith({name})).click()")
    shows(page, asset)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")
def test_a_person_decides_in_a_browser(tmp_path):
    root = tmp_path / "corpus"
    root.mkdir()
    mug, banana, stapler, plate = make_queue(root)
    with browsing(tmp_path / "profile") as page:
        with reviewing(root) as server:
            page.open(server.url)
            shows(page, stapler)
            assert page.text("#count") == "0 of 4 decided, 4 wait"
            pick(page, mug)
            page.wait("document.querySelector('#picture img').naturalWidth === 960")
            # What differs is marked in both columns, and what measurement denies as well.
            marked = "[...document.querySelectorAll('td.differs')].map((cell) => cell.textContent)"
            assert page.run(marked) == [mug.color, another_color(mug)]
            assert page.text("td.bad") == another_color(mug)
            assert "'The Mug!' is not a phrase" in page.text("#answers")
            page.screenshot(tmp_path / "mug.png")
            # The second model's words, then the first one's again, all by keyboard.
            page.press("2")
            assert page.run("document.querySelector('#color').value") == another_color(mug)
            page.press("1")
            assert page.text("#accept-text") == "Confirm"
            page.press("Enter", ctrl=True)

            shows(page, stapler)
            assert page.text("#count") == "1 of 4 decided, 3 wait"
            pick(page, plate)
            # Words of a model are text, whatever they look like.
            assert page.run("document.querySelector('#answers img, #answers script')") is None
            assert page.run("document.title") == "imove · review of object labels"
            page.run("document.querySelector('#description').value = 'A plain plate.'")
            page.run(
                "document.querySelector('#material').value = 'wax'; "
                "document.querySelector('#material').dispatchEvent(new Event('input', {bubbles: true}))"
            )
            assert page.text("#accept-text") == "Correct"
            page.screenshot(tmp_path / "plate.png", dark=True)
            page.run("document.querySelector('.accept').click()")
            page.wait("document.querySelector('#count').textContent === '2 of 4 decided, 2 wait'")

            shows(page, stapler)
            page.press("j")
            shows(page, banana)
            assert "Invalid JSON" in page.text("#answers")
            # A phrase that is not true is refused, and nothing typed is lost.
            page.press("e")
            assert page.run("document.activeElement.id") == "category"
            page.run("document.querySelector('#expressions').focus()")
            page.run("document.activeElement.setSelectionRange(999, 999)")
            page.type("\nblue mug")
            page.press("Enter", ctrl=True)
            page.wait("document.querySelector('#error').textContent.includes('claims category')")
            assert page.run("document.querySelector('#expressions').value").endswith("blue mug")
            page.screenshot(tmp_path / "banana.png")
            page.press("Escape")
            page.press("x")
            page.type("too ripe")
            page.press("Enter")
            shows(page, stapler)
        # The server is gone: said in one sentence. A new one goes on where the old one was.
        page.press("Enter", ctrl=True)
        page.wait("document.querySelector('#error').textContent.includes('has ended')")
        expected = ("ERR_CONNECTION_REFUSED", "status of 422")
        assert [text for text in page.troubles() if not any(part in str(text) for part in expected)] == []
        page.events.clear()
        with reviewing(root) as server:
            page.open(server.url)
            page.wait("document.querySelector('#count')?.textContent === '3 of 4 decided, 1 wait'")
            shows(page, stapler)
            page.press("0")
            page.press("Enter", ctrl=True)
            page.wait("!document.querySelector('#empty').hidden")
            assert page.text("#count") == "4 of 4 decided, 0 wait"
            page.screenshot(tmp_path / "empty.png")
            assert page.troubles() == []
    decisions = {line.uuid: line for line in AnnotationFolder(root).decisions.lines()}
    assert {uuid: line.action for uuid, line in decisions.items()} == {
        mug.uuid: "confirmed", banana.uuid: "rejected", plate.uuid: "corrected", stapler.uuid: "corrected",
    }  # fmt: skip
    assert decisions[banana.uuid].reason == "too ripe"
    assert {row.uuid for row in read_index(root)} == {mug.uuid, stapler.uuid, plate.uuid}
    library = open_library([root])
    assert library.get(mug.uuid).description == truth(mug)["description"]
    assert library.get(plate.uuid).material == "wax"
