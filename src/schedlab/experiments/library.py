"""Experiments by name: those in ``./experiments``, then those that come with schedlab."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schedlab.errors import InputError, UnknownNameError
from schedlab.sections import parse_toml
from schedlab.workload.readers import Source


def find_experiment(name: str) -> Path:
    """Return the TOML file of the experiment with this path or name.

    ``classic`` is ``classic/classic.toml`` in a folder of experiments, ``classic/other`` is
    ``classic/other.toml``.
    """
    if name.endswith(".toml"):
        return Path(name)
    known = list_experiments()
    if name not in known:
        raise UnknownNameError("experiment", name, known)
    return known[name]


def list_experiments() -> dict[str, Path]:
    """Return every experiment that can be run by name, with its file."""
    found: dict[str, Path] = {}
    for folder in _folders():
        for path in sorted(folder.glob("*/*.toml")):
            found.setdefault(_name(path), path)
    return found


def title_of(path: Path) -> str:
    """Return the title of an experiment, even if the rest needs packages that are missing."""
    section = parse_toml(path, Source.load(path).decoded()).get("experiment")
    if not isinstance(section, Mapping):
        raise InputError.at(path, None, "has no [experiment]")
    return str(section.get("title", ""))


def _folders() -> list[Path]:
    """Return the folders of experiments.

    In a checkout they are beside ``src``, in a wheel within the package.
    """
    here = Path(__file__).resolve().parent
    return [Path("experiments"), here / "builtin", here.parents[2] / "experiments"]


def _name(path: Path) -> str:
    folder = path.parent.name
    return folder if path.stem == folder else f"{folder}/{path.stem}"
