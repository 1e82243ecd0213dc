"""The header of a text trace, as ``readers.comment_header`` reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from schedlab.workload.readers.comment_header import PROVENANCE
from schedlab.workload.workload import Workload


def header_text(
    workload: Workload, comment: str, defaults: Mapping[str, Sequence[str]] | None = None
) -> bytes:
    """Return comment lines with the header and provenance, and defaults for keys that it lacks."""
    header = {**(defaults or {}), **workload.header}
    lines = [f"{comment}{line}" for value in header.pop("", ()) for line in value.split("\n")]
    for key, values in header.items():
        lines += [f"{comment} {_key(key)}: {_continued(value, comment)}" for value in values]
    for step in workload.provenance:
        lines.append(f"{comment} {PROVENANCE}: {json.dumps(step)}")
    return "".join(f"{line.rstrip()}\n" for line in lines).encode()


def _key(key: str) -> str:
    """Return one word that begins with a capital letter, or it would not be read as a key."""
    word = re.sub(r"\W", "_", key)
    return word[:1].upper() + word[1:]


def _continued(value: str, comment: str) -> str:
    return value.replace("\n", f"\n{comment}")
