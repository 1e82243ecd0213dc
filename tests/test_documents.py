"""The README and the pages of docs/ do what they show.

The blocks of a page run in order, in an empty folder. ``python`` and ``pycon`` share their names. A
block with a title is a file of that name. In ``console`` each ``$ schedlab ...`` is run and must
print what is shown beneath it, ``...`` standing for anything: those of the README in processes of
their own, as users run them, the others within this one, which has imported everything already. A
block right after ``<!-- not run: why -->`` is only read.
"""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.coalloc import SOLVERS
from schedlab.policies import BACKFILLS, ORDERS, STANDALONE
from schedlab.predict import PREDICTORS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"(?P<not_run><!-- not run: .+? -->\n)?"
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$',
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"^\$ (?P<command>.+)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.MULTILINE)
Run = Callable[[list[str], Path], str]
SHORT_FOR = {"make demo": ("schedlab demo", "schedlab demo history")}


@dataclass
class Page:
    """The folder and the names that one page has defined so far."""

    folder: Path
    run: Run
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})

    def file(self, name: str, text: str) -> None:
        """Keep a block with a title as a file."""
        (self.folder / name).write_text(text, encoding="utf-8")
        importlib.invalidate_caches()

    def python(self, text: str) -> None:
        """Run plain Python."""
        exec(compile(text, "page", "exec"), self.names)

    def pycon(self, text: str) -> None:
        """Run a dialogue with Python and compare its answers."""
        said: list[str] = []
        examples = doctest.DocTestParser().get_examples(text)
        test = doctest.DocTest(examples, {}, "page", None, 0, None)
        test.globs = self.names
        results = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
        assert results.failed == 0, "".join(said)

    def console(self, text: str) -> None:
        """Run commands and compare what they print."""
        for found in COMMAND.finditer(text.replace("\\\n", "")):
            commands = SHORT_FOR.get(found["command"], (found["command"],))
            printed = "".join(self._printed(command) for command in commands)
            shown = found["shown"]
            agrees = doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)
            assert agrees or not shown, f"$ {found['command']}\n{printed}"

    def _printed(self, command: str) -> str:
        program, *arguments = shlex.split(command)
        assert program == "schedlab", f"cannot be run here: {command}"
        return self.run(arguments, self.folder)


def run_apart(arguments: list[str], folder: Path) -> str:
    """Return what ``schedlab ...`` prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "schedlab", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
    )
    return told(arguments, done.returncode, done.stdout, done.stderr)


def run_here(arguments: list[str], folder: Path) -> str:
    """Return what it prints within this process; files of the page may have changed meanwhile."""
    forget_modules(folder)
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "100"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return told(arguments, done.exit_code, done.stdout, done.stderr)


def told(arguments: list[str], code: int, stdout: str, stderr: str) -> str:
    """Return what a successful command printed, without the blanks at the ends of lines."""
    # 1 is the exit code of an audit that found something: a result, with nothing on stderr.
    found_something = code == 1 and not stderr
    assert code == 0 or found_something, f"$ schedlab {shlex.join(arguments)}\n{stderr}"
    return re.sub(r" +$", "", stdout, flags=re.MULTILINE)


def blocks(page: Path) -> list[re.Match[str]]:
    """Return the blocks of a page that are run or kept."""
    found = FENCE.finditer(page.read_text(encoding="utf-8"))
    kinds = ("python", "pycon", "console")
    return [
        each
        for each in found
        if not each["not_run"] and (each["title"] or each["language"] in kinds)
    ]


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, empty; modules imported from it are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    forget_modules(tmp_path)


def forget_modules(folder: Path) -> None:
    """Forget the modules of the folder, so that they are imported again next time."""
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]


RUNNABLE = [page for page in PAGES if blocks(page)]


def pages() -> list[Any]:
    """Return the pages with examples; all but the README's take seconds each."""
    return [
        pytest.param(
            path,
            id=str(path.relative_to(ROOT)),
            marks=() if path.name == "README.md" else pytest.mark.slow,
        )
        for path in RUNNABLE
    ]


@pytest.mark.parametrize("path", pages())
def test_a_page_does_what_it_shows(path: Path, empty_folder: Path) -> None:
    """Readers copy what they see."""
    page = Page(empty_folder, run_apart if path.name == "README.md" else run_here)
    for block in blocks(path):
        if block["title"]:
            page.file(block["title"], block["text"])
        else:
            getattr(page, block["language"])(block["text"])


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_into_the_repository_lead_somewhere(name: str) -> None:
    """The links of docs/ are checked when the site is built; these are not part of it."""
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", text)
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_page_on_policies_has_the_program_s_tables() -> None:
    """Every order, way to backfill and other policy has its row, with the program's words."""
    page = (ROOT / "docs" / "guides" / "policies.md").read_text(encoding="utf-8")
    rows = [(name, order.sentence, order.reference) for name, order in ORDERS.items()]
    rows += [(name, way.sentence, way.reference) for name, way in BACKFILLS.items()]
    rows += [(name, alone.sentence, alone.reference) for name, alone in STANDALONE.items()]
    for name, sentence, reference in rows:
        assert f"| `{name}` | {sentence} | {reference} |" in page
    known = [each.parameters for each in ORDERS.values()]
    known += [each.parameters for each in BACKFILLS.values()]
    known += [each.parameters for each in STANDALONE.values()]
    for parameters in known:
        for key, parameter in parameters.items():
            assert re.search(rf"\n\| `{key}` \| .* \| {re.escape(parameter.meaning)} \|\n", page)


def test_the_page_on_predictors_has_the_program_s_table() -> None:
    """Every predictor has its row, with the program's sentence and reference."""
    page = (ROOT / "docs" / "guides" / "predictors.md").read_text(encoding="utf-8")
    for name, entry in PREDICTORS.items():
        assert f"| `{name}` | {entry.sentence} | {entry.reference} |" in page


def test_the_page_on_co_allocation_has_the_program_s_table() -> None:
    """Every solver has its row, with the program's sentence and reference."""
    page = (ROOT / "docs" / "guides" / "coalloc.md").read_text(encoding="utf-8")
    for name, entry in SOLVERS.items():
        assert f"| `{name}` | {entry.sentence} | {entry.reference} |" in page
