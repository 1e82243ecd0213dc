"""The site folder: machine.toml, accounts.toml, slurm.toml, history.parquet and details.parquet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.command_files import input_file
from schedlab.errors import InputError, OutputError, SchedlabError
from schedlab.platform.read import read_platform
from schedlab.platform.write import write_platform
from schedlab.sections import (
    build,
    build_each,
    document_toml,
    parse_toml,
    plain,
    plain_whole,
    reject_unknown_keys,
)
from schedlab.slurm.accounts import Accounts, Association, Qos, User
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.commands import Command
from schedlab.slurm.layout import NodeLayout, PartitionRules, ReservationRules, Switch
from schedlab.slurm.parameters import SECTIONS, SlurmParameters, version_of
from schedlab.slurm.site import SlurmHistory, SlurmSite
from schedlab.workload.readers import read_workload
from schedlab.workload.writers import write_workload

MACHINE, ACCOUNTS, SLURM = "machine.toml", "accounts.toml", "slurm.toml"
HISTORY, DETAILS, COMMANDS = "history.parquet", "details.parquet", "commands.toml"
CLOCKS, CONF = "clocks.toml", "conf"

_ACCOUNTS: dict[str, tuple[str, type]] = {
    "association": ("associations", Association),
    "qos": ("qos", Qos),
    "user": ("users", User),
}
_LAYOUT: dict[str, tuple[str, type]] = {
    "partition": ("partitions", PartitionRules),
    "node": ("nodes", NodeLayout),
    "switch": ("switches", Switch),
    "reservation": ("reservations", ReservationRules),
}


def write_site(site: SlurmSite, folder: str | Path) -> None:
    """Write the files that ``read_site`` reads; make the folder if there is none."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None
    write_platform(site.machine, folder / MACHINE)
    _write(folder / ACCOUNTS, _plain_lists(site.accounts, _ACCOUNTS))
    _write(folder / SLURM, _plain_parameters(site.parameters) | _plain_lists(site, _LAYOUT))
    _write_conf(site, folder / CONF)
    if site.history is None:  # the history of another site must not stay
        for name in (HISTORY, DETAILS, COMMANDS, CLOCKS):
            (folder / name).unlink(missing_ok=True)
    else:
        write_workload(site.history.workload, folder / HISTORY)
        with atomic_write(folder / DETAILS) as temporary:
            site.history.details.write_parquet(temporary)
        _write(folder / COMMANDS, {"command": [plain(each) for each in site.history.commands]})
        if site.history.clocks is None:
            (folder / CLOCKS).unlink(missing_ok=True)
        else:
            _write(folder / CLOCKS, plain_whole(site.history.clocks))


def read_site(folder: str | Path) -> SlurmSite:
    """Return the site that a folder describes."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; make one with: schedlab slurm import")
    settings = _read(folder / SLURM)
    return SlurmSite(
        read_platform(folder / MACHINE),
        _parameters(settings, folder / SLURM),
        Accounts(**_lists(_read(folder / ACCOUNTS), _ACCOUNTS, folder / ACCOUNTS)),
        **_lists(settings, _LAYOUT, folder / SLURM, ("version", "cluster_name", *SECTIONS)),
        history=_history(folder),
        conf=_conf(folder / CONF),
    )


def _write_conf(site: SlurmSite, folder: Path) -> None:
    if folder.is_dir():
        for path in folder.rglob("*"):
            if path.is_file() and str(path.relative_to(folder)) not in site.conf:
                path.unlink()
    for name, text in site.conf.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")


def _conf(folder: Path) -> dict[str, str]:
    """Return the files of the folder by name, slurm.conf first."""
    paths = (each for each in folder.rglob("*") if each.is_file())
    found = {str(path.relative_to(folder)): _text(path) for path in paths}
    return dict(sorted(found.items(), key=lambda each: (each[0] != "slurm.conf", each[0])))


def _history(folder: Path) -> SlurmHistory | None:
    import polars as pl

    if not (folder / HISTORY).exists():
        return None
    workload = read_workload(folder / HISTORY)
    path = input_file(folder / DETAILS)
    try:
        details = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    given = _read(folder / COMMANDS)
    reject_unknown_keys(given, ("command",), str(folder / COMMANDS))
    commands = build_each(Command, given.get("command", []), "[[command]]")
    clocks = None
    if (folder / CLOCKS).exists():
        clocks = build(Clocks, _read(folder / CLOCKS), CLOCKS)
    return SlurmHistory(workload, details, commands, clocks)


def _parameters(given: Mapping[str, Any], path: Path) -> SlurmParameters:
    try:
        made: dict[str, Any] = {
            name: build(section, given.get(name, {}), f"[{name}]")
            for name, section in SECTIONS.items()
        }
        top = {key: given[key] for key in ("version", "cluster_name") if key in given}
        for key, value in top.items():
            if not isinstance(value, str):
                raise InputError(f"{key} is {value!r}; must be a text")
        version_of(top.get("version", SlurmParameters.version))
        return SlurmParameters(**top, **made)
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


def _plain_parameters(parameters: SlurmParameters) -> dict[str, Any]:
    names = {each.name for each in fields(parameters)} - {*SECTIONS}
    top = {name: getattr(parameters, name) for name in sorted(names)}
    return top | {name: plain_whole(getattr(parameters, name)) for name in SECTIONS}


def _plain_lists(whole: Any, lists: Mapping[str, tuple[str, type]]) -> dict[str, Any]:
    return {
        key: [plain(each) for each in getattr(whole, name)]
        for key, (name, _) in lists.items()
        if getattr(whole, name)
    }


def _lists(
    given: Mapping[str, Any],
    lists: Mapping[str, tuple[str, type]],
    path: Path,
    beside: tuple[str, ...] = (),
) -> dict[str, Any]:
    try:
        reject_unknown_keys(given, (*lists, *beside), "the file")
        return {
            name: build_each(section, given.get(key, []), f"[[{key}]]")
            for key, (name, section) in lists.items()
        }
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None


def _read(path: Path) -> dict[str, Any]:
    return parse_toml(path, _text(path))


def _text(path: Path) -> str:
    try:
        return input_file(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def _write(path: Path, document: Mapping[str, Any]) -> None:
    with atomic_write(path) as temporary:
        temporary.write_text(document_toml(document), encoding="utf-8")
