"""Zabbix through its database, PostgreSQL or MariaDB."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from schedlab.errors import SensorError
from schedlab.history.sensors.http import check_timeout, secret
from schedlab.history.sensors.source import SourceSection
from schedlab.history.sensors.zabbix import NUMERIC, Sensor, Trend, ZabbixSource, ZabbixValue

if TYPE_CHECKING:
    from sqlalchemy import Engine, Select

IDS_AT_ONCE = 500
DRIVERS = {
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "mariadb": "mysql+pymysql",
    "mysql": "mysql+pymysql",
}


@dataclass(frozen=True, kw_only=True)
class ZabbixSqlSection(SourceSection):
    """``[[sensor_source]] kind = "zabbix-sql"``.

    Args:
        url: URL of the database: ``postgresql://user@host/zabbix`` or ``mariadb://...``.
        password_file: file with the password, which then need not be part of the URL.
        timeout_s: how long connecting may take.
    """

    url: str
    password_file: str | None = None
    timeout_s: float = 30.0

    def __post_init__(self) -> None:
        check_timeout(self.timeout_s)


class ZabbixSqlSource(ZabbixSource[ZabbixSqlSection]):
    """Reads the tables of Zabbix; the right to select is enough."""

    source_section = ZabbixSqlSection

    def sensors(self, hosts: Collection[str], keys: Collection[str]) -> list[Sensor]:
        """Read ``hosts`` and ``items``."""
        from sqlalchemy import column, select, table

        host = table("hosts", column("hostid"), column("host"))
        item = table("items", *map(column, ("itemid", "hostid", "key_", "value_type")))
        query = (
            select(item.c.itemid, host.c.host, item.c.key_, item.c.value_type)
            .join_from(item, host, item.c.hostid == host.c.hostid)
            .where(item.c.key_.in_(sorted(keys)))
        )
        return [
            Sensor(*row)
            for some in _batches(hosts)
            for row in self._rows(query.where(host.c.host.in_(some)))
        ]

    def values(
        self, itemids: Collection[int], value_type: int, start_s: int, end_s: int
    ) -> Iterator[ZabbixValue]:
        """Read ``history`` or ``history_uint``."""
        names = ("itemid", "clock", "ns", "value")
        for row in self._between(NUMERIC[value_type], names, itemids, start_s, end_s):
            yield ZabbixValue(*row)

    def trends(
        self, itemids: Collection[int], value_type: int, start_s: int, end_s: int
    ) -> Iterator[Trend]:
        """Read ``trends`` or ``trends_uint``."""
        names = ("itemid", "clock", "value_min", "value_avg", "value_max")
        name = NUMERIC[value_type].replace("history", "trends")
        for row in self._between(name, names, itemids, start_s, end_s):
            yield Trend(*row)

    def check(self) -> str:
        """Count the items."""
        from sqlalchemy import column, func, make_url, select, table

        ((count,),) = self._rows(select(func.count(column("itemid"))).select_from(table("items")))
        shown = make_url(self.section.url).render_as_string(hide_password=True)
        return f"{count} items in {shown}"

    def _between(
        self, name: str, columns: Sequence[str], itemids: Collection[int], start_s: int, end_s: int
    ) -> Iterator[Any]:
        from sqlalchemy import column, select, table

        kept = table(name, *map(column, columns))
        query = select(*kept.c).where(kept.c.clock.between(start_s, end_s))
        for some in _batches(itemids):
            yield from self._rows(query.where(kept.c.itemid.in_(some)))

    def _rows(self, query: Select[Any]) -> Sequence[Any]:
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._engine.connect() as connection:
                return connection.execute(query).all()
        except SQLAlchemyError as error:
            reason = str((getattr(error, "orig", None) or error).args[-1]).strip().splitlines()[0]
            raise SensorError(f"{self.name}: the database says: {reason}") from None

    @cached_property
    def _engine(self) -> Engine:
        from sqlalchemy import create_engine, make_url
        from sqlalchemy.exc import ArgumentError

        try:
            url = make_url(self.section.url)
        except (ArgumentError, ValueError):
            raise SensorError(f"{self.name}: its url is not that of a database") from None
        if url.drivername not in DRIVERS:
            raise SensorError(
                f"{self.name}: a database of kind {url.drivername}; must be {' or '.join(DRIVERS)}"
            )
        url = url.set(drivername=DRIVERS[url.drivername])
        if self.section.password_file is not None:
            url = url.set(password=secret(self.folder / self.section.password_file))
        limits = {"connect_timeout": int(self.section.timeout_s)}
        engine = create_engine(url, pool_pre_ping=True, connect_args=limits)
        weakref.finalize(self, engine.dispose)
        return engine


def _batches(names: Collection[Any]) -> Iterator[list[Any]]:
    ordered = sorted(names)
    for first in range(0, len(ordered), IDS_AT_ONCE):
        yield ordered[first : first + IDS_AT_ONCE]
