"""A client of the history service: jobs, timelines and sums as data frames."""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, quote, urlsplit

from schedlab.errors import ServiceError
from schedlab.units import require_between

if TYPE_CHECKING:
    import httpx
    import polars as pl

Record = dict[str, Any]
_LARGEST_PAGE = 1_000
_LOOKED_EVERY_S = 0.5


class Client:
    """A connection to a history service.

    Keyword arguments select jobs as in the web API: ``user="ann"``,
    ``state=["failed", "timeout"]``, ``min_num_host=8``. ``from_`` and ``to`` are moments, as
    datetimes or in ISO 8601.

    Args:
        url: URL of the service, with the prefix under which a proxy shows it.
        token: token for the service; without one, the client sees what the public sees.
        timeout_s: how long the service may send nothing.
    """

    def __init__(self, url: str, token: str | None = None, *, timeout_s: float = 60.0) -> None:
        self.url = url.rstrip("/")
        self._headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._timeout_s = require_between("timeout_s", timeout_s, 1e-3, 1e6)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if "_http" in self.__dict__:
            self._http.close()

    def jobs(self, *, fields: Iterable[str] = (), **which: Any) -> pl.DataFrame:
        """Return one row for each selected job; ``fields`` are the names of the columns."""
        import polars as pl

        chosen = {"fields": ",".join(fields) or None, "format": "arrow", **which}
        return pl.read_ipc_stream(io.BytesIO(self._get("jobs", chosen).content))

    def records(self, *, limit: int | None = None, **which: Any) -> Iterator[Record]:
        """Yield the standard records of the selected jobs; each page is fetched when it is needed.

        Args:
            limit: maximum number of records. Default: all.
            which: conditions that select jobs.
        """
        cursor, left = None, limit
        while True:
            size = _LARGEST_PAGE if left is None else min(left, _LARGEST_PAGE)
            page = self._get("jobs", {**which, "limit": size, "cursor": cursor}).json()
            yield from page["jobs"]
            cursor = page["next"]
            left = None if left is None else left - len(page["jobs"])
            if cursor is None or left == 0:
                return

    def job(self, jobid: str, **identity: Any) -> Record:
        """Return the record of one job.

        ``cluster``, ``queue_time`` and ``attempt`` tell it from other jobs with the same id.
        """
        record: Record = self._get(f"jobs/{quote(jobid, safe='')}", identity).json()
        return record

    def timeline(self, uri: str, **how: Any) -> pl.DataFrame:
        """Fetch a timeline of a record: ``start`` and ``end`` of each interval, and ``value``.

        Args:
            uri: URI of the timeline in the record.
            how: ``freq="5min"``, ``agg``, ``max_points``, or another ``from_`` and ``to``.
        """
        import polars as pl

        split = urlsplit(uri)
        given = dict(parse_qsl(split.query)) | _as_text(how)
        path = split.path[split.path.index("timelines/") :] if "timelines/" in split.path else uri
        answer = self._get(path, {**given, "format": "arrow"})
        frame = pl.read_ipc_stream(io.BytesIO(answer.content))
        times = [
            pl.from_epoch((pl.col(f"{name}_s") * 1e6).round().cast(pl.Int64), "us")
            .dt.replace_time_zone("UTC")
            .alias(name)
            for name in ("start", "end")
            if f"{name}_s" in frame.columns
        ]
        return frame.select(*times, pl.exclude("start_s", "end_s"))

    def stats(self, by: str = "user", **which: Any) -> pl.DataFrame:
        """Return sums over the selected jobs, by ``"user"``, ``"group,month"`` or other groups."""
        import polars as pl

        answer = self._get("stats", {"limit": 100_000, **which, "by": by, "format": "arrow"})
        return pl.read_ipc_stream(io.BytesIO(answer.content))

    def accuracy(self, user: str, *, period: str = "month") -> pl.DataFrame:
        """Return WRA and WRSA of a user: ``period``, ``jobs``, ``mean_wra``, ``wrsa``."""
        import polars as pl

        path = f"users/{quote(user, safe='')}/accuracy"
        return pl.DataFrame(self._get(path, {"period": period}).json()["periods"])

    def clusters(self) -> Record:
        """Return the system document of the site."""
        document: Record = self._get("clusters", {}).json()
        return document

    def what_if(
        self, cluster: str, policies: Iterable[str], *, from_: Any, to: Any, **how: Any
    ) -> Record:
        """Simulate a window of history under other policies, and wait for the result.

        Args:
            cluster: cluster whose jobs are simulated.
            policies: policies to try, such as ``"easy"`` and ``"easy-sjf:reservations=2"``.
            from_: jobs submitted from this moment on are counted.
            to: jobs submitted from this moment on are no longer counted.
            how: ``whole_nodes=True`` gives every job its nodes to itself.
        """
        question = {"cluster": cluster, "policies": list(policies), **how}
        window = {"from": _text(from_), "to": _text(to)}
        return self._simulated("what-if", {**question, **window})

    def slurm_parameters(self) -> pl.DataFrame:
        """Return the parameters that a what-if of the site's Slurm can change, one in each row."""
        import polars as pl

        return pl.DataFrame(self._get("slurm/parameters", {}).json()["parameters"])

    def slurm_what_if(
        self, *changes: str, nodes: Iterable[str] = (), phases: int = 8, seed: int = 0
    ) -> Record:
        """Replay the site's history under another configuration of Slurm; wait for the result.

        Args:
            changes: settings as in slurm.conf, such as ``"bf_interval=60"``.
            nodes: nodes to add, such as ``"16:gpu"``.
            phases: number of times that the phases of slurmctld's loops are drawn.
            seed: seed for drawing them.
        """
        question = {"changes": changes, "nodes": list(nodes), "phases": phases, "seed": seed}
        return self._simulated("slurm/what-if", question)

    def _simulated(self, path: str, question: Mapping[str, Any]) -> Record:
        task: Record = self._ask("POST", path, {"json": question}).json()
        while task["state"] in ("waiting", "running"):
            time.sleep(_LOOKED_EVERY_S)
            task = self._get(f"{path}/{task['id']}", {}).json()
        if task["state"] != "done":
            reason = task["failure"] or f"it was {task['state']}"
            raise ServiceError(f"{self.url}: the simulation has no result: {reason}")
        result: Record = task["result"]
        return result

    def ingest(self, records: Iterable[Record], *, source: str = "hook") -> Record:
        """Store records; return, once they are safely stored, how many were new."""
        request = {"params": {"source": source}, "json": list(records)}
        counts: Record = self._ask("POST", "ingest", request).json()
        return counts

    def _get(self, path: str, parameters: Mapping[str, Any]) -> httpx.Response:
        return self._ask("GET", path, {"params": _as_text(parameters)})

    def _ask(self, method: str, path: str, request: Mapping[str, Any]) -> httpx.Response:
        import httpx

        try:
            answer = self._http.request(method, f"{self.url}/v1/{path}", **request)
        except httpx.HTTPError as error:
            raise ServiceError(f"{self.url}: does not answer: {error}") from None
        if answer.is_success:
            return answer
        try:
            reason = answer.json()["detail"]
        except (ValueError, TypeError, KeyError):
            reason = f"status {answer.status_code}, and no history service's words"
        raise ServiceError(f"{self.url}: {reason}")

    @cached_property
    def _http(self) -> httpx.Client:
        import httpx

        return httpx.Client(headers=self._headers, timeout=self._timeout_s)


def _as_text(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters as in a URL, without those that are None."""
    return {
        name.rstrip("_"): [_text(each) for each in value]
        if isinstance(value, list | tuple | set | frozenset)
        else _text(value)
        for name, value in parameters.items()
        if value is not None
    }


def _text(value: Any) -> str:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)
