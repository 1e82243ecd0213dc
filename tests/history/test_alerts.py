"""Alerts: a site's problems are found, sent once, and sent again until a user acknowledges them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.history.records import NOON_S, job
from tests.history.tiny_site import SITE, tiny_site
from tests.services.hook import webhook
from tests.services.smtp import REFUSED, mail_server

from schedlab.errors import InputError
from schedlab.history.alerts.book import (
    Noted,
    acknowledge,
    count_unacknowledged,
    current_alerts,
    past_alerts,
)
from schedlab.history.alerts.watch import find_alerts, watch
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.site import Site, read_site
from schedlab.history.store import Store
from schedlab.history.store.duties import is_due, take_duty
from schedlab.history.web.database import Database

HOUR_S, DAY_S = 3_600, 86_400
NOW_S = NOON_S + 600

GPUS = """
[[sensor_source]]
kind = "csv"
name = "gpus"
files = "gpus.csv"
time_format = "epoch"
host_column = "host"
device_column = "gpu"

[[sensor_source.item]]
name = "accelerator.utilization_percent"
column = "busy"
unit = "%"
"""


class Watched:
    """A site of two nodes, and the store of its jobs."""

    def __init__(self, folder: Path, records: Sequence[JobRecord], more: str = "") -> None:
        self.site = tiny_site(folder, f"{more}\n[service.alerts]\n")
        with Store.make(str(folder / "history.db")) as store:
            store.put(records, source="scheduler")
        self.database = Database(str(folder / "history.db"))

    def configured(self, text: str) -> Site:
        """Return the same site with other settings of the service."""
        path = self.site.path
        path.write_text(SITE + text)
        self.site = read_site(path)
        return self.site

    def texts(self, now_s: float = NOW_S) -> dict[str, str]:
        """Return the text of each alert that holds, by its kind and subject."""
        assert self.site.service.alerts is not None
        _, found = find_alerts(self.database, self.site, self.site.service.alerts, now_s)
        return {f"{each.kind} {each.subject}": each.text for each in found}

    def look(self, now_s: float = NOW_S) -> list[Noted]:
        """Look once, as the service does, and return what holds."""
        assert self.site.service.alerts is not None
        watch(self.database, self.site, self.site.service.alerts, now_s)
        with self.database.reading_long() as connection:
            return current_alerts(connection)


@pytest.fixture
def lagging(tmp_path: Path) -> Iterator[Watched]:
    """A site whose last job ended two days ago."""
    watched = Watched(tmp_path, [job("1", queued_s=-2 * DAY_S)])
    with closing(watched.database):
        yield watched


def test_a_source_lags_once_no_job_of_it_has_ended_for_a_day(tmp_path: Path) -> None:
    """A source whose job ended minutes ago works; a day later it lags."""
    watched = Watched(tmp_path, [job("1")])
    with closing(watched.database):
        assert watched.texts() == {}
        assert watched.texts(NOW_S + DAY_S) == {
            "source-lag scheduler": 'No job of source "scheduler" has ended in the last 1.00 d.'
        }


def covered(jobid: str, queued_s: int, share: float | None) -> JobRecord:
    """Return a job with this coverage of its power, or one without a value."""
    about: dict[str, Any] = {"unit": "W", "native_step_s": 60.0, "scope": "node", "source": "meter"}
    host: dict[str, Any] = {"node_id": "n01", "power_watt_provenance": about}
    if share is not None:
        about["coverage"] = share
        host["power_watt_avg"] = 100.0
    return job(jobid, queued_s=queued_s, per_host=[host])


@pytest.mark.parametrize(("share", "told"), [(0.9, None), (0.2, "20 %"), (None, "0 %")])
def test_coverage_falls_against_the_week_before(
    tmp_path: Path, share: float | None, told: str | None
) -> None:
    """Coverage below half of the week before raises an alert; an absent value counts as 0."""
    before = [covered(str(n), -3 * DAY_S + n, 0.8) for n in range(6)]
    watched = Watched(tmp_path, [*before, *(covered(str(100 + n), n, share) for n in range(6))])
    with closing(watched.database):
        found = watched.texts().get("coverage one power_watt")
    expected = f'The coverage of power_watt of "meter" on one is {told} in the last day;'
    assert found is None if told is None else found is not None and found.startswith(expected)


def test_a_gpu_that_idles_in_a_running_job_is_told(tmp_path: Path) -> None:
    """The alert names host and GPU; a busy GPU and a job that has just begun raise none."""
    rows = [
        f"{NOON_S + second},n01,{gpu},{busy}"
        for second in range(-4 * HOUR_S, 900, 60)
        for gpu, busy in (("0", 80), ("1", 0.5))
    ]
    (tmp_path / "gpus.csv").write_text("\n".join(["time,host,gpu,busy", *rows]) + "\n")
    running: dict[str, Any] = {"end_time": None, "state": "running"}
    held = {"per_host": [{"node_id": "n01", "accelerator": [{"index": 0}, {"index": 1}]}]}
    long = job(
        "7", queued_s=-4 * HOUR_S, start_time=from_epoch(NOON_S - 3 * HOUR_S), **running, **held
    )
    begun = job("8", queued_s=-60, start_time=from_epoch(NOON_S), **running, **held)
    watched = Watched(tmp_path, [long, begun, job("1")], GPUS)
    with closing(watched.database):
        assert watched.texts() == {
            "idle-gpu one 7": "Job 7 of ann on one: 1 of its 2 GPUs was idle in the last 2.00 h "
            "(n01 GPU 1)."
        }


def test_a_queue_grows_unusually(tmp_path: Path) -> None:
    """Thirty jobs wait where two usually do; fewer than ``queue_least`` never raise an alert."""
    weeks = range(1, 20 * 24)
    usual = [
        job(
            str(hour),
            queued_s=-hour * HOUR_S - DAY_S,
            start_time=from_epoch(NOON_S - DAY_S - hour * HOUR_S + 2 * HOUR_S),
            end_time=from_epoch(NOON_S - DAY_S - hour * HOUR_S + 3 * HOUR_S),
        )
        for hour in weeks
    ]
    nothing: dict[str, Any] = {"start_time": None, "end_time": None, "per_host": None}
    waiting = [job(f"w{n}", queued_s=n, state="pending", **nothing) for n in range(30)]
    watched = Watched(tmp_path, [*usual, *waiting, job("now")])
    with closing(watched.database):
        found = watched.texts()
        watched.configured("[service.alerts]\nqueue_least = 31\n")
        assert watched.texts() == {}
        watched.configured("[service.alerts]\nqueue_factor = 20\n")
        assert watched.texts() == {}
    assert set(found) == {"queue one"}
    assert found["queue one"].startswith("30 jobs wait on one; in the last 4 weeks it was ")


def test_people_and_programs_are_told_once(lagging: Watched) -> None:
    """A real mail server and a real webhook get the alert once, with one mail per recipient."""
    with mail_server() as box, webhook() as hook:
        lagging.configured(
            f'[service]\nurl = "https://hpc.example.org/history"\n'
            f'[service.mail]\nserver = "127.0.0.1"\nport = {box.port}\n'
            f'sender = "schedlab@example.org"\n[service.alerts]\n'
            f'email = ["ops@example.org", "boss@example.org"]\nwebhook = "{hook.url}"\n'
        )
        for _ in range(2):
            (alert,) = lagging.look()
    assert alert.told_s == NOW_S
    assert box.to == ["ops@example.org", "boss@example.org"]
    message = box.messages[0]
    assert (message["subject"], message["to"]) == ("tiny: an alert (source-lag)", "ops@example.org")
    assert message.get_content().replace("\r\n", "\n") == (
        'No job of source "scheduler" has ended in the last 1.00 d.\n'
        "https://hpc.example.org/history/admin\n\n"
        "Acknowledge them at https://hpc.example.org/history/alerts\n"
    )
    (document,) = hook.documents
    assert document["text"].startswith("tiny: an alert (source-lag)\nNo job of source")
    assert document["alerts"][0]["url"] == "https://hpc.example.org/history/admin"


def test_what_nobody_acknowledges_is_told_again(lagging: Watched) -> None:
    """An alert is sent again after a day until it is acknowledged; once over, it stays as past."""
    with webhook() as hook:
        lagging.configured(f'[service.alerts]\nwebhook = "{hook.url}"\n')
        lagging.look()
        (alert,) = lagging.look(NOW_S + 25 * HOUR_S)
        assert len(hook.documents) == 2
        with lagging.database.writing() as connection:
            assert count_unacknowledged(connection) == 1
            assert acknowledge(connection, alert.id, "sue", NOW_S)
            assert not acknowledge(connection, "nothing", "sue", NOW_S)
            assert count_unacknowledged(connection) == 0
        (seen,) = lagging.look(NOW_S + 50 * HOUR_S)
        assert (seen.acknowledged_by, len(hook.documents)) == ("sue", 2)
    with Store.open(str(lagging.site.path.parent / "history.db")) as store:
        store.put([job("2", queued_s=51 * HOUR_S)], source="scheduler")
    assert lagging.look(NOW_S + 52 * HOUR_S) == []
    with lagging.database.reading_long() as connection:
        (past,) = past_alerts(connection)
    assert (past.id, past.ended_s) == (alert.id, NOW_S + 52 * HOUR_S)


def test_who_was_told_is_told_once_that_it_is_over(lagging: Watched) -> None:
    """The mail says when it ended and what it was; a webhook that was added later gets nothing."""
    over_s = NOW_S + 2 * HOUR_S
    with mail_server() as box, webhook() as hook:
        mail = (
            f'[service.mail]\nserver = "127.0.0.1"\nport = {box.port}\nsender = "s@example.org"\n'
        )
        lagging.configured(f'{mail}[service.alerts]\nemail = ["ops@example.org"]\n')
        lagging.look()
        with Store.open(str(lagging.site.path.parent / "history.db")) as store:
            store.put([job("2", queued_s=HOUR_S)], source="scheduler")
        lagging.configured(
            f'{mail}[service.alerts]\nemail = ["ops@example.org"]\nwebhook = "{hook.url}"\n'
        )
        for later_s in (0, 600, 50 * HOUR_S):
            with Store.open(str(lagging.site.path.parent / "history.db")) as store:
                store.put([job(f"3{later_s}", queued_s=HOUR_S + later_s)], source="scheduler")
            assert lagging.look(over_s + later_s) == []
    subjects = [message["subject"] for message in box.messages]
    assert subjects == ["tiny: an alert (source-lag)", "tiny: an alert is over (source-lag)"]
    assert box.messages[1].get_content().startswith("Over since 2023-11-15 ")
    assert 'It was: No job of source "scheduler"' in box.messages[1].get_content()
    assert "Acknowledge" not in box.messages[1].get_content()
    assert hook.documents == []


def test_a_webhook_is_told_when_it_is_over(lagging: Watched) -> None:
    """An end in quiet hours is sent after them; ``ended`` is null in the first message."""
    with webhook() as hook:
        lagging.configured(f'[service.alerts]\nwebhook = "{hook.url}"\nquiet = "22:00-07:00"\n')
        lagging.look()
        with Store.open(str(lagging.site.path.parent / "history.db")) as store:
            store.put([job("2", queued_s=10 * HOUR_S)], source="scheduler")
        lagging.look(NOON_S + 11 * HOUR_S)
        assert len(hook.documents) == 1
        lagging.look(NOON_S + 20 * HOUR_S)
    first, last = (document["alerts"][0] for document in hook.documents)
    assert (first["ended"], last["ended"]) == (None, "2023-11-15T23:00:00+00:00")
    assert last["id"] == first["id"]
    assert hook.documents[1]["text"].startswith("tiny: an alert is over (source-lag)\nOver since")


def test_quiet_hours_keep_the_news_for_the_morning(lagging: Watched) -> None:
    """In quiet hours an alert is on the page only; it is sent when they are over."""
    with webhook() as hook:
        lagging.configured(f'[service.alerts]\nwebhook = "{hook.url}"\nquiet = "22:00-07:00"\n')
        assert len(lagging.look(NOON_S + 11 * HOUR_S)) == 1
        assert len(lagging.look(NOON_S + 18 * HOUR_S)) == 1
        assert hook.documents == []
        lagging.look(NOON_S + 19 * HOUR_S)
        assert len(hook.documents) == 1


def test_a_refusal_is_kept_and_tried_again(lagging: Watched) -> None:
    """The page says why an alert was not sent, without the secret part of the webhook's URL."""
    with webhook() as hook:
        lagging.configured(f'[service.alerts]\nwebhook = "{hook.url}"\n')
        hook.status = 500
        (alert,) = lagging.look()
        assert alert.told_s is None
        assert alert.failure == "webhook at 127.0.0.1: answered 500 Internal Server Error"
        hook.status = 204
        (alert,) = lagging.look()
    assert (alert.told_s, alert.failure) == (NOW_S, None)


