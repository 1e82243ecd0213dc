"""What a model file says of itself: a JSON document with its kind and version."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, SchedlabError

MODEL = "schedlab model"
VERSION = 1
PROPERTY = "schedlab"
"""The key in an ONNX file's metadata; the document also says whether actions are masked."""


def write_document(kind: str, document: Mapping[str, Any]) -> str:
    """Return the document as a text."""
    return json.dumps({"kind": kind, "version": VERSION, **document}, indent=2, allow_nan=False)


def read_document(path: str | Path, part: str, text: str | bytes, kind: str) -> dict[str, Any]:
    """Return the document in that part of the file, or say why it is not of that kind."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path}: {part} in it is not JSON") from None
    if not isinstance(document, dict) or document.get("kind") != kind:
        found = document.get("kind") if isinstance(document, dict) else None
        raise InputError(f"{path}: holds {found!r}; must be a {kind}")
    if document.get("version") != VERSION:
        raise InputError(
            f"{path}: is a {kind} of format version {document.get('version')!r}; "
            f"this schedlab reads version {VERSION}"
        )
    return document


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Add the file's name to the errors that the block finds in its content."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


@contextmanager
def understanding(path: str | Path) -> Iterator[None]:
    """Turn errors that the block finds in the document into sentences with the file's name."""
    try:
        yield
    except KeyError as error:
        raise InputError(f"{path}: its configuration lacks the key {error.args[0]}") from None
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: its configuration cannot be understood: {error}") from None
    except SchedlabError as error:
        raise InputError(f"{path}: {error}") from None
