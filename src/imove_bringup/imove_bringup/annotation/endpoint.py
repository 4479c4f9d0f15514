"""Where models are asked, from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from imove_core.errors import ImoveError

URL_VARIABLE, KEY_VARIABLE = "IMOVE_VLM_URL", "IMOVE_VLM_KEY"


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible service.

    Attributes:
        url: Address of its chat-completions method.
        key: Secret that it knows its caller by; never printed.
    """

    url: str
    key: str = field(repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Endpoint:
        """Reads the base address and the key.

        Raises:
            ImoveError: One is missing or is none; the message names the variable and never its value.
        """
        base, key = environ.get(URL_VARIABLE, ""), environ.get(KEY_VARIABLE, "")
        if not base:
            raise ImoveError(
                f"{URL_VARIABLE} is not set; set it to the base address of an OpenAI-compatible service, such as "
                "http://127.0.0.1:8000/v1"
            )
        if not key:
            raise ImoveError(f"{KEY_VARIABLE} is not set; set it to the service's key, or to any word if it needs none")
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ImoveError(f"{KEY_VARIABLE} is no key; expected printable ASCII characters without blanks")
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise ImoveError(f"{URL_VARIABLE} is no base address; expected http(s)://HOST[:PORT]/PATH and nothing else")
        return cls(base.rstrip("/") + "/chat/completions", key)
