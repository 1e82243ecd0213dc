"""Turn a record into the rows that hold it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from schedlab.history.schema.job import HostUse, JobRecord
from schedlab.history.schema.timeline import Timeline
from schedlab.history.schema.times import format_time, parse_time

Values = tuple[Any, ...]
"""A row, in the order of its table's columns."""
Identity = tuple[str, str, int | None, int]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FOREIGN_TIME = re.compile(r'_time":"(\d{8}T\d{6}[+-](?!0000)\d{4})"', re.ASCII)


def epoch_s(moment: datetime | None) -> int | None:
    """Return seconds since 1970 began."""
    if moment is None:
        return None
    since = moment - _EPOCH  # timestamp() takes longer, as it counts microseconds
    return since.days * 86_400 + since.seconds


def identity_of(record: JobRecord) -> Identity:
    """Return the identity as the table has it."""
    cluster, jobid, queued, attempt = record.identity
    return cluster, jobid, epoch_s(queued), attempt


def document_of(record: JobRecord) -> str:
    """Return the record as JSON, its times in UTC, so that the order of texts is that of time."""
    return _FOREIGN_TIME.sub(_in_utc, record.to_json())


def _in_utc(match: re.Match[str]) -> str:
    return f'_time":"{format_time(parse_time(match[1]).astimezone(UTC))}"'


def digest_of(document: str) -> int:
    """Return a number that tells one text from another."""
    digest = blake2b(document.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


class Said(NamedTuple):
    """A record as its source gave it, with its JSON text and a digest of it."""

    identity: Identity
    record: JobRecord
    document: str
    digest: int

    @classmethod
    def of(cls, record: JobRecord) -> Said:
        """Make the JSON of the record once, for the digest and for the table."""
        document = document_of(record)
        return cls(identity_of(record), record, document, digest_of(document))


def job_row(
    key: int, said: Said, source: str, measurement: int, before: str | None = None
) -> Values:
    """Return the row of ``jobs``.

    ``before`` is the record before sensors added to it, if they have.
    """
    (cluster, jobid, queue_s, attempt), record, document, digest = said
    items = vars(record)  # as attributes of a model they are looked up slowly
    start_s, end_s = epoch_s(items["start_time"]), epoch_s(items["end_time"])
    return (
        key,
        cluster,
        jobid,
        attempt,
        queue_s,
        start_s,
        end_s,
        items["state"] and str(items["state"]),
        items["partition"],
        items["user_identifier"],
        items["accounting_group"],
        items["job_name"],
        items["resource_req"].num_host,
        items["energy"] and items["energy"].total_joule,
        items["maxpower_watt"],
        source,
        digest,
        measurement,
        document,
        before,
        items["req_walltime_sec"],
        _node_s(record, start_s, end_s),
    )


def _node_s(record: JobRecord, start_s: int | None, end_s: int | None) -> int | None:
    """Return the sum of the times on all hosts; without host names, their number counts."""
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


def tag_rows(key: int, tags: Iterable[str]) -> list[Values]:
    """Return the rows of ``tags``."""
    return [(key, tag) for tag in sorted(set(tags))]


def host_rows(
    key: int, per_host: Iterable[HostUse], start_s: int | None, end_s: int | None
) -> list[Values]:
    """Return the rows of ``hosts``; a host without times has those of the job."""
    return [
        (
            key,
            place,
            host.node_id,
            start_s if host.start_time is None else epoch_s(host.start_time),
            end_s if host.end_time is None else epoch_s(host.end_time),
        )
        for place, host in enumerate(per_host)
    ]


def aggregate_rows(key: int, per_host: Iterable[HostUse]) -> Iterator[tuple[Values, Values]]:
    """Yield the rows of ``aggregates``, each with the row of ``provenances`` that it belongs to."""
    for place, host in enumerate(per_host):
        for item, device, timeline in _timelines(host):
            about = timeline.provenance
            told = tuple(
                getattr(about, name, None)
                for name in ("unit", "native_step_s", "scope", "attribution", "source")
            )
            provenance = digest_of(repr(told))
            values = (timeline.avg, timeline.max, timeline.min, timeline.integral)
            coverage = about and about.coverage
            yield (key, place, item, device, *values, coverage, provenance), (provenance, *told)


def _timelines(host: HostUse) -> Iterator[tuple[str, int, Timeline]]:
    """Yield the timelines of a host and of its storage, then those of each of its accelerators."""
    for name, timeline in host.timelines.items():
        yield name, -1, timeline
    for name, timeline in (host.storage.timelines if host.storage else {}).items():
        yield f"storage.{name}", -1, timeline
    for number, device in enumerate(host.accelerator or ()):
        for name, timeline in device.timelines.items():
            yield f"accelerator.{name}", number, timeline
