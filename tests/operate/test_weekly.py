"""The weekly report of a loop, and what old rounds leave."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.history.tiny_site import tiny_site
from tests.services.smtp import mail_server
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.live.ledger import Ledger
from schedlab.operate.collect import forget
from schedlab.operate.record import LOG
from schedlab.operate.weekly import steered_spans, week_of

DAY_S = 86_400
BEGIN_S = 1_699_833_600
"""Monday, 13 November 2023: the week in which the jobs of the tiny site ended."""
WEEK = ("--date", "2023-11-15")


def steered_site(folder: Path) -> Path:
    """Return a site folder whose loop steered for a day of that week, by an oddly named policy."""
    (folder / "operate").mkdir(parents=True)
    (folder / "live").mkdir()
    loop, steering = Ledger(folder / "operate" / LOG), Ledger(folder / "live" / "steering.log")
    policy, at = "<b>saf</b>", BEGIN_S + DAY_S
    waits = {"jobs": 40, "without_s": 200.0, "with_s": 150.0, "difference": -0.25}
    loop.add("round", at - 9 * DAY_S, round=1)
    loop.add("steers", at, round=1, policy=policy, digest="0123456789abcdef")
    steering.add("change", at + 60, job="7", of=0, to=5, base=0)
    steering.add("refused", at + 120, why="the twin is far off")
    loop.add("steered", at + DAY_S, round=1, policy=policy, since=at)
    told = {"policy": policy, "good": True, "why": "", "interval": [-0.4, -0.1]}
    loop.add("watched", at + DAY_S + 9, round=1, **told, **waits)
    return folder


def test_a_week_knows_what_steered_and_for_how_long(tmp_path: Path) -> None:
    """A week shows nothing of other weeks."""
    week = week_of(steered_site(tmp_path / "site"), BEGIN_S, BEGIN_S + 7 * DAY_S)
    assert (week.policies, week.steered_h) == (["<b>saf</b>"], 24.0)
    assert (week.changes, week.refused) == (1, 1)
    assert [each["kind"] for each in week.entries] == ["steers", "steered", "watched"]
    assert [(each.change, each.interval) for each in week.effects] == [(-0.25, "-40.0% to -10.0%")]
    other = week_of(tmp_path / "site", BEGIN_S + 7 * DAY_S, BEGIN_S + 14 * DAY_S)
    assert (other.entries, other.policies, other.changes) == ([], [], 0)


def test_what_steers_does_so_until_now() -> None:
    """If a loop was killed while it steered and begins again, the time between counts once."""
    entries = [
        {"kind": "steers", "at": 10.0, "policy": "saf"},
        {"kind": "steers", "at": 20.0, "policy": "saf"},
        {"kind": "stopped", "at": 30.0, "policy": "saf"},
        {"kind": "steers", "at": 50.0, "policy": "f1"},
    ]
    assert list(steered_spans(entries, 60.0)) == [
        (10.0, 20.0, "saf"),
        (20.0, 30.0, "saf"),
        (50.0, 60.0, "f1"),
    ]


def test_the_report_has_the_service_s_figures_and_what_steered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is one page that can be mailed; names in it are escaped."""
    monkeypatch.chdir(tmp_path)
    tiny_site(tmp_path)
    run, site = CliRunner(), steered_site(tmp_path / "site")
    for words in (["init"], ["ingest"]):
        assert run.invoke(app, ["history", *words]).exit_code == 0
    with mail_server() as box:
        (site / "operate.toml").write_text(
            '[operate]\nservice = "../site.toml"\nemail = ["ops@example.org"]\n'
            f'[mail]\nserver = "127.0.0.1"\nport = {box.port}\nsender = "a@example.org"\n'
        )
        words = ["operate", str(site), "report", *WEEK, "--out", "week.html", "--send"]
        done = run.invoke(app, words)
    assert done.exit_code == 0, done.output
    assert box.to == ["ops@example.org"]
    html = Path("week.html").read_text()
    assert "<h1>Report on tiny</h1>" in html
    assert "&lt;b&gt;saf&lt;/b&gt;" in html
    assert "<b>saf" not in html
    assert "for 24.0 hours: 1 changes; in 1 periods a guard forbade all" in html
    assert "-40.0% to -10.0%" in html
    text = run.invoke(app, ["operate", str(site), "report", *WEEK]).stdout
    assert text.startswith("Report on tiny, 13 November to 19 November 2023\n\n3 jobs ended,")
    assert "while it steered: mean wait -25.0% (95 %: -40.0% to -10.0%)." in text


def test_without_a_service_the_report_is_of_the_loop_alone(tmp_path: Path) -> None:
    """The report says what is missing; sending it needs an address."""
    site, run = steered_site(tmp_path / "site"), CliRunner()
    words = ["operate", str(site), "report", *WEEK]
    done = run.invoke(app, [*words, "--out", str(tmp_path / "week.html")])
    assert done.exit_code == 0, done.output
    assert "names no <code>service</code>" in (tmp_path / "week.html").read_text()
    sent = run.invoke(app, [*words, "--send"])
    assert sent.exit_code == 2
    assert "has no email address" in sent.output


def test_what_old_rounds_collected_goes_and_their_logs_stay(tmp_path: Path) -> None:
    """A dump of weeks is large; the decisions are in the log of the loop."""
    for number in (1, 2, 3, 12_345):
        place = tmp_path / f"round-{number:04d}"
        for name in ("dump-first", "site-first", "site-watch"):
            (place / name).mkdir(parents=True)
        (place / "shadow.log").touch()
    (tmp_path / "round-old").mkdir()
    forget(tmp_path, 2)
    left = sorted(str(each.relative_to(tmp_path)) for each in tmp_path.glob("*/*"))
    kept = ("dump-first", "shadow.log", "site-first", "site-watch")
    assert left == sorted(
        [
            *("round-0001/shadow.log", "round-0002/shadow.log"),
            *(f"{place}/{name}" for place in ("round-0003", "round-12345") for name in kept),
        ]
    )
    forget(tmp_path, -1)
    assert len(sorted(tmp_path.glob("*/*"))) == len(left)