@pytest.mark.parametrize(
    ("address", "password", "told"),
    [
        ("ops@example.org", "letters", None),
        ("ops@example.org", "wrong", "refused: 535"),
        (REFUSED, "letters", "refused the recipient: 550 no such mailbox"),
    ],
)
def test_a_mail_server_wants_a_login(
    lagging: Watched, address: str, password: str, told: str | None
) -> None:
    """A refused login or recipient is one sentence, which the alert keeps."""
    (lagging.site.path.parent / "mail.secret").write_text(f"{password}\n")
    with mail_server(needs_login=True) as box:
        lagging.configured(
            f'[service.mail]\nserver = "127.0.0.1"\nport = {box.port}\nuser = "robot"\n'
            'sender = "schedlab@example.org"\npassword_file = "mail.secret"\n'
            f'[service.alerts]\nemail = ["{address}"]\n'
        )
        (alert,) = lagging.look()
    assert set(box.logins) == {"robot"}
    assert (alert.failure is None) == (told is None)
    assert told is None or told in (alert.failure or "")


def test_a_mail_server_that_is_gone_is_told(lagging: Watched) -> None:
    """The alert keeps the reason, and is still to be sent."""
    with mail_server() as box:
        pass
    lagging.configured(
        f'[service.mail]\nserver = "127.0.0.1"\nport = {box.port}\n'
        'sender = "schedlab@example.org"\n[service.alerts]\nemail = ["ops@example.org"]\n'
    )
    (alert,) = lagging.look()
    assert alert.failure == f"mail server 127.0.0.1, port {box.port}: connection refused"


