"""Who wants reports by e-mail."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from schedlab.errors import UnknownNameError
from schedlab.history.notify.section import check_address
from schedlab.history.reports_section import PERIODS
from schedlab.history.store.report_tables import subscriptions


@dataclass(frozen=True)
class Subscription:
    """What an account asked for: a report every week or month, to an address."""

    account: str
    address: str
    period: str


def subscribe(connection: Connection, wanted: Subscription) -> None:
    """Send reports from now on, in place of what the account wanted before."""
    check_address("address", wanted.address)
    if wanted.period not in PERIODS:
        raise UnknownNameError("period", wanted.period, PERIODS)
    unsubscribe(connection, wanted.account)
    connection.execute(insert(subscriptions).values(vars(wanted)))


def unsubscribe(connection: Connection, account: str) -> None:
    """Stop sending reports to an account."""
    connection.execute(delete(subscriptions).where(subscriptions.c.account == account))


def list_subscriptions(connection: Connection, account: str | None = None) -> list[Subscription]:
    """Return the subscriptions of all accounts, or of one."""
    statement = select(subscriptions).order_by(subscriptions.c.account)
    if account is not None:
        statement = statement.where(subscriptions.c.account == account)
    return [Subscription(**row) for row in connection.execute(statement).mappings()]
