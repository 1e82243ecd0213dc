"""Reports: their numbers compared with plain loops, and their delivery to folders and people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest
from tests.history.records import NOON_S, job
from tests.history.tiny_site import SITE, tiny_site
from tests.history.web.browsing import needs_chromium
from tests.services.smtp import mail_server

from schedlab.errors import InputError, ParameterError
from schedlab.history.factors import CarbonSection, read_factors
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import find_zone, from_epoch
from schedlab.history.site import read_site
from schedlab.history.store import Store
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.database import Database
from schedlab.history.web.reports import pdf
from schedlab.history.web.reports.deliver import Post
from schedlab.history.web.reports.files import as_file
from schedlab.history.web.reports.period import Period
from schedlab.history.web.reports.report import PeriodReport, Subject, make_report

HOUR_S, DAY_S = 3_600, 86_400
GIB = 2**30
WEEK = Period.around("week", date(2023, 11, 15), UTC)
"""The week from Monday, 13 November, on; ``NOON_S`` is on its Wednesday."""
ALL = Viewer(Role.SUPPORT)

FACTORS = """
[carbon]
gram_per_kwh = 400
source = "the grid"
[[carbon.change]]
since = "2023-11-16"
gram_per_kwh = 100

[service.cost]
currency = "EUR"
node_hour = 1.0
[[service.cost.change]]
since = "2023-11-16"
kwh = 0.5
"""


def ran(jobid: str, day: int, hours: int, waited_s: int, **items: Any) -> JobRecord:
    """Return a job submitted at noon, ``day`` days after Wednesday, that used 1 kWh per hour."""
    start_s = NOON_S + day * DAY_S + waited_s
    times = {
        "start_time": from_epoch(start_s),
        "end_time": from_epoch(start_s + hours * HOUR_S),
        "energy": {"total_joule": 3.6e6 * hours},
        "req_walltime_sec": 4 * hours * HOUR_S,
    }
    return job(jobid, queued_s=day * DAY_S, **times | items)


BEN = {"user_identifier": "ben", "accounting_group": "chemistry"}
WASTED: dict[str, Any] = {
    "resource_req": {"num_host": 1, "mem_perhost_bytes": 100 * GIB},
    "per_host": [{"node_id": "n01", "used_mem_bytes_max": 2.5 * GIB}],
}
JOBS = (
    ran("before", -7, 5, 0),
    ran("1", 0, 2, 60),
    ran("2", 0, 3, 600, state="failed", **BEN),
    ran("3", 2, 4, 0, **WASTED),
    ran("4", 2, 1, 30, energy=None),
    ran("after", 5, 1, 0),
    job("5", queued_s=60, state="pending", start_time=None, end_time=None, per_host=None),
)


class Reported:
    """A site with the jobs of ``JOBS``."""

    def __init__(self, folder: Path) -> None:
        tiny_site(folder)
        self.folder = folder
        with Store.make(str(folder / "history.db")) as store:
            store.put(JOBS, source="scheduler")
        self.database = Database(str(folder / "history.db"))
        self.configure("")

    def configure(self, more: str) -> None:
        """Give the site file other sections."""
        (self.folder / "site.toml").write_text(SITE + FACTORS + more)
        self.site = read_site(self.folder / "site.toml")

    def report(self, kind: str = "site", name: str = "tiny", period: Period = WEEK) -> PeriodReport:
        """Return a report for a viewer who sees all jobs."""
        with self.database.reading() as connection:
            return make_report(connection, ALL, self.site, Subject(kind, name), period)

    def deliver(self, now_s: float) -> None:
        """Deliver reports, as the service does when they are due."""
        assert self.site.service.reports is not None
        Post(self.database, self.site, self.site.service.reports).deliver(now_s)


@pytest.fixture
def reported(tmp_path: Path) -> Iterator[Reported]:
    """The test's own site."""
    found = Reported(tmp_path)
    with closing(found.database):
        yield found


