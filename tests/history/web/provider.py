"""An OpenID Connect provider on loopback that signs real tokens, honestly or not."""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "schedlab", "the client's secret"


@dataclass
class ScriptedProvider:
    """A provider that answers with the claims and the signature that the test has set.

    Args:
        url: its address.
        key: the key with which it signs.
        claims: claims about the user, which override those that every token has.
        header: the header of the token.
        signing_key: signs in place of ``key``.
        shared_key: a secret to sign with in place of a private key.
    """

    url: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "first"}))
    claims: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=lambda: {"alg": "RS256", "kid": "first"})
    signing_key: RSAKey | None = None
    shared_key: bytes | None = None
    description: dict[str, Any] = field(default_factory=dict)
    begun: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """Path, Authorization header and form of each request."""

    def log_in(self, login_url: str) -> str:
        """Return the URL to which the provider sends the browser back after the user's login."""
        query = {key: value[0] for key, value in parse_qs(urlsplit(login_url).query).items()}
        assert login_url.startswith(f"{self.url}/authorize?")
        assert query["response_type"] == "code"
        self.begun = query
        return f"{query['redirect_uri']}?code=the-code&state={query['state']}"

    def answer(self, path: str, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Return the status and the JSON document of the answer."""
        if path == "/.well-known/openid-configuration":
            return 200, self._description()
        if path == "/jwks":
            return 200, {"keys": [self.key.as_dict(private=False)]}
        if path == "/token" and form.get("code") == "the-code" and self._is_the_same(form):
            return 200, {"access_token": "a", "token_type": "Bearer", "id_token": self._token()}
        return 400, {"error": "invalid_grant"}

    def _description(self) -> dict[str, Any]:
        paths = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
        found = {name: f"{self.url}/{path}" for name, path in paths.items()}
        return {"issuer": self.url, "jwks_uri": f"{self.url}/jwks", **found, **self.description}

    def _is_the_same(self, form: dict[str, str]) -> bool:
        digest = sha256(form["code_verifier"].encode()).digest()
        return self.begun["code_challenge"] == _base64(digest)

    def _token(self) -> str:
        now_s = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "sub": "4711",
            "iat": now_s,
            "exp": now_s + 300,
            "nonce": self.begun["nonce"],
            **self.claims,
        }
        if self.shared_key is not None:
            return self._forged(claims)
        token: str = jwt.encode(self.header, claims, self.signing_key or self.key)
        return token

    def _forged(self, claims: dict[str, Any]) -> str:
        parts = (json.dumps(part).encode() for part in (self.header, claims))
        signed = ".".join(_base64(part) for part in parts)
        by_secret = self.header["alg"] == "HS256"
        signature = hmac.digest(self.shared_key or b"", signed.encode(), "sha256")
        return f"{signed}.{_base64(signature) if by_secret else ''}"


def _base64(text: bytes) -> str:
    return urlsafe_b64encode(text).decode().rstrip("=")


@contextmanager
def scripted_provider() -> Iterator[ScriptedProvider]:
    """Serve a provider on loopback until the block ends."""
    provider = ScriptedProvider()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, form: dict[str, str]) -> None:
            provider.asked.append((self.path, self.headers.get("Authorization", ""), form))
            status, document = provider.answer(self.path, form)
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(dict(parse_qsl(body)))

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield provider
        server.shutdown()
        thread.join()
