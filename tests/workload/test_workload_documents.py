"""The pages on workloads and platforms say what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schedlab.platform import read_platform
from schedlab.workload import CATALOG, GENERATORS, TRANSFORMS

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = DOCS / "guides" / "workloads.md"
PLATFORM_FORMAT = DOCS / "formats" / "platform-toml.md"


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of that language."""
    return re.findall(
        rf"```{language}[^\n]*\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )


@pytest.mark.parametrize("text", blocks(PLATFORM_FORMAT, "toml"))
def test_the_platforms_on_the_page_can_be_read(text: str, tmp_path: Path) -> None:
    """Each block on the page is a complete file."""
    path = tmp_path / "machine.toml"
    path.write_text(text)
    assert read_platform(path).nodes > 0


def test_the_guide_s_tables_are_the_program_s() -> None:
    """Every transform, generator and trace has its row, as the program describes it."""
    guide = GUIDE.read_text(encoding="utf-8")
    for entry in TRANSFORMS.values():
        forms = ", ".join(f"`{form}`" for form in entry.form.split(" or "))
        assert f"| {forms} | {entry.summary} |" in guide
    for name, generator in GENERATORS.items():
        keys = ", ".join(f"`{key}`" for key in generator.parameters)
        assert f"| `{name}` | {keys} | {generator.summary} |" in guide
    for trace in CATALOG.values():
        row = f"| [{trace.name}]({trace.home_page}) | {trace.machine} | {trace.jobs:,} |"
        assert row in guide