def test_an_hour_of_a_gpu_has_its_price(reported: Reported) -> None:
    """The GPUs that the job got count, else those that it asked for on each host."""
    assert reported.report().use.gpu_hours is None
    before = reported.report().use.cost
    assert before is not None
    two = {"num_host": 2, "accelerator": {"type": "a", "num_perhost": 4}}
    hosts = [{"node_id": "n01"}, {"node_id": "n02"}]
    got = {"resource_req": {"num_host": 1}, "resource_alloc": {"num_accelerator": 3}}
    with Store.open(str(reported.folder / "history.db")) as store:
        asked = ran("g1", 0, 2, 0, resource_req=two, per_host=hosts, energy=None)
        store.put([asked, ran("g2", 0, 1, 0, energy=None, **got)], source="scheduler")
    site = reported.folder / "site.toml"
    site.write_text(site.read_text().replace("node_hour = 1.0", "node_hour = 1.0\ngpu_hour = 10"))
    reported.site = read_site(site)
    use = reported.report().use
    assert use.gpu_hours == pytest.approx(2 * 4 * 2 + 3 * 1)
    assert use.cost == pytest.approx(before + (2 * 2 + 1) * 1.0 + 19 * 10)
    assert "GPU-hours" in as_file(reported.report(), "tiny", "html").decode()


def test_a_report_sums_up_a_week(reported: Reported) -> None:
    """Jobs count in the week in which they ended; the week before stands beside it."""
    report = reported.report()
    use = report.use
    waits = [60, 600, 0, 30]
    assert (use.jobs, use.not_completed, report.before.jobs) == (4, 1, 1)
    assert use.node_hours == pytest.approx(2 + 3 + 4 + 1)
    assert use.mean_wait_s == pytest.approx(mean(waits))
    assert use.median_wait_s == pytest.approx(median(waits))
    assert use.mean_wra == pytest.approx(0.25)
    assert use.asked_ratio == pytest.approx(4.0)
    assert use.energy_joule == pytest.approx(9 * 3.6e6)
    assert use.jobs_with_energy == 3
    assert dict(report.days) == {
        f"2023-11-{13 + day}": hours for day, hours in enumerate([0, 0, 5, 0, 5, 0, 0])
    }
    assert [(name, each.jobs) for name, each in report.groups] == [("physics", 3), ("chemistry", 1)]
    assert [name for name, _ in report.users] == ["ann", "ben"]


