"""Asking a service over real HTTP: good, slow, busy, broken, endless and refusing ones."""

import dataclasses
import logging
import time
import traceback
from email.utils import formatdate

import numpy as np
import pytest

from imove_bringup.annotation.asking import ask
from imove_bringup.annotation.client import Client, Interrupted, Limits, Unanswered
from imove_bringup.annotation.endpoint import Endpoint
from imove_core.errors import ImoveError

from .annotation_helpers import KEY, QUICK, Waits, answered, client_of, completion, serving, status

GOOD = {
    "super_category": "ware", "category": "mug", "name": "Red mug", "description": "A red mug.", "color": "red",
    "shape": "cylindrical", "material": "ceramic", "height_m": [0.07, 0.12], "mass_kg": [0.2, 0.5],
    "is_graspable": True, "is_container": False, "expressions": ["red mug"],
}  # fmt: skip
IMPATIENT = dataclasses.replace(QUICK, answer_s=1.0)
MESSAGES = [{"role": "user", "content": "?"}]


def complete(*plays, waits=None, limits=QUICK):
    """Has the n-th request played by the n-th play, all further ones by the last."""
    with serving(lambda request, count: plays[min(count, len(plays)) - 1]) as service:
        try:
            return client_of(service, waits, limits).complete("m", MESSAGES, {}), service
        finally:
            assert service.keys == {f"Bearer {KEY}"}


def asked(*plays):
    with serving(lambda request, count: plays[min(count, len(plays)) - 1]) as service:
        return ask(client_of(service), "m", b"png"), service.requests


def silent(handler):
    time.sleep(IMPATIENT.answer_s + 1.0)


