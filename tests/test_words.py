"""README, pages, help, messages and docstrings avoid the words of the style page.

``docs/design/style.md`` says what to write instead.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "experiments").rglob("*.md")),
]
QUOTES_THEM = ROOT / "docs" / "design" / "style.md"
SOURCES = [
    path
    for suffix in ("*.py", "*.html", "*.toml")
    for path in sorted((ROOT / "src" / "schedlab").rglob(suffix))
]
AVOIDED = re.compile(
    r"""\b(
    [Ss]o\ many | [Aa]new | [Tt]hus | [Hh]ence | whence | thereof | [Ww]hoever | [Nn]obody
    | [Ss]o\ (?:long|much)(?!\ (?:as|that)\b)
    | of\ such\ a\ kind | by\ what\ right | no\ such\ thing | plans\ no\ more
    )\b""",
    re.VERBOSE,
)


@pytest.mark.parametrize("paths", [PAGES, SOURCES], ids=["pages", "sources"])
def test_they_avoid_words_that_readers_stumble_over(paths: list[Path]) -> None:
    """Docstrings become pages, and strings become help and messages."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in paths
        if path != QUOTES_THEM
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if AVOIDED.search(line)
    ]
    assert found == []
