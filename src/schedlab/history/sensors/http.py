"""Ask a web service for JSON; each way in which it can fail has a one-line error."""

from __future__ import annotations

import json
import re
import time
import weakref
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.command_files import read_secret
from schedlab.errors import InputError, ParameterError, SensorError

if TYPE_CHECKING:
    import httpx

# Time for which a server that was down is not asked again, or each job would wait for it.
REST_S = 30.0


class JsonService:
    """A web service that answers in JSON.

    Args:
        url: URL to which paths are appended.
        timeout_s: how long an answer may take, from the request to the last byte that is read.
        token_file: file whose text is sent as a bearer token.
    """

    def __init__(self, url: str, timeout_s: float, token_file: Path | None = None) -> None:
        self.url = url.rstrip("/")
        self.timeout_s = timeout_s
        self.token_file = token_file
        self._down: SensorError | None = None
        self._down_until = 0.0

    def ask(self, path: str, **content: Any) -> Any:
        """Send a POST request to a path; ``data`` is sent as a form, ``json`` as JSON."""
        if self._down is not None and time.monotonic() < self._down_until:
            raise self._down
        status, text = self._answer(path, content)
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if status >= 300 and not (isinstance(answer, dict) and "error" in answer):
            raise self.fault(f"answered with status {status}: {_shown(text)}")
        if answer is None:
            raise self.fault(f"answered with something other than JSON: {_shown(text)}")
        return answer

    def fault(self, reason: str) -> SensorError:
        """Return an error of the service, with its URL but without a password in it."""
        return SensorError(f"{self.shown}: {reason}")

    @property
    def shown(self) -> str:
        """The URL as messages may show it."""
        return re.sub("//[^/@]*@", "//", self.url)

    def _answer(self, path: str, content: Mapping[str, Any]) -> tuple[int, bytes]:
        import httpx

        deadline = time.monotonic() + self.timeout_s
        try:
            with self._client.stream("POST", self.url + path, **content) as response:
                parts = []
                for part in response.iter_bytes():
                    parts.append(part)
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("")
                return response.status_code, b"".join(parts)
        except httpx.TimeoutException:
            raise self._rested(f"no answer within {self.timeout_s:g} s") from None
        except httpx.TransportError as error:
            reason = str(error) or type(error).__name__
            raise self._rested(f"cannot be reached: {reason}") from None
        except (httpx.InvalidURL, httpx.DecodingError) as error:
            raise self.fault(str(error)) from None

    def _rested(self, reason: str) -> SensorError:
        self._down = self.fault(reason)
        self._down_until = time.monotonic() + REST_S
        return self._down

    @cached_property
    def _client(self) -> httpx.Client:
        import httpx

        headers = {}
        if self.token_file is not None:
            headers["Authorization"] = f"Bearer {secret(self.token_file)}"
        secure = self.url.startswith("https:")  # certificates take long to load
        client = httpx.Client(timeout=self.timeout_s, headers=headers, verify=secure)
        weakref.finalize(self, client.close)
        return client


def check_timeout(timeout_s: float) -> None:
    """Refuse a timeout that is not above 0."""
    if timeout_s <= 0:
        raise ParameterError(f"timeout_s is {timeout_s:g}; must be above 0")


def secret(path: Path) -> str:
    """Return the text of a file that holds a password or a token."""
    try:
        return read_secret(path, "secret")
    except InputError as error:
        raise SensorError(str(error)) from None


def _shown(text: bytes) -> str:
    words = " ".join(text[:400].decode("utf-8", "replace").split())
    return repr(words if len(words) <= 80 else words[:77] + "...")
