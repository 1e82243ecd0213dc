"""From a record to the rows that hold it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from schedlab.history.schema.job import HostUse, JobRecord
from schedlab.history.schema.timeline import Timeline
from schedlab.history.schema.times import format_time, parse_time

Row = dict[str, Any]
Identity = tuple[str, str, int | None, int]

_FOREIGN_TIME = re.compile(r'_time":"(\d{8}T\d{6}[+-](?!0000)\d{4})"', re.ASCII)


def epoch_s(moment: datetime | None) -> int | None:
    """Seconds since 1970 began."""
    return None if moment is None else int(moment.timestamp())


def identity_of(record: JobRecord) -> Identity:
    """The identity as the table has it."""
    cluster, jobid, queued, attempt = record.identity
    return cluster, jobid, epoch_s(queued), attempt


def document_of(record: JobRecord) -> str:
    """The record as JSON, its times in UTC, so that the order of texts is that of time."""
    return _FOREIGN_TIME.sub(_in_utc, record.to_json())


def _in_utc(match: re.Match[str]) -> str:
    return f'_time":"{format_time(parse_time(match[1]).astimezone(UTC))}"'


def digest_of(document: str) -> int:
    """A number that tells one text from another."""
    digest = blake2b(document.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


class Said(NamedTuple):
    """A record as its source gave it, as JSON, and in a number that tells it from others."""

    identity: Identity
    record: JobRecord
    document: str
    digest: int

    @classmethod
    def of(cls, record: JobRecord) -> Said:
        """Written once, for the digest and for the table."""
        document = document_of(record)
        return cls(identity_of(record), record, document, digest_of(document))


def job_row(key: int, said: Said) -> Row:
    """The columns of ``jobs`` that the record decides."""
    (cluster, jobid, queue_s, attempt), record, document, _ = said
    start_s, end_s = epoch_s(record.start_time), epoch_s(record.end_time)
    return {
        "id": key,
        "cluster": cluster,
        "jobid": jobid,
        "attempt": attempt,
        "queue_s": queue_s,
        "start_s": start_s,
        "end_s": end_s,
        "state": record.state and str(record.state),
        "partition": record.partition,
        "user_identifier": record.user_identifier,
        "accounting_group": record.accounting_group,
        "job_name": record.job_name,
        "num_host": record.resource_req.num_host,
        "energy_joule": record.energy and record.energy.total_joule,
        "maxpower_watt": record.maxpower_watt,
        "record": document,
        "req_walltime_s": record.req_walltime_sec,
        "node_s": _node_s(record, start_s, end_s),
    }


def _node_s(record: JobRecord, start_s: int | None, end_s: int | None) -> int | None:
    """The times on all hosts together; of hosts without names, as many as the job had."""
    if start_s is None or end_s is None:
        return None
    if record.per_host:
        return sum(
            (end_s if host.end_time is None else int(host.end_time.timestamp()))
            - (start_s if host.start_time is None else int(host.start_time.timestamp()))
            for host in record.per_host
        )
    given = record.resource_alloc and record.resource_alloc.num_host
    return (end_s - start_s) * (given or record.resource_req.num_host)


def tag_rows(key: int, tags: Iterable[str]) -> list[Row]:
    """The rows of ``tags``."""
    return [{"job": key, "tag": tag} for tag in sorted(set(tags))]


def host_rows(
    key: int, per_host: Iterable[HostUse], start_s: int | None, end_s: int | None
) -> list[Row]:
    """The rows of ``hosts``; where a host says no times, those of the job hold."""
    return [
        {
            "job": key,
            "place": place,
            "node_id": host.node_id,
            "start_s": start_s if host.start_time is None else epoch_s(host.start_time),
            "end_s": end_s if host.end_time is None else epoch_s(host.end_time),
        }
        for place, host in enumerate(per_host)
    ]


def aggregate_rows(key: int, per_host: Iterable[HostUse]) -> Iterator[tuple[Row, Row]]:
    """The rows of ``aggregates``, each with the row of ``provenances`` that it belongs to."""
    for place, host in enumerate(per_host):
        for item, device, timeline in _timelines(host):
            about = timeline.provenance
            provenance = {
                name: getattr(about, name, None)
                for name in ("unit", "native_step_s", "scope", "attribution", "source")
            }
            provenance["id"] = digest_of(repr(tuple(provenance.values())))
            row = {
                "job": key,
                "place": place,
                "item": item,
                "device": device,
                "avg": timeline.avg,
                "max": timeline.max,
                "min": timeline.min,
                "integral": timeline.integral,
                "coverage": about and about.coverage,
                "provenance": provenance["id"],
            }
            yield row, provenance


def _timelines(host: HostUse) -> Iterator[tuple[str, int, Timeline]]:
    """The timelines of a host and of its storage, then those of each of its accelerators."""
    for name, timeline in host.timelines.items():
        yield name, -1, timeline
    for name, timeline in (host.storage.timelines if host.storage else {}).items():
        yield f"storage.{name}", -1, timeline
    for number, device in enumerate(host.accelerator or ()):
        for name, timeline in device.timelines.items():
            yield f"accelerator.{name}", number, timeline
