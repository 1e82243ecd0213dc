"""Accounts, users and QOS: ``sacctmgr dump``, its scripts, and tables of ``sacctmgr -P show``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError, SchedlabError
from schedlab.slurm.accounts import ROOT, Accounts, Association, Qos, User
from schedlab.slurm.dump.account_keys import ASSOCIATION_KEYS, QOS_KEYS, read_keys
from schedlab.slurm.dump.findings import ImportReport
from schedlab.slurm.dump.shown import read_table
from schedlab.workload.readers.source import Source, decode

_DUMP_LINE = re.compile(r"(Cluster|Parent|Account|User)\s+-\s+'?([^':]*)'?(?::(.*))?")
_DUMP_PAIR = re.compile(r"([A-Za-z]+)='?((?:[^':]|(?<=\d):(?=\d))*)'?(?::|$)")
_SCRIPT_PAIR = re.compile(r"""([A-Za-z]+)\s*[+-]?=\s*("[^"]*"|'[^']*'|\S+)""")
_FIRST_QOS = "normal"
"""The QOS that Slurm makes itself."""


class AccountBook:
    """A collector of associations, users and QOS from all files of a dump."""

    def __init__(self, report: ImportReport) -> None:
        self.report = report
        self.associations: dict[tuple[str, str | None, str | None], Association] = {}
        self.places: dict[tuple[str, str], str] = {}  # by account and user: first file and line
        self.users: dict[str, User] = {}
        self.qos: dict[str, Qos] = {}

    def accounts(self) -> Accounts:
        """Return the tree, each account before the associations below it."""
        if self.associations and (ROOT, None, None) not in self.associations:
            self.associations = {(ROOT, None, None): Association(ROOT), **self.associations}
        if self.associations:  # Slurm makes the user root, and counts it in fair share
            self.associations.setdefault((ROOT, ROOT, None), Association(ROOT, ROOT))
        for (account, user), where in self.places.items():
            if (account, None, None) not in self.associations:
                raise InputError(
                    f'{where}: user "{user}" is in account "{account}", which has no association; '
                    f'add "{account}"'
                )
        used = {name for each in self.associations.values() for name in each.qos}
        used |= {name for each in self.qos.values() for name in each.preempt}
        for name in sorted(used - {*self.qos}):
            self.report.note(f'QOS "{name}" is used, but not described; it has no limits here.')
            self.qos[name] = Qos(name)
        return Accounts(
            tuple(self.associations.values()), tuple(self.qos.values()), tuple(self.users.values())
        )

    def add_association(self, where: str, given: Mapping[str, str], **fixed: Any) -> None:
        """Add the association of an account, or of a user in an account."""
        values = read_keys(given, ASSOCIATION_KEYS, where, "association", self.report)
        made = Association(**(values | fixed))
        self.associations[made.account, made.user, made.partition] = made
        if made.user is not None:
            self.places.setdefault((made.account, made.user), where)

    def add_qos(self, where: str, name: str, given: Mapping[str, str]) -> None:
        """Add a QOS, or change one."""
        values = read_keys(given, QOS_KEYS, where, "QOS", self.report)
        self.qos[name] = replace(self.qos.get(name, Qos(name)), **values)


def read_qos_table(path: Path, book: AccountBook) -> None:
    """Read the table of ``sacctmgr -P show qos``."""
    for where, row in read_table(path, "name"):
        given = {key: value for key, value in row.items() if key != "name"}
        book.add_qos(where, row["name"], given)


def read_association_table(path: Path, cluster: str, book: AccountBook) -> None:
    """Read the table of ``sacctmgr -P show assoc``."""
    told_parent = True
    for where, row in read_table(path, "account"):
        if row.get("cluster", cluster).lower() not in ("", cluster):
            continue
        account, user = row["account"].strip(), row.get("user", "").strip() or None
        parent = row.get("parentname", "").strip() or None
        if user is None and account != ROOT and parent is None:
            parent, told_parent = ROOT, "parentname" in row
        if user is not None:
            parent = None
            book.users.setdefault(user, User(user, account))
        given = {
            key: value
            for key, value in row.items()
            if key not in ("cluster", "account", "user", "partition", "parentname", "parentid")
        }
        place = row.get("partition", "").strip() or None
        fixed = {"account": account, "user": user, "parent": parent, "partition": place}
        book.add_association(where, given, **fixed)
    if not told_parent:
        book.report.note(
            f"{path.name} has no column ParentName; every account counts as one below root."
        )