def test_a_week_that_is_not_over_says_so(
    reported: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Days in the future must not look like days without jobs."""
    told = "The week is not over"
    assert told not in as_file(reported.report(), "tiny", "html").decode()
    monkeypatch.setattr("schedlab.history.web.reports.report.time.time", lambda: NOON_S)
    report = reported.report()
    assert [day for day, _ in report.days] == ["2023-11-13", "2023-11-14", "2023-11-15"]
    assert told in as_file(report, "tiny", "html").decode()


def test_a_week_that_is_not_over_stands_beside_as_much_of_the_one_before(
    reported: Reported, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job of the week before ended on Wednesday at 17:00: it counts from then on."""
    for hour, jobs, page in ((0, 0, "beside the same part of"), (6, 1, "beside the same part of")):
        now_s = NOON_S + hour * HOUR_S
        monkeypatch.setattr("schedlab.history.web.reports.report.time.time", lambda now=now_s: now)
        report = reported.report()
        assert report.before.jobs == jobs
        assert page in as_file(report, "tiny", "html").decode()
    monkeypatch.undo()
    assert reported.report().before.jobs == 1
    assert "same part" not in as_file(reported.report(), "tiny", "html").decode()


def test_factors_hold_from_their_days_on(reported: Reported) -> None:
    """This holds for carbon and for prices; a change keeps what it does not name."""
    report = reported.report()
    assert report.use.carbon_gram == pytest.approx(400 * 5 + 100 * 4)
    assert report.use.cost == pytest.approx(1.0 * 10 + 0.5 * 4)
    assert report.currency == "EUR"
    factors = reported.site.carbon
    assert factors is not None
    assert (factors(NOON_S + DAY_S).gram_per_kwh, factors(NOON_S + DAY_S).source) == (
        100,
        "the grid",
    )


def test_what_would_help_is_told_with_the_largest_example(reported: Reported) -> None:
    """A hint also says that requests are loose; users who used what they asked for get none."""
    texts = [(each.text, each.advice) for each in reported.report("user", "ann").hints]
    assert texts == [
        (
            "One job of 4 node-hours asked for far more memory than was used: ask for less, and "
            "more fits on a node.",
            "Job 3: It asked for 100 GiB on a node and used 2.50 GiB: ask for 4 GiB.",
        ),
        (
            "Together, jobs asked for 4.0 times the time that they ran: tighter requests let the "
            "scheduler start jobs in gaps.",
            None,
        ),
    ]


def test_a_report_is_about_its_subject_only(reported: Reported) -> None:
    """A group's report has its users; a user's report has no one else."""
    group = reported.report("group", "physics")
    assert (group.use.jobs, [name for name, _ in group.users], group.groups) == (3, ["ann"], [])
    user = json.dumps(reported.report("user", "ben").facts())
    assert "ann" not in user
    assert "chemistry" not in user


@pytest.mark.parametrize(
    ("kind", "day", "key", "label", "days"),
    [
        ("week", date(2026, 11, 15), "2026-W46", "9 November to 15 November 2026", 7),
        ("week", date(2027, 1, 1), "2026-W53", "28 December to 3 January 2027", 7),
        ("month", date(2024, 2, 29), "2024-02", "February 2024", 29),
        ("month", date(2026, 12, 31), "2026-12", "December 2026", 31),
    ],
)
def test_periods_are_those_of_the_calendar(
    kind: str, day: date, key: str, label: str, days: int
) -> None:
    """A week begins on Monday; a period meets the next and the previous one at midnight."""
    period = Period.around(kind, day, UTC)
    assert (period.key, period.label, len(period.days)) == (key, label, days)
    assert period.before.to_s == period.from_s
    assert period.next.from_s == period.to_s == period.from_s + days * DAY_S
    assert period.next.before == period


def test_days_begin_at_the_midnight_of_the_site() -> None:
    """A week in which the clocks go back has one hour more."""
    week = Period.around("week", date(2026, 10, 25), find_zone("Europe/Vienna"))
    assert week.to_s - week.from_s == 7 * DAY_S + HOUR_S
    with pytest.raises(ParameterError, match="too far from now"):
        Period.around("week", date(1, 1, 1), UTC)


MAIL = """
[service]
url = "https://hpc.example.org/history"
[service.mail]
server = "127.0.0.1"
port = {port}
sender = "schedlab@example.org"
[service.reports]
periods = ["week"]
hour = 6
"""
MONDAY_S = WEEK.to_s


def test_the_report_of_the_site_is_sent_once(reported: Reported) -> None:
    """A real mail server gets the report at six on Monday, as text and as a page, and only once."""
    with mail_server() as box:
        reported.configure(MAIL.format(port=box.port) + 'email = ["boss@example.org"]\n')
        reported.deliver(MONDAY_S + 5 * HOUR_S)
        before = [each["subject"] for each in box.messages]
        for hour in (6, 7, 100):
            reported.deliver(MONDAY_S + hour * HOUR_S)
    assert before == ["tiny: Report on tiny, 6 November to 12 November 2023"]
    (message,) = box.messages[1:]
    assert message["subject"] == "tiny: Report on tiny, 13 November to 19 November 2023"
    text, page = (message.get_body((kind,)) for kind in ("plain", "html"))
    assert text is not None
    assert "4 jobs ended, 1 of them not completed." in text.get_content()
    assert "https://hpc.example.org/history/reports?period=week&date=2023-11-13" in (
        text.get_content()
    )
    assert page is not None
    assert "<h1>Report on tiny</h1>" in page.get_content()
    assert "12.00 EUR" in page.get_content()


def test_a_report_that_could_not_be_sent_is_sent_later(reported: Reported) -> None:
    """The service tries again the next time that reports are due."""
    with mail_server() as box:
        pass
    more = MAIL.format(port=box.port) + 'email = ["boss@example.org"]\n'
    reported.configure(more)
    reported.deliver(MONDAY_S + 6 * HOUR_S)
    with mail_server() as box:
        reported.configure(MAIL.format(port=box.port) + 'email = ["boss@example.org"]\n')
        reported.deliver(MONDAY_S + 7 * HOUR_S)
    assert len(box.messages) == 1


def test_reports_are_written_into_a_folder(reported: Reported) -> None:
    """The folder has a report for the site and for each group; only its owner can read it."""
    reported.configure('[service.reports]\nperiods = ["week"]\nfolder = "reports"\n')
    reported.deliver(MONDAY_S + 6 * HOUR_S)
    folder = reported.folder / "reports"
    assert sorted(path.name for path in folder.iterdir()) == [
        "report-group-chemistry-2023-W46.html",
        "report-group-physics-2023-W46.html",
        "report-site-2023-W46.html",
    ]
    assert folder.stat().st_mode & 0o077 == 0


def test_a_name_cannot_leave_the_folder(reported: Reported) -> None:
    """A group's name cannot bring a script into the file's name, either."""
    report = reported.report("group", "../../etc/<script>")
    assert report.file_name == "report-group-..-..-etc--script--2023-W46"


@needs_chromium
@pytest.mark.slow
def test_a_report_is_printed(reported: Reported) -> None:
    """The installed Chromium prints it, and the PDF is attached to the message."""
    with mail_server() as box:
        more = 'email = ["boss@example.org"]\nformats = ["html", "pdf"]\n'
        reported.configure(MAIL.format(port=box.port) + more)
        reported.deliver(MONDAY_S + 6 * HOUR_S)
    (attached,) = box.messages[0].iter_attachments()
    assert attached.get_filename() == "report-site-2023-W46.pdf"
    assert attached.get_content().startswith(b"%PDF-")


def test_without_chromium_there_is_no_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says in one sentence what is missing."""
    monkeypatch.setenv("PATH", "")
    assert pdf.browser() is None
    with pytest.raises(ParameterError, match="a PDF needs Chromium, which is not installed"):
        pdf.to_pdf("<p>nothing</p>")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('[service.reports]\nperiods = ["day"]', 'unknown periods "day"'),
        ('[service.reports]\nformats = ["doc"]', 'unknown formats "doc"'),
        ("[service.reports]\nhour = 24", "hour is 24; must be from 0 to 23"),
        (
            '[service.reports]\nemail = ["a@b"]',
            r"reports\]: email needs \[service.mail",
        ),
        ("[service.reports]\nusers = true", r"users needs \[service.mail\]"),
        ("[service.cost]\nnode_hour = 1", "lacks the key currency"),
        ('[service.cost]\ncurrency = "EUR"\nkwh = -1', "kwh is -1; must be >= 0"),
        ('[service.cost]\ncurrency = "EUR"\ngpu = 1', "unknown key or section"),
        ("[service]\ncost = 3", "must be a section"),
        ("[carbon]\ngram_per_kwh = -1\nsource = 'x'", "gram_per_kwh is -1; must be >= 0"),
        (
            "[carbon]\ngram_per_kwh = 1\nsource = 'x'\n[[carbon.change]]\ngram_per_kwh = 2",
            "lacks the key since",
        ),
        (
            "[carbon]\ngram_per_kwh = 1\nsource = 'x'\n[[carbon.change]]\nsince = 'July'",
            'since is "July"; must be a day such as',
        ),
        (
            "[carbon]\ngram_per_kwh = 1\nsource = 'x'\n"
            "[[carbon.change]]\nsince = '2026-02-01'\n[[carbon.change]]\nsince = '2026-01-01'",
            "must follow each other",
        ),
        ("[carbon]\ngram_per_kwh = 1\nsource = 'x'\nchange = 3", "with double brackets"),
    ],
)
def test_a_wrong_setting_is_one_sentence(tmp_path: Path, more: str, told: str) -> None:
    """The error names the file, what is wrong, and what is allowed."""
    path = tiny_site(tmp_path).path
    path.write_text(f"{SITE}{more}\n")
    with pytest.raises(InputError, match=told) as raised:
        read_site(path)
    assert str(path) in str(raised.value)


def test_factors_without_changes_hold_for_ever() -> None:
    """The same factors hold at any time."""
    factors = read_factors(CarbonSection, {"gram_per_kwh": 5, "source": "x"}, "carbon")
    assert factors(0).gram_per_kwh == factors(4e9).gram_per_kwh == 5
