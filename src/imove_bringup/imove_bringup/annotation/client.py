"""Asks a chat-completions service, with patience for what passes and an end to what does not."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np
import urllib3

from imove_bringup.annotation.endpoint import Endpoint
from imove_core.errors import ImoveError

_CHUNK_BYTES = 65536
_SHOWN_CHARACTERS = 200


class Unanswered(ImoveError):
    """A request failed for a reason that may pass; asking again later makes sense."""


class Interrupted(Exception):
    """The run was told to stop while it waited."""


@dataclass(frozen=True)
class Limits:
    """How long, how often and how much.

    Attributes:
        connect_s: To reach the service.
        answer_s: From the request to the end of its answer.
        attempts: Requests before one is given up.
        first_wait_s: Upper limit of the wait before the second attempt; doubled for each further one.
        longest_wait_s: No wait is longer, whatever the service asks for.
        answer_bytes: Size of an answer.
        answer_tokens: Length that a model is allowed, thinking included.
    """

    connect_s: float = 10.0
    answer_s: float = 120.0
    attempts: int = 5
    first_wait_s: float = 2.0
    longest_wait_s: float = 120.0
    answer_bytes: int = 1_000_000
    answer_tokens: int = 8000


@dataclass(frozen=True)
class Completion:
    """What a model wrote.

    Attributes:
        text: Its words.
        truncated: True when it was cut off.
        refusal: Why it would not answer; empty when it did.
        tokens: Tokens that the service counted for question and answer, 0 where it does not say.
    """

    text: str
    truncated: bool
    refusal: str
    tokens: int


class Client:
    """Sends requests; may be used from several threads."""

    def __init__(
        self,
        endpoint: Endpoint,
        rng: np.random.Generator,
        sleep: Callable[[float], bool],
        limits: Limits | None = None,
        *,
        connections: int = 1,
    ) -> None:
        """Opens no connection yet.

        Args:
            endpoint: Whom to ask.
            rng: Spreads waits, so that several callers do not come back at once.
            sleep: Waits for some seconds; true when the run is to stop.
            limits: None for the usual ones.
            connections: Most requests at once.
        """
        self._endpoint = endpoint
        self._rng = rng
        self._sleep = sleep
        self._limits = limits or Limits()
        # No redirects: they would carry the key to an address that the user did not name.
        self._pool = urllib3.PoolManager(maxsize=connections, block=True, retries=False)

    def complete(self, model: str, messages: list[dict[str, Any]], response_format: dict[str, Any]) -> Completion:
        """Has a model answer.

        Raises:
            Unanswered: The service could not be reached, was busy, broke or talked nonsense in every attempt.
            ImoveError: The service refuses the key or the request; asking again is no use.
            Interrupted: `sleep` told so.
        """
        body = json.dumps(
            {
                "model": model,
                "messages": messages,
                "response_format": response_format,
                "max_completion_tokens": self._limits.answer_tokens,
            }
        ).encode()
        for attempt in range(1, self._limits.attempts + 1):
            try:
                status, headers, content = self._post(body)
                self._refuse(status, content, model)
                if status == 200:
                    return _completion(content)
                fault, asked_s = f"answered with status {status}", _retry_after_s(headers.get("Retry-After", ""))
            except (urllib3.exceptions.HTTPError, Unanswered) as error:
                fault, asked_s = self._plain(error), 0.0
            if attempt < self._limits.attempts and self._sleep(self._wait_s(attempt, asked_s)):
                raise Interrupted
        raise Unanswered(f"{model} did not answer in {self._limits.attempts} attempts; the last one {fault}")

    def _post(self, body: bytes) -> tuple[int, urllib3.HTTPHeaderDict, bytes]:
        end_s = time.monotonic() + self._limits.answer_s
        response = self._pool.request(
            "POST",
            self._endpoint.url,
            body=body,
            headers={"Authorization": f"Bearer {self._endpoint.key}", "Content-Type": "application/json"},
            timeout=urllib3.Timeout(connect=self._limits.connect_s, read=self._limits.answer_s),
            redirect=False,
            preload_content=False,
            decode_content=False,
        )
        content = b""
        complete = False
        try:
            while chunk := response.read1(_CHUNK_BYTES):
                content += chunk
                if len(content) > self._limits.answer_bytes:
                    raise Unanswered(f"sent more than {self._limits.answer_bytes} bytes")
                if time.monotonic() > end_s:
                    raise Unanswered(f"took longer than {self._limits.answer_s:g} s")
            complete = True
        finally:
            # Half an answer must not be taken for the beginning of the next one.
            response.release_conn() if complete else response.close()
        return response.status, response.headers, content

    def _refuse(self, status: int, content: bytes, model: str) -> None:
        """Raises an ImoveError for a status that no patience mends."""
        if status == 401:
            raise ImoveError("the service refuses the key in IMOVE_VLM_KEY (status 401); set a valid one")
        if 300 <= status < 500 and status not in (408, 409, 425, 429):
            said = self._without_key(_error_message(content))[:_SHOWN_CHARACTERS]
            raise ImoveError(f"the service refuses requests to model {model!r} with status {status}: {said}")

    def _plain(self, error: Exception) -> str:
        if isinstance(error, urllib3.exceptions.TimeoutError):
            return "timed out"
        if isinstance(error, Unanswered):
            return self._without_key(str(error))
        return f"failed: {self._without_key(str(error))[:_SHOWN_CHARACTERS]}"

    def _without_key(self, text: str) -> str:
        return text.replace(self._endpoint.key, "[key]")

    def _wait_s(self, attempt: int, asked_s: float) -> float:
        """A random wait up to a limit that doubles, but not less than the service asks for."""
        limit_s = self._limits.first_wait_s * 2.0 ** (attempt - 1)
        return float(min(max(limit_s * self._rng.uniform(0.5, 1.0), asked_s), self._limits.longest_wait_s))


def _completion(content: bytes) -> Completion:
    """Reads the envelope of an answer.

    Raises:
        Unanswered: It is not one.
    """
    try:
        whole = json.loads(content)
        choice = whole["choices"][0]
        message = choice["message"]
        text, refusal = message.get("content") or "", message.get("refusal") or ""
        reason, tokens = choice.get("finish_reason"), (whole.get("usage") or {}).get("total_tokens", 0)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Unanswered("sent something that is no chat completion") from error
    if not isinstance(text, str) or not isinstance(refusal, str):
        raise Unanswered("sent a chat completion without text")
    if reason == "content_filter":
        refusal = refusal or "its content filter took the answer"
    return Completion(
        text=text,
        truncated=reason == "length",
        refusal=refusal[:_SHOWN_CHARACTERS],
        tokens=tokens if isinstance(tokens, int) and tokens > 0 else 0,
    )


def _error_message(content: bytes) -> str:
    try:
        message = json.loads(content)["error"]["message"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return "it does not say why"
    return " ".join(str(message).split())


def _retry_after_s(value: str) -> float:
    """Seconds that a Retry-After header asks for, as a number or as a date; 0 when it has neither."""
    if value.isascii() and value.isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0
