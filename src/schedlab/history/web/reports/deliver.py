"""Reports that the service delivers by itself, each once: into a folder, and by e-mail."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Connection, insert, select, update

from schedlab.atomic import atomic_write
from schedlab.errors import OutputError, SchedlabError
from schedlab.history.alerts.notice import page_url
from schedlab.history.notify.mail import send_mail
from schedlab.history.private import make_private_folder
from schedlab.history.reports_section import ReportsSection
from schedlab.history.schema.times import find_zone
from schedlab.history.site import Site
from schedlab.history.store.report_tables import deliveries
from schedlab.history.web.access import Role, Viewer
from schedlab.history.web.access.accounts import find_account
from schedlab.history.web.access.viewer import OPERATORS
from schedlab.history.web.database import Database
from schedlab.history.web.reports.files import as_file, as_message
from schedlab.history.web.reports.period import Period
from schedlab.history.web.reports.report import PeriodReport, Subject, make_report, report_query
from schedlab.history.web.reports.subscriptions import list_subscriptions

_LOG = logging.getLogger("schedlab.service")
_ALL = Viewer(Role.SUPPORT)
_HOUR_S = 3_600


@dataclass(frozen=True)
class Delivery:
    """A report to deliver.

    Args:
        key: the key by which the store knows whether it was delivered.
        work: delivers it.
    """

    key: str
    work: Callable[[], None]


@dataclass(frozen=True)
class Post:
    """Delivers the reports of a site."""

    database: Database
    site: Site
    section: ReportsSection

    def deliver(self, now_s: float) -> None:
        """Deliver the reports that are due and not yet delivered; retry failed ones next time."""
        zone = find_zone(self.site.about.time_zone)
        for kind in self.section.periods:
            period = Period.at(kind, now_s - self.section.hour * _HOUR_S, zone).before
            for each in self._deliveries(period):
                if not self._was_delivered(each.key):
                    self._try(each, now_s)

    def _deliveries(self, period: Period) -> Iterator[Delivery]:
        site = Subject("site", self.site.about.name)
        if self.section.folder is not None:
            yield Delivery(f"{period.key} folder", partial(self._write_all, period))
        for address in self.section.email:
            yield Delivery(
                f"{period.key} site {address}", partial(self._mail, site, period, address)
            )
        if self.section.users:
            yield from self._of_users(period)

    def _of_users(self, period: Period) -> Iterator[Delivery]:
        with self.database.reading_long() as connection:
            wanted = [
                (find_account(connection, each.account), each.address)
                for each in list_subscriptions(connection)
                if each.period == period.kind
            ]
        for account, address in wanted:
            if account is None or not account.enabled:
                continue
            for subject in subjects_of(account.viewer, self.site):
                work = partial(self._mail, subject, period, address, account.viewer)
                yield Delivery(f"{period.key} {subject.title} {address}", work)

    def _mail(
        self, subject: Subject, period: Period, address: str, viewer: Viewer | None = None
    ) -> None:
        """Send a report; subscribers get no message about a period without jobs."""
        report = self._report(subject, period, viewer or _ALL)
        if viewer is not None and not report.use.jobs:
            return
        mail, folder = self.site.service.mail, self.site.path.parent
        assert mail is not None, "the site file was checked"
        message = as_message(
            report,
            self.site.about.name,
            url=self._url(report),
            stop_url=None if viewer is None else page_url(self.site, "/account#reports"),
            with_pdf="pdf" in self.section.formats,
        )
        send_mail(mail, folder, [address], message)

    def _write_all(self, period: Period) -> None:
        """Write the report of the site, and that of each group that had jobs."""
        folder = self.site.path.parent / (self.section.folder or "")
        try:
            make_private_folder(folder)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None
        whole = self._report(Subject("site", self.site.about.name), period, _ALL)
        groups = [Subject("group", name) for name, _ in whole.groups]
        for report in (whole, *(self._report(each, period, _ALL) for each in groups)):
            for format in self.section.formats:
                content = as_file(report, self.site.about.name, format, self._url(report))
                with atomic_write(folder / f"{report.file_name}.{format}") as path:
                    path.write_bytes(content)

    def _report(self, subject: Subject, period: Period, viewer: Viewer) -> PeriodReport:
        with self.database.reading_long() as connection:
            return make_report(connection, viewer, self.site, subject, period)

    def _url(self, report: PeriodReport) -> str | None:
        return page_url(self.site, f"/reports?{report_query(report, report.period)}")

    def _was_delivered(self, key: str) -> bool:
        sent = select(deliveries.c.sent_s).where(deliveries.c.key == key)
        with self.database.reading_long() as connection:
            return connection.execute(sent).scalar() is not None

    def _try(self, delivery: Delivery, now_s: float) -> None:
        failure = None
        try:
            delivery.work()
        except SchedlabError as error:
            failure = str(error)
            _LOG.error("report %s: %s", delivery.key, failure)
        with self.database.writing() as connection:
            _note(connection, delivery.key, None if failure else now_s, failure)


def subjects_of(viewer: Viewer, site: Site) -> list[Subject]:
    """Return the subjects of reports to a viewer: the site, their groups, or themselves."""
    if viewer.role in OPERATORS:
        return [Subject("site", site.about.name)]
    if viewer.role is Role.MANAGER:
        return [Subject("group", group) for group in sorted(viewer.groups)]
    return [Subject("user", viewer.user or "")]


def _note(connection: Connection, key: str, sent_s: float | None, failure: str | None) -> None:
    values = {"sent_s": sent_s, "failure": failure}
    this = deliveries.c.key == key
    if connection.execute(update(deliveries).where(this).values(values)).rowcount == 0:
        connection.execute(insert(deliveries).values(key=key, **values))
