"""A chat-completions service on this host that plays whatever a test needs, and a small corpus to label."""

import base64
import dataclasses
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

from imove_bringup.annotation.client import Client, Limits
from imove_bringup.annotation.corpus import Corpus
from imove_bringup.annotation.endpoint import Endpoint
from imove_bringup.annotation.folder import AnnotationFolder
from imove_bringup.annotation.runner import Runner
from imove_tasks.assets.library import AssetLibrary
from imove_tasks.assets.rows import row_of
from imove_tasks.assets.storage import write_asset, write_index
from imove_tasks.assets.vocabulary import COLORS, SHAPES

KEY = "sk-a-secret-that-must-not-leak"
QUICK = Limits(connect_s=5.0, answer_s=30.0, attempts=3, answer_bytes=200_000)
MODELS = ("first", "second")


def truth(asset):
    """What a model that knows everything says."""
    return {
        "super_category": asset.super_category, "category": asset.category, "name": asset.name,
        "description": f"A {asset.name} for tests.", "color": asset.color, "shape": asset.shape,
        "material": asset.material, "height_m": [asset.height_m * 0.8, asset.height_m * 1.2],
        "mass_kg": [asset.mass_kg * 0.8, asset.mass_kg * 1.2], "is_graspable": bool(asset.grips),
        "is_container": asset.region is not None, "expressions": [f"{asset.color} {asset.phrase}", "funny thing"],
    }  # fmt: skip


def another_color(asset):
    return next(word for word in COLORS if word != asset.color)


def another_shape(asset):
    return next(word for word in SHAPES if word != asset.shape)


def completion(content, **changes):
    """The envelope of an answer."""
    text = content if isinstance(content, str) else json.dumps(content)
    message = {"role": "assistant", "content": text, **changes.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": "stop", **changes}
    return json.dumps({"choices": [choice], "usage": {"total_tokens": 100}}).encode()


def answered(content, **changes):
    """A good HTTP answer; for use as a play."""
    return lambda handler: send(handler, 200, completion(content, **changes))


def status(code, body=b"{}", **headers):
    return lambda handler: send(handler, code, body, **{k.replace("_", "-"): v for k, v in headers.items()})


def send(handler, code, body, **headers):
    handler.send_response(code)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


class Service(ThreadingHTTPServer):
    """Plays `play(request, count)`, a function of the handler; keeps the requests."""

    daemon_threads = True

    def __init__(self, play):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.play = play
        self.requests = []
        self.keys = set()
        self.lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        """Says nothing when a client that has seen enough hangs up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):  # noqa: N802
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(request)
            self.server.keys.add(self.headers["Authorization"])
            count = len(self.server.requests)
        assert self.path == "/v1/chat/completions"
        self.server.play(request, count)(self)

    def log_message(self, *args):
        pass


@contextmanager
def serving(play):
    service = Service(play)
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.shutdown()
        service.server_close()


class Waits(list):
    """Sleeps no time, and remembers how long it should have."""

    def __call__(self, seconds):
        self.append(seconds)
        return False


def client_of(service, waits=None, limits=QUICK):
    endpoint = Endpoint.from_environment({"IMOVE_VLM_URL": service.url, "IMOVE_VLM_KEY": KEY})
    return Client(endpoint, np.random.default_rng(0), Waits() if waits is None else waits, limits, connections=4)


def make_corpus(root, categories):
    """A corpus of one generated object of each category, with ids of its own; gives back the objects."""
    library = AssetLibrary.generate()
    assets = [dataclasses.replace(library.in_category(name)[0], uuid=f"imported-{name}") for name in categories]
    rows = [row_of(asset, "seen", write_asset(asset, root).relative_to(root).as_posix()) for asset in assets]
    write_index(root, rows)
    return assets


def run(root, service, jobs=2):
    """One run of the command's work; gives back totals, corpus and folder."""
    corpus, folder = Corpus(root), AnnotationFolder(root)
    totals = Runner(corpus, folder, client_of(service), MODELS, threading.Event()).run(jobs, lambda: None)
    return totals, corpus, folder


def picture_of(request):
    """PNG bytes that a request shows."""
    url = request["messages"][1]["content"][0]["image_url"]["url"]
    return base64.b64decode(url.removeprefix("data:image/png;base64,"), validate=True)


class Oracle:
    """Plays models that know the assets of a corpus by their pictures.

    Attributes:
        changes: By model and category, what it says otherwise; or a whole play.
    """

    def __init__(self, assets, changes=None):
        from imove_bringup.annotation.measured import look_at

        self.by_picture = {look_at(asset)[1]: asset for asset in assets}
        self.changes = changes or {}

    def __call__(self, request, count):
        asset = self.by_picture[picture_of(request)]
        change = self.changes.get((request["model"], asset.category), {})
        return change if callable(change) else answered({**truth(asset), **change})
