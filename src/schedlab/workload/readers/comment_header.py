"""The header of a text trace: comment lines of the form ``; Key: value``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from schedlab.workload.readers.source import decode

PROVENANCE = "Provenance"

# A key begins with a capital letter: "see: http://..." in the second line of a note is no key.
_KEY = re.compile(r"\s*([A-Z]\w*):(?:\s+(.*))?")


def read_header(text: bytes, comment: str) -> dict[str, list[str]]:
    """Return each key of the leading comment lines with all its values in order.

    A line without a key continues the value above it; after an empty line or at the top it is
    a free comment, kept under the key ``""``.
    """
    header: dict[str, list[str]] = {}
    key = ""
    for line in _leading_comments(text, comment):
        match = _KEY.fullmatch(line)
        if match:
            key = match[1]
            header.setdefault(key, []).append(match[2] or "")
        elif not line.strip():
            key = ""
        elif key:
            header[key][-1] += f"\n{line}"
        else:
            header.setdefault("", []).append(line)
    return header


def split_provenance(
    header: Mapping[str, list[str]],
) -> tuple[dict[str, list[str]], list[dict[str, Any]]]:
    """Return the header without the steps that our writers add to it, and those steps."""
    steps, others = [], []
    for value in header.get(PROVENANCE, ()):
        step = _step(value)
        if step is None:
            others.append(value)
        else:
            steps.append(step)
    rest = {key: values for key, values in header.items() if key != PROVENANCE}
    return ({**rest, PROVENANCE: others} if others else rest), steps


def _step(value: str) -> dict[str, Any] | None:
    try:
        step = json.loads(value)
    except ValueError:
        return None
    return step if isinstance(step, dict) and "step" in step else None


def _leading_comments(text: bytes, comment: str) -> Iterator[str]:
    """Yield the comment lines before the first job, without the comment sign."""
    mark, at = comment.encode(), 0
    while at < len(text):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].strip()
        if line and not line.startswith(mark):
            return
        if line:
            yield decode(line[len(mark) :])
        at = end + 1