def trickle(handler):
    """Never silent for long, never done."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        time.sleep(0.1)


def half_closed(handler):
    """Promises more than it sends."""
    body = completion(GOOD)
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def hang_up(handler):
    handler.close_connection = True


def nonsense(handler):
    handler.wfile.write(b"\x00\xff\x00 no HTTP at all\r\n\r\n")
    handler.close_connection = True


def huge(handler):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(1000):
        handler.wfile.write(b"x" * 10_000)
    handler.close_connection = True


@pytest.mark.parametrize(
    "play",
    [
        half_closed, hang_up, nonsense, huge, status(500), status(503), status(408),
        status(200, b"data: {}\n\ndata: [DONE]\n\n"), status(200, b"[" * 50_000), status(200, b"\xff\xfe"),
        status(200, b'{"choices": []}'), status(200, b'{"choices": [{"message": {"content": 5}}]}'),
    ],
)  # fmt: skip
def test_what_passes_is_asked_again(play):
    waits = Waits()
    result, service = complete(play, answered(GOOD), waits=waits)
    assert result.tokens == 100
    assert len(service.requests) == 2
    assert len(waits) == 1
    assert 0.5 <= waits[0] / QUICK.first_wait_s <= 1.0


@pytest.mark.parametrize("play", [silent, trickle])
def test_what_takes_too_long_is_left(play):
    with pytest.raises(Unanswered, match=r"in 1 attempts; the last one (timed out|took longer than 1 s)"):
        complete(play, limits=dataclasses.replace(IMPATIENT, attempts=1))


def test_waits_double_with_jitter_and_end():
    waits = Waits()
    limits = Limits(attempts=6, longest_wait_s=20.0)
    with pytest.raises(Unanswered, match="m did not answer in 6 attempts; the last one answered with status 500"):
        complete(status(500), waits=waits, limits=limits)
    assert len(waits) == 5
    for number, wait in enumerate(waits):
        assert 0.5 * min(20.0, 2.0 * 2**number) <= wait <= min(20.0, 2.0 * 2**number)
    assert len({wait / 2**number for number, wait in enumerate(waits)}) == 5


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [("7", 7.0, 7.0), ("9999999", 120.0, 120.0), ("soon", 1.0, 2.0), ("-3", 1.0, 2.0), ("date", 20.0, 30.0)],
)
def test_a_busy_service_says_when_to_come_back(header, low, high):
    waits = Waits()
    value = formatdate(time.time() + 30.0, usegmt=True) if header == "date" else header
    complete(status(429, Retry_After=value), answered(GOOD), waits=waits)
    assert low <= waits[0] <= high


def test_a_stop_ends_the_waiting():
    with serving(lambda request, count: status(500)) as service:
        client = client_of(service, lambda seconds: True)
        with pytest.raises(Interrupted):
            client.complete("m", MESSAGES, {})
        assert len(service.requests) == 1


def test_a_refused_key_stops_at_once_and_shows_no_key():
    body = b'{"error": {"message": "bad key ' + KEY.encode() + b'"}}'
    with pytest.raises(ImoveError, match="refuses the key in IMOVE_VLM_KEY") as caught:
        complete(status(401, body))
    assert not isinstance(caught.value, Unanswered)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("code", [301, 307, 400, 403, 404, 422])
def test_a_refused_request_stops_at_once_and_shows_no_key(code):
    # The key stands where cutting the message short would leave a part of it.
    body = b'{"error": {"message": "' + b"no " * 63 + KEY.encode() + b'"}}'
    with pytest.raises(ImoveError, match=f"model 'm' with status {code}") as caught:
        complete(status(code, body, Location="http://127.0.0.1:9/"))
    assert not isinstance(caught.value, Unanswered)
    assert "[key]" in str(caught.value)
    assert KEY[:10] not in str(caught.value)


def test_an_absent_service_is_unanswered_and_no_key_is_logged(caplog):
    with serving(lambda request, count: hang_up) as service:
        client = client_of(service)
    caplog.set_level(logging.DEBUG)
    with pytest.raises(Unanswered) as caught:
        client.complete("m", MESSAGES, {})
    assert KEY not in "".join(traceback.format_exception(caught.value)) + caplog.text


def test_a_good_answer_is_read_at_the_first_request():
    (answer, fault, tokens), requests = asked(answered(GOOD))
    assert (answer.model_dump(mode="json"), fault, tokens, len(requests)) == (GOOD, "", 100, 1)
    schema = requests[0]["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert set(schema["schema"]["properties"]) == set(GOOD) == set(schema["schema"]["required"])


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (answered("no JSON"), "the answer: Invalid JSON"),
        (answered({**GOOD, "mood": "fine"}), "unknown key 'mood'"),
        (answered({**GOOD, "height_m": [0.1]}), "height_m.1: Field required"),
        (answered({**GOOD, "is_graspable": "yes"}), "is_graspable: Input should be a valid boolean"),
        (answered({**GOOD, "mass_kg": [-1, 2]}), "mass_kg.0: Input should be greater than 0"),
        (answered({k: v for k, v in GOOD.items() if k != "color"}), "color: Field required"),
        (answered(GOOD, finish_reason="length"), "the answer was cut off"),
    ],
)
def test_a_bad_answer_is_mended_once(bad, fault):
    (answer, _, tokens), requests = asked(bad, answered(GOOD))
    assert answer is not None
    assert tokens == 200
    assert requests[1]["messages"][:2] == requests[0]["messages"]
    assert fault in requests[1]["messages"][-1]["content"]
    (answer, said, _), requests = asked(bad)
    assert answer is None
    assert fault in said
    assert len(requests) == 2


@pytest.mark.parametrize(
    "refusal",
    [
        answered("", message={"content": None, "refusal": "I'd rather not"}),
        answered("", finish_reason="content_filter"),
    ],
)
def test_a_refusal_is_not_argued_with(refusal):
    (answer, fault, _), requests = asked(refusal)
    assert answer is None
    assert fault.startswith("refused to answer")
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({}, "IMOVE_VLM_URL is not set"),
        ({"IMOVE_VLM_URL": "http://h/v1"}, "IMOVE_VLM_KEY is not set"),
        ({"IMOVE_VLM_URL": "ftp://h/v1", "IMOVE_VLM_KEY": "k"}, "IMOVE_VLM_URL is no base address"),
        ({"IMOVE_VLM_URL": "http://u:p@h/v1", "IMOVE_VLM_KEY": "k"}, "IMOVE_VLM_URL is no base address"),
        ({"IMOVE_VLM_URL": "http://h/v1", "IMOVE_VLM_KEY": "k\nX-Other: 1"}, "IMOVE_VLM_KEY is no key"),
    ],
)
def test_the_environment_is_checked(environ, words):
    with pytest.raises(ImoveError, match=words):
        Endpoint.from_environment(environ)


def test_an_endpoint_does_not_print_its_key():
    endpoint = Endpoint("http://h", KEY)
    assert KEY not in repr(endpoint)
    assert KEY not in repr(vars(Client(endpoint, np.random.default_rng(0), Waits())))
