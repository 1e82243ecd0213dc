"""The notebooks of the gallery run, and print what is committed in them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import nbformat
import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST_BYTES = 250_000
PAGE = FOLDER.parents[1] / "docs" / "gallery" / "index.md"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test import what executes the notebooks, and what makes pages of them."""
    monkeypatch.syspath_prepend(FOLDER)
    for name in ("execute", "pages"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("scripts")
def test_a_notebook_prints_what_is_committed_in_it(path: Path) -> None:
    """A reader who runs it sees the same; ``make notebooks`` writes what they print."""
    from execute import require_same  # type: ignore[import-not-found]

    require_same(path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("scripts")
def test_a_notebook_is_small_and_complete(path: Path) -> None:
    """It has no errors and no warnings, and prints something that is compared."""
    from execute import printed

    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    assert path.stat().st_size < LARGEST_BYTES
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert outputs
    assert not [each for each in outputs if each.output_type == "error"]
    assert not [each for each in outputs if each.get("name") == "stderr"]
    assert any(each for each in printed(book))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("scripts")
def test_a_notebook_becomes_a_page_of_the_site(path: Path) -> None:
    """The page has its text, code, tables and pictures; links lead into the site."""
    from execute import shown
    from pages import pages_of  # type: ignore[import-not-found]

    made = pages_of(path)
    page = made.pop(f"{path.stem}.md")
    book = json.loads(path.read_text(encoding="utf-8"))
    for cell in book["cells"]:
        assert "".join(cell["source"]).replace("../../docs/", "../") in page
    pictures = [kind for cell in shown(book) for kind in cell if kind == "image/png"]
    assert len(pictures) == len(made)
    assert all(f"]({name})" in page for name in made)
    assert "../../docs/" not in page


def test_the_gallery_lists_all_notebooks() -> None:
    """Readers do not find a notebook that is not listed."""
    page = PAGE.read_text(encoding="utf-8")
    site = (FOLDER.parents[1] / "mkdocs.yml").read_text(encoding="utf-8")
    assert len(NOTEBOOKS) == 8
    for path in NOTEBOOKS:
        assert f"({path.stem}.md)" in page
        assert f"gallery/{path.stem}.md" in site
