"""The commands of a real Grid Engine, run without a shell."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from xml.etree import ElementTree

from schedlab.errors import InputError, PeerError
from schedlab.live.peer import TIMEOUT_S
from schedlab.peer_command import answer_of
from schedlab.sections import build, parse_toml

SITE_FILE = "grid-engine.toml"
PROGRAMS = ("qstat", "qhost", "qconf", "qalter")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that a job's name can have and XML cannot."""


@dataclass(frozen=True)
class CellFile:
    """The content of ``grid-engine.toml`` in a site folder; the file may be empty.

    Args:
        root: the folder of the installation. Default: SGE_ROOT.
        cell: the name of the cell. Default: SGE_CELL, or ``default``.
        accounting: the file that qmaster writes when jobs end. Default: that of the cell.
    """

    root: str | None = None
    cell: str | None = None
    accounting: str | None = None


@dataclass(frozen=True)
class GridEngineCommands:
    """The commands of a cell.

    Args:
        environment: the variables by which the commands find the cell.
        accounting: the file of ended jobs.
    """

    environment: Mapping[str, str]
    accounting: Path

    @classmethod
    def find(cls, folder: Path) -> GridEngineCommands:
        """Find the cell of a site folder; InputError if it is not named, or has no commands."""
        path = folder / SITE_FILE
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeError) as error:
            raise InputError(f"{path}: cannot be read: {error}") from None
        told = build(CellFile, parse_toml(path, text), str(path))
        root = told.root or os.environ.get("SGE_ROOT")
        if not root:
            raise InputError(f"{path}: says no root, and SGE_ROOT is not set")
        cell = told.cell or os.environ.get("SGE_CELL") or "default"
        common = Path(root, cell, "common")
        if not common.is_dir():
            raise InputError(f"{common}: no such folder; root and cell are those of {path}")
        programs = [str(each) for each in sorted(Path(root, "bin").glob("*"))]
        search = os.pathsep.join([os.environ.get("PATH", ""), *programs])
        missing = [name for name in PROGRAMS if which(name, path=search) is None]
        if missing:
            raise InputError(f"{missing[0]}: not found; this needs the commands of Grid Engine")
        own = {"SGE_ROOT": root, "SGE_CELL": cell, "PATH": search}
        environment = dict(os.environ, **own, TZ="UTC", SGE_SINGLE_LINE="1")
        return cls(environment, Path(told.accounting or common / "accounting"))

    @property
    def name(self) -> str:
        """The name of the installation."""
        path = Path(self.environment["SGE_ROOT"], self.environment["SGE_CELL"], "common")
        try:
            return (path / "cluster_name").read_text(encoding="utf-8").strip()
        except OSError:
            return self.environment["SGE_CELL"]

    def run(self, *command: str, timeout_s: float = TIMEOUT_S) -> str:
        """Return what a command prints; raise PeerError if it fails, or does not answer in time."""
        program = which(command[0], path=self.environment["PATH"]) or command[0]
        return answer_of(program, *command[1:], environment=self.environment, timeout_s=timeout_s)

    def ask(self, *command: str, timeout_s: float = TIMEOUT_S) -> str:
        """Return what a command prints; empty if it says that nothing is defined."""
        try:
            return self.run(*command, timeout_s=timeout_s)
        except PeerError as error:
            if "no " in str(error) and "defined" in str(error):
                return ""
            raise

    def xml(self, *command: str, timeout_s: float = TIMEOUT_S) -> ElementTree.Element:
        """Return the document that a command prints with ``-xml``."""
        return parsed(self.run(*command, "-xml", timeout_s=timeout_s), command[0])


def parsed(text: str, command: str) -> ElementTree.Element:
    """Parse XML, and refuse one that declares entities, internal or external."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise PeerError(f"{command} -xml: declares entities, which Grid Engine never does")
    try:
        return ElementTree.fromstring(_NO_XML.sub("?", text))
    except ElementTree.ParseError as error:
        raise PeerError(f"{command} -xml: not XML: {error}") from None
