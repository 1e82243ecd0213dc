"""schedlab operate."""

from __future__ import annotations

import getpass
import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from schedlab.cli.console import AsJson, new_table, out, print_json, print_notes
from schedlab.cli.live.options import Conf
from schedlab.cli.slurm.fidelity import Site

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = (
    "schedlab operate mysite",
    "schedlab operate mysite status",
    "schedlab operate mysite approve",
    "schedlab operate mysite report --out week.html",
    "schedlab operate mysite --rounds 1 --conf /etc/slurm-test/slurm.conf",
)


class Action(StrEnum):
    """The actions of ``schedlab operate``."""

    RUN = "run"
    STATUS = "status"
    APPROVE = "approve"
    REJECT = "reject"
    STOP = "stop"
    UNITS = "units"
    REPORT = "report"


def operate(
    site: Site,
    action: Annotated[
        Action,
        Argument(
            metavar="ACTION",
            help="run: the loop. status: its latest steps. approve, reject: answer its "
            "question. stop: end the steering. units: print systemd units. report: the "
            "last week, as HTML.",
        ),
    ] = Action.RUN,
    conf: Conf = None,
    rounds: Annotated[
        int | None, Option(metavar="N", min=1, help="End after this many rounds. Default: never.")
    ] = None,
    output: Annotated[
        Path | None, Option("--out", metavar="FILE", help="Write the report there.")
    ] = None,
    date: Annotated[
        str | None,
        Option(metavar="DAY", help="A day in the week of the report. Default: last week."),
    ] = None,
    send: Annotated[
        bool, Option("--send", help="Send the report to the addresses in operate.toml.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Keep learning on a running Slurm: collect, check the twin, learn, test, shadow, ask, steer.

    Every step is written to SITE/operate/operate.log; an interrupted loop continues there. A policy
    steers only after it was better in the test and in the shadow, and after your approval.
    It is watched, and removed if it is worse. Settings: SITE/operate.toml.
    """
    from schedlab.errors import InputError
    from schedlab.operate.gate import Gate, GateAnswer

    if action is Action.UNITS:
        _units()
        return
    if not site.is_dir():
        raise InputError(f"{site}: no such folder")
    gate = Gate(site / "operate")
    match action:
        case Action.RUN:
            _run(site, conf, rounds, json)
        case Action.STATUS:
            _status(site, json)
        case Action.REPORT:
            _report(site, date, output, send)
        case Action.STOP:
            gate.stop(getpass.getuser())
            print_notes(["the loop ends the steering within one period"], to_stderr=False)
        case _:
            yes = action is Action.APPROVE
            gate.answer(GateAnswer(yes, getpass.getuser(), gate.code()))
            print_notes(["answered: " + ("yes" if yes else "no")], to_stderr=False)


def _run(site: Path, conf: Path | None, rounds: int | None, json: bool) -> None:
    from schedlab.cli.live.options import print_line
    from schedlab.cli.slurm.import_dump import import_folder
    from schedlab.operate.loop import Loop
    from schedlab.operate.notices import Notices
    from schedlab.operate.settings import read_settings
    from schedlab.operate.steps import Steps

    settings, mail = read_settings(site)
    notices = Notices(site.name, site, settings.webhook, settings.email, mail)

    def say(text: str) -> None:
        if json:
            print_line({"at": round(time.time(), 3), "text": text})
        else:
            out().print(f"{_clock(time.time())}  {text}", soft_wrap=True, highlight=False)

    copy = _copier(site, settings.service)
    Loop(Steps(site, settings, import_folder, notices, conf, say, copy)).run(rounds)


def _copier(site: Path, service: str | None) -> Callable[[], object]:
    """Return a function that copies the log to the store; without a service it does nothing."""
    if service is None:
        return lambda: None
    from schedlab.cli.store_place import require_history

    require_history()
    from schedlab.operate.copies import copy_log, store_of

    url = store_of(site, service)
    return lambda: copy_log(site, url)


def _status(site: Path, json: bool) -> None:
    from schedlab.live.ledger import read_ledger
    from schedlab.live.switch import SteeringSwitch
    from schedlab.operate.record import LOG, record_of, sentence_of

    path = site / "operate" / LOG
    entries = list(read_ledger(path)) if path.exists() else []
    record, is_on = record_of(entries), SteeringSwitch(site / "live").is_on
    if json:
        print_json(
            {
                "round": record.round,
                "last": record.last,
                "steers": record.steers,
                "is_on": is_on,
                "entries": entries,
            }
        )
        return
    table = new_table("when", "round", "step", "policy", "what")
    for entry in entries:
        table.add_row(
            _clock(entry["at"]),
            str(entry["round"] or ""),
            entry["kind"],
            str(entry.get("policy", "")),
            sentence_of(entry),
        )
    out().print(table)
    steers = f"{record.steers} steers" if record.steers else "nothing steers"
    print_notes([f"round {record.round}: {record.last or 'not begun'}; {steers}"], to_stderr=False)


def _report(site: Path, date: str | None, output: Path | None, send: bool) -> None:
    from schedlab.atomic import atomic_write
    from schedlab.cli.store_place import require_service
    from schedlab.errors import InputError
    from schedlab.operate.settings import FILE, read_settings

    require_service()
    settings, mail = read_settings(site)
    if send and (mail is None or not settings.email):
        raise InputError(f"{site / FILE}: has no email address for the report")
    from schedlab.history.notify.mail import send_mail
    from schedlab.operate.report import weekly_report

    made = weekly_report(site, settings.service, date)
    if output is not None:
        with atomic_write(output) as path:
            path.write_text(made.html or "", encoding="utf-8")
    if send and mail is not None:
        send_mail(mail, site, settings.email, made)
    if output is None and not send:
        out().print(made.text, end="", markup=False, highlight=False, soft_wrap=True)
    done = [] if output is None else [f"written: {output}"]
    print_notes([*done, *(f"sent to {each}" for each in settings.email if send)], to_stderr=False)


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def _units() -> None:
    from importlib.resources import files

    for each in sorted(files("schedlab.operate").joinpath("units").iterdir(), key=lambda p: p.name):
        if each.name.endswith((".service", ".timer")):
            out().print(f"# {each.name}", highlight=False, markup=False)
            out().print(each.read_text(), highlight=False, markup=False, soft_wrap=True)
