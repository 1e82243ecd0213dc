"""Send JSON to a program elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from schedlab.errors import ServiceError

_TIMEOUT_S = 30.0


def post_json(url: str, document: Mapping[str, Any]) -> None:
    """Send the document as JSON.

    Raises:
        ServiceError: no answer, or a refusal; the text names the host only, since the rest
            of such a URL is often a secret.
    """
    where = f"webhook at {urlsplit(url).hostname}"
    try:
        answer = httpx.post(url, json=document, timeout=_TIMEOUT_S)
    except httpx.HTTPError as error:
        raise ServiceError(f"{where}: {str(error) or 'no answer'}".lower()) from None
    if not answer.is_success:
        raise ServiceError(f"{where}: answered {answer.status_code} {answer.reason_phrase}")
