"""OpenID Connect: a provider says who somebody is (authorisation code flow with PKCE)."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from schedlab.errors import PeerError
from schedlab.history.service_section import OidcSection
from schedlab.history.web.access.sessions import new_secret

if TYPE_CHECKING:
    from joserfc.jwk import KeySet

Claims = dict[str, Any]

# Only signatures by a private key: others could forge "none" and those by a shared secret.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
_TIMEOUT_S = 10.0
_LEEWAY_S = 60
_KEYS_KEPT_S = 60.0


@dataclass(frozen=True)
class Pending:
    """A login in progress: the values that the provider's answer must match.

    Args:
        next: where to go afterwards.
        state: what the provider must send back.
        nonce: what the token that it issues must contain.
        verifier: the text whose digest the provider got first; it proves that we began the login.
    """

    next: str = ""
    state: str = field(default_factory=new_secret)
    nonce: str = field(default_factory=new_secret)
    verifier: str = field(default_factory=new_secret)

    def to_cookie(self) -> str:
        """Return the text that the browser keeps meanwhile."""
        return urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()

    @classmethod
    def from_cookie(cls, text: str) -> Pending | None:
        """Return the login that the browser kept; None if the text holds none."""
        try:
            return cls(**json.loads(urlsafe_b64decode(text.encode())))
        except (ValueError, TypeError):
            return None


class Provider:
    """A login provider, as it describes itself; it is asked when somebody first logs in."""

    def __init__(self, section: OidcSection, client_secret: str) -> None:
        self.section = section
        self._client_secret = client_secret
        self._keys: KeySet | None = None
        self._keys_at_s = 0.0

    def login_url(self, pending: Pending, redirect_uri: str) -> str:
        """Return the URL to send the browser to."""
        from authlib.oauth2.rfc7636 import create_s256_code_challenge

        query = {
            "response_type": "code",
            "client_id": self.section.client_id,
            "redirect_uri": redirect_uri,
            "scope": self.section.scopes,
            "state": pending.state,
            "nonce": pending.nonce,
            "code_challenge": create_s256_code_challenge(pending.verifier),
            "code_challenge_method": "S256",
        }
        endpoint = self._endpoint("authorization_endpoint")
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"

    def claims(self, pending: Pending, code: str, redirect_uri: str) -> Claims:
        """Return the provider's claims about the user with this code, after checking them."""
        answer = self._token(pending, code, redirect_uri)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise PeerError(f"{self.section.issuer}: sent no ID token")
        return self._checked(token, pending, answer.get("access_token"))

    def _token(self, pending: Pending, code: str, redirect_uri: str) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": pending.verifier,
        }
        who = (self.section.client_id, self._client_secret)
        methods = self._description.get("token_endpoint_auth_methods_supported", ())
        if methods and "client_secret_basic" not in methods:
            form |= dict(zip(("client_id", "client_secret"), who, strict=True))
            return self._ask("POST", self._endpoint("token_endpoint"), data=form)
        basic = tuple(quote(part, safe="") for part in who)
        return self._ask("POST", self._endpoint("token_endpoint"), data=form, auth=basic)

    def _checked(self, token: str, pending: Pending, access_token: Any) -> Claims:
        from authlib.oidc.core import CodeIDToken
        from joserfc.errors import JoseError

        try:
            decoded = self._decoded(token)
            required = {
                "iss": {"essential": True, "value": self.section.issuer},
                "aud": {"essential": True, "value": self.section.client_id},
            }
            params = {
                "nonce": pending.nonce,
                "client_id": self.section.client_id,
                "access_token": access_token,
            }
            CodeIDToken(decoded.claims, decoded.header, required, params).validate(leeway=_LEEWAY_S)
        except (JoseError, ValueError, TypeError) as error:
            raise PeerError(f"{self.section.issuer}: its ID token is not valid: {error}") from None
        return dict(decoded.claims)

    def _decoded(self, token: str) -> Any:
        """Return the token, if one of the provider's keys signed it; the keys may have changed."""
        from joserfc import jwt
        from joserfc.errors import BadSignatureError, InvalidKeyIdError

        try:
            return jwt.decode(token, self._key_set(), algorithms=_ALGORITHMS)
        except (BadSignatureError, InvalidKeyIdError):
            if time.monotonic() < self._keys_at_s + _KEYS_KEPT_S:
                raise
            self._keys = None
            return jwt.decode(token, self._key_set(), algorithms=_ALGORITHMS)

    def _key_set(self) -> KeySet:
        from joserfc.jwk import KeySet

        if self._keys is None:
            self._keys = KeySet.import_key_set(self._ask("GET", self._endpoint("jwks_uri")))  # type: ignore[arg-type]
            self._keys_at_s = time.monotonic()
        return self._keys

    @cached_property
    def _description(self) -> dict[str, Any]:
        from authlib.oidc.discovery import get_well_known_url

        described = self._ask("GET", get_well_known_url(self.section.issuer, external=True))
        if described.get("issuer") != self.section.issuer:
            raise PeerError(f"{self.section.issuer}: calls itself {described.get('issuer')!r}")
        return described

    def _endpoint(self, name: str) -> str:
        endpoint = self._description.get(name)
        if not isinstance(endpoint, str):
            raise PeerError(f"{self.section.issuer}: does not give its {name}")
        return endpoint

    def _ask(self, method: str, url: str, **options: Any) -> dict[str, Any]:
        import httpx

        try:
            answer = httpx.request(method, url, timeout=_TIMEOUT_S, **options)
            answer.raise_for_status()
            found = answer.json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise PeerError(f"{self.section.issuer}: does not answer: {error}") from None
        if not isinstance(found, dict):
            raise PeerError(f"{self.section.issuer}: did not answer with a JSON object")
        return found
