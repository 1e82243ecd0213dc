"""The synthetic jobs of ``service_store`` as columns: ten million in minutes, PostgreSQL only.

The rows are those that a store's ``put`` writes, except digests, which show an ingest whether a
record has changed; no ingest reads these jobs again. Indices are made after the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import Connection, text

from benchmarks.service_store import GROUPS, NODES, STATES, TAGS, Drawn, draw
from schedlab.history.store import Store
from schedlab.history.store.database import connect, parse_url
from schedlab.history.store.tables import hosts, jobs, tags

PORTION = 500_000


def make_bulk_store(url: str, count: int, *, seed: int = 1) -> None:
    """Fill a new store in PostgreSQL."""
    Store.make(url).close()
    engine = connect(parse_url(url))
    indices = [index for table in (jobs, hosts, tags) for index in table.indexes]
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        for index in indices:
            index.drop(connection)
        for first, part in _portions(draw(count, seed)):
            frame = _jobs(first, part)
            _copy(connection, "jobs", frame.drop("nodes", "tag"))
            _copy(connection, "hosts", _hosts(frame))
            _copy(connection, "tags", frame.select(job="id", tag="tag").drop_nulls())
    for index in indices:
        with engine.begin() as connection:
            index.create(connection)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    engine.dispose()


def _portions(drawn: Drawn) -> Iterator[tuple[int, Drawn]]:
    for first in range(0, len(drawn["queue_s"]), PORTION):
        yield (
            first + 1,
            {name: column[first : first + PORTION] for name, column in drawn.items()},
        )


def _jobs(first: int, drawn: Drawn) -> pl.DataFrame:
    """Return the columns of the table, and the nodes and the tag of each job."""
    count = len(drawn["queue_s"])
    frame = pl.DataFrame({"id": np.arange(first, first + count), **drawn})
    frame = frame.with_columns(
        start_s=pl.col("queue_s") + pl.col("wait_s"),
        jobid=pl.col("id").cast(pl.String),
        cluster=pl.when(pl.col("node") % 4 == 0).then(pl.lit("small")).otherwise(pl.lit("large")),
        partition=pl.when(pl.col("user") % 3 == 0).then(pl.lit("gpu")).otherwise(pl.lit("cpu")),
        user_identifier="user" + _padded("user", 3),
        accounting_group="group" + _padded(pl.col("user") % GROUPS, 2),
        job_name=pl.format("run {}", pl.col("id") % 97),
        req_walltime_s=60
        * ((pl.col("run_s") * pl.col("asked")).cast(pl.Int64) // 60 + 1).cast(pl.Float64),
        maxpower_watt=pl.col("watt") * pl.col("hosts"),
        energy_joule=0.8 * pl.col("watt") * pl.col("hosts") * pl.col("run_s"),
        node_s=pl.col("run_s") * pl.col("hosts"),
        exit_status=(pl.col("state") != 0).cast(pl.Int8),
        state=_named("state", STATES),
        tag=pl.when(pl.col("tag") < len(TAGS)).then(_named("tag", TAGS)),
        nodes=_nodes(drawn),
    )
    frame = frame.with_columns(end_s=pl.col("start_s") + pl.col("run_s"))
    return frame.with_columns(
        attempt=pl.lit(1),
        num_host="hosts",
        source=pl.lit("synthetic"),
        digest="id",
        measurement=pl.lit(0),
        record=_record(),
    ).select(*(name for name in map(str, jobs.columns.keys()) if name != "said"), "nodes", "tag")


def _record() -> pl.Expr:
    """Return the record as JSON, its items in the order of the schema."""
    items: list[tuple[str, pl.Expr, bool]] = [
        ("jobid", pl.col("jobid"), True),
        ("queue_time", _moment("queue_s"), True),
        ("req_walltime_sec", pl.col("req_walltime_s").cast(pl.Int64), False),
        (
            "resource_req",
            pl.concat_str(
                pl.lit('{"num_host":'), pl.col("hosts"), pl.lit(',"num_cpu_perhost":64}')
            ),
            False,
        ),
        ("start_time", _moment("start_s"), True),
        ("end_time", _moment("end_s"), True),
        ("exit_status", pl.col("exit_status"), False),
        (
            "per_host",
            pl.concat_str(
                pl.lit('[{"node_id":"'),
                pl.col("nodes").list.join('"},{"node_id":"'),
                pl.lit('"}]'),
            ),
            False,
        ),
        ("user_identifier", pl.col("user_identifier"), True),
        ("accounting_group", pl.col("accounting_group"), True),
        ("maxpower_watt", pl.col("maxpower_watt"), False),
        ("cluster", pl.col("cluster"), True),
        ("partition", pl.col("partition"), True),
        ("state", pl.col("state"), True),
        ("job_name", pl.col("job_name"), True),
    ]
    parts: list[pl.Expr] = []
    for number, (name, value, is_text) in enumerate(items):
        quote = '"' if is_text else ""
        parts += [pl.lit(f'{"," if number else "{"}"{name}":{quote}'), value, pl.lit(quote)]
    tag = pl.when(pl.col("tag").is_null()).then(pl.lit(""))
    parts.append(
        tag.otherwise(
            pl.concat_str(pl.lit(',"tags":["'), pl.col("tag").fill_null(""), pl.lit('"]'))
        )
    )
    parts += [pl.lit(',"energy":{"total_joule":'), pl.col("energy_joule")]
    parts.append(pl.lit(',"source":"synthetic"},"schema_version":"1.0"}'))
    return pl.concat_str(*parts)


def _moment(column: str) -> pl.Expr:
    return pl.from_epoch(column).dt.strftime("%Y%m%dT%H%M%S+0000")


def _named(column: str, names: tuple[str, ...]) -> pl.Expr:
    return pl.col(column).replace_strict(dict(enumerate(names)), default=None)


def _padded(column: str | pl.Expr, width: int) -> pl.Expr:
    expression = pl.col(column) if isinstance(column, str) else column
    return expression.cast(pl.String).str.zfill(width)


def _nodes(drawn: Drawn) -> pl.Series:
    """Return the names of the hosts of each job, which follow each other."""
    counts = drawn["hosts"]
    firsts = np.repeat(drawn["node"], counts)
    ends = np.cumsum(counts)
    places = np.arange(len(firsts)) - np.repeat(ends - counts, counts)
    names = pl.Series([f"n{number:03}" for number in range(NODES)]).gather(
        (firsts + places) % NODES
    )
    job = pl.Series(np.repeat(np.arange(len(counts)), counts))
    frame = pl.DataFrame({"job": job, "node": names})
    return frame.group_by("job", maintain_order=True).agg("node")["node"]


def _hosts(frame: pl.DataFrame) -> pl.DataFrame:
    parts = frame.select(
        pl.col("id").alias("job"),
        pl.int_ranges(0, pl.col("nodes").list.len()).alias("place"),
        pl.col("nodes").alias("node_id"),
        "start_s",
        "end_s",
    )
    return parts.explode("place", "node_id")


def _copy(connection: Connection, table: str, frame: pl.DataFrame) -> None:
    names = ", ".join(f'"{name}"' for name in frame.columns)
    cursor: Any = connection.connection.cursor()
    with cursor, cursor.copy(f'COPY "{table}" ({names}) FROM STDIN (FORMAT csv)') as stream:
        stream.write(frame.write_csv(include_header=False).encode())
