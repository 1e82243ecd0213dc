"""README, pages, notebooks, help, messages and docstrings avoid the words of the style page.

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
    *sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")),
]
QUOTES_THEM = ROOT / "docs" / "design" / "style.md"
SOURCES = [
    path
    for suffix in ("*.py", "*.html", "*.toml")
    for folder in ("src/schedlab", "benchmarks", "examples")
    for path in sorted((ROOT / folder).rglob(suffix))
]
AVOIDED = re.compile(
    r"""\b(
    [Ss]o\s+many | [Aa]new | [Tt]hus | [Hh]ence | whence | thereof | [Ww]hoever | [Nn]obody
    | [Ss]o\s+(?:long|much)(?!\s+(?:as|that)\b)
    | of\ such\ a\ kind | by\ what\ right | no\ such\ thing | plans\ no\ more
    | be\ such\ as | the\ begin
    )\b""",
    re.VERBOSE,
)


@pytest.mark.parametrize("paths", [PAGES, SOURCES], ids=["pages", "sources"])
def test_they_avoid_words_that_readers_stumble_over(paths: list[Path]) -> None:
    """Docstrings become pages, and strings become help and messages."""
    texts = {path: path.read_text(encoding="utf-8") for path in paths if path != QUOTES_THEM}
    found = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, hit.start()) + 1}: {hit[0]}"
        for path, text in texts.items()
        for hit in AVOIDED.finditer(text)
    ]
    assert found == []
