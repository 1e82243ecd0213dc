"""Experiments by name, and the one that comes as an example."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from schedlab.errors import InputError, UnknownNameError
from schedlab.experiments import (
    find_experiment,
    library,
    list_experiments,
    read_experiment,
    run_experiment,
    summary,
)


def test_experiments_that_come_with_schedlab_are_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those in the current folder take precedence."""
    monkeypatch.chdir(tmp_path)
    assert find_experiment("classic").name == "classic.toml"
    own = tmp_path / "experiments" / "classic"
    own.mkdir(parents=True)
    for name in ("classic", "other"):
        (own / f"{name}.toml").write_text("")
    assert find_experiment("classic").resolve() == own / "classic.toml"
    assert find_experiment("classic/other").resolve() == own / "other.toml"
    with pytest.raises(UnknownNameError, match=r'did you mean "classic"'):
        find_experiment("clasic")


def test_an_installed_schedlab_has_its_experiments_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel has no folder beside the package."""
    package = tmp_path / "site-packages" / "schedlab" / "experiments"
    installed = package / "builtin" / "incentive" / "incentive.toml"
    installed.parent.mkdir(parents=True)
    installed.write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(library, "__file__", str(package / "library.py"))
    assert list_experiments() == {"incentive": installed}


@pytest.mark.parametrize("name", list_experiments())
def test_every_experiment_can_be_read(name: str) -> None:
    """Every experiment that is offered works."""
    experiment = read_experiment(list_experiments()[name])
    assert experiment.about.name == name
    assert experiment.about.title
    assert (experiment.path.parent / "README.md").is_file()


def test_classic_gives_the_table_it_stands_beside(tmp_path: Path) -> None:
    """The table is from version 0.1.0: a changed number means a changed simulator."""
    experiment = read_experiment(find_experiment("classic"))
    run = run_experiment(experiment, tmp_path)
    assert (run.cells, run.failures) == (24, {})
    rows = summary(tmp_path).to_dicts()
    assert len(rows) == 24
    assert all(row["ours"] == pytest.approx(row["theirs"], rel=1e-4) for row in rows)


def test_a_title_is_told_without_what_the_experiment_runs() -> None:
    """The list of experiments works without Gymnasium, for example."""
    found = list_experiments()
    assert {name: library.title_of(path) for name, path in found.items()} == {
        name: read_experiment(path).about.title for name, path in found.items()
    }
    code = (
        "import sys; sys.modules['gymnasium'] = None; "
        "sys.argv = ['schedlab', 'experiment', 'list']; "
        "from schedlab.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Textbook policies" in done.stdout


def test_a_title_needs_a_section(tmp_path: Path) -> None:
    """The error names the file."""
    (tmp_path / "a.toml").write_text("x = 1\n")
    with pytest.raises(InputError, match=r"a\.toml: has no \[experiment\]"):
        library.title_of(tmp_path / "a.toml")