def test_one_worker_takes_a_duty(lagging: Watched) -> None:
    """Once a worker has taken a duty, the others find that it is no longer due."""
    with lagging.database.writing() as connection:
        assert is_due(connection, "alerts", NOW_S)
        assert take_duty(connection, "alerts", NOW_S, NOW_S + 300)
        assert not is_due(connection, "alerts", NOW_S)
        assert not take_duty(connection, "alerts", NOW_S, NOW_S + 300)
        assert is_due(connection, "alerts", NOW_S + 300)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('quiet = "at night"', 'quiet is "at night"; must be hours such as 22:00-07:00'),
        ('quiet = "22:00-25:00"', "must be hours such as"),
        ('off = ["gpu"]', 'unknown kind of alert in off "gpu"'),
        ("coverage = 2", "coverage is 2; must be from 0 to 1"),
        ("every_s = 1", "every_s is 1; must be 10 to 604800"),
        ("every_s = 9007199254740992", "every_s is 9007199254740992; must be 10 to"),
        ("source_lag_h = 1e300", "source_lag_h is 1e\\+300; must be <= 87660"),
        ("idle_gpu_h = 1e300", "idle_gpu_h is 1e\\+300; must be <= 87660"),
        ("idle_gpu_h = 0", "idle_gpu_h is 0; must be > 0"),
        ('email = ["ops"]', 'email is "ops"; must be an address such as'),
        ('email = ["ops@example.org"]', r"email needs \[service.mail\]"),
        ('webhook = "hooks.example.org"', "must begin with https://"),
        ('webhook = "https://a"\nwebhook_file = "b"', "exclude each other"),
        ("lag = 3", "unknown key or section"),
        ('[service.mail]\nserver = "x"\nsender = "a@b"\ntls = "ssl"', 'unknown tls "ssl"'),
        ('[service.mail]\nserver = "x"\nsender = "a@b"\nuser = "u"', "belong together"),
        ('[service.mail]\nserver = "x"\nsender = "a@b"\nport = 0', "port is 0; must be from 1"),
        ('[service.mail]\nsender = "a@b"', "lacks the key server"),
    ],
)
def test_a_wrong_setting_is_one_sentence(tmp_path: Path, lines: str, told: str) -> None:
    """The sentence names the file, what is wrong, and what is allowed."""
    path = tiny_site(tmp_path).path
    path.write_text(f"{SITE}[service.alerts]\n{lines}\n")
    with pytest.raises(InputError, match=told) as raised:
        read_site(path)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)