def read_account_script(path: Path, cluster: str, book: AccountBook) -> None:
    """Read what ``sacctmgr dump`` writes, or a script of sacctmgr's commands."""
    parent, inside = ROOT, True
    book.qos.setdefault(_FIRST_QOS, Qos(_FIRST_QOS))
    for number, line in _lines(path):
        where = f"{path.name}:{number}"
        if match := _DUMP_LINE.fullmatch(line):
            kind, name, rest = match[1], match[2], match[3] or ""
            given = {key.lower(): value for key, value in _DUMP_PAIR.findall(rest)}
            if kind == "Cluster":
                inside = name.lower() == cluster or not cluster
                book.add_association(where, given, account=ROOT)
            elif kind == "Parent":
                parent = name
            elif inside and kind == "Account":
                book.add_association(where, given, account=name, parent=parent)
            elif inside:
                _dump_user(where, name, parent, given, book)
        else:
            _command(path, number, line, book)


def _dump_user(
    where: str, name: str, account: str, given: dict[str, str], book: AccountBook
) -> None:
    default, level = given.pop("defaultaccount", None), given.pop("adminlevel", None)
    book.users[name] = User(name, default or account, level)
    book.add_association(where, given, account=account, user=name)


def _command(path: Path, number: int, line: str, book: AccountBook) -> None:
    """Read one command of sacctmgr: add, modify or remove."""
    verb, _, rest = line.partition(" ")
    what, _, rest = rest.strip().partition(" ")
    verb, what = verb.lower(), what.lower().rstrip("s") if what.lower() != "qos" else "qos"
    where = f"{path.name}:{number}"
    given = {key.lower(): value.strip("\"'") for key, value in _SCRIPT_PAIR.findall(rest)}
    try:
        if verb in ("add", "create"):
            _add(where, what, given, book)
        elif verb in ("modify", "update"):
            _modify(where, what, rest, given, book)
        elif verb in ("remove", "delete"):
            if what == "qos":
                book.qos.pop(given.get("name", given.get("where", "")), None)
        elif verb not in ("list", "show", "quit", "exit"):
            raise InputError("no command of sacctmgr, and no line of sacctmgr dump")
    except SchedlabError as error:
        raise InputError.at(path, number, f"{line[:60]!r}: {error}") from None


def _add(where: str, what: str, given: dict[str, str], book: AccountBook) -> None:
    names = [name for name in given.pop("name", given.pop("names", "")).split(",") if name]
    for name in names:
        if what == "qos":
            book.add_qos(where, name, given)
        elif what == "cluster":
            book.add_association(where, given, account=ROOT)
        elif what == "account":
            rest = dict(given)
            parent = rest.pop("parent", ROOT)
            rest.pop("cluster", None)
            book.add_association(where, rest, account=name, parent=parent)
        elif what == "user":
            rest = dict(given)
            default, level = rest.pop("defaultaccount", None), rest.pop("adminlevel", None)
            rest.pop("cluster", None)
            accounts = (
                rest.pop("account", None) or rest.pop("accounts", None) or default or ROOT
            ).split(",")
            book.users[name] = User(name, default or accounts[0], level)
            for account in accounts:
                book.add_association(where, rest, account=account, user=name)
        else:
            raise ParameterError(f'cannot add "{what}"; must be qos, cluster, account or user')


def _modify(where: str, what: str, rest: str, given: dict[str, str], book: AccountBook) -> None:
    """Read ``modify qos [where] name=X set ...`` or, as some write it, ``modify qos set X ...``."""
    before, _, after = rest.partition("set ")
    settings = {k.lower(): v.strip("\"'") for k, v in _SCRIPT_PAIR.findall(after)}
    chosen = {k.lower(): v.strip("\"'") for k, v in _SCRIPT_PAIR.findall(before)}
    bare = [word for word in f"{before} {after}".split() if "=" not in word and word != "where"]
    name = chosen.get("name") or (bare[0] if bare else None)
    if what == "qos":
        if name is None:
            raise ParameterError("the name of the QOS is missing")
        book.add_qos(where, name, settings)
        return
    values = read_keys(settings, ASSOCIATION_KEYS, where, "association", book.report)
    for key, each in list(book.associations.items()):
        is_user = each.user is not None
        fits = is_user if what == "user" else not is_user
        wanted = name or chosen.get("user" if what == "user" else "account")
        if fits and wanted in (None, each.user if is_user else each.account):
            book.associations[key] = replace(each, **values)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, text in enumerate(decode(Source.load(path).data).splitlines(), 1):
        line = text.partition("#")[0].strip()
        if line:
            yield number, line
