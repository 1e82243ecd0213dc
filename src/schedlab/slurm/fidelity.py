"""How faithful the twin is: its replay of a history compared with what really happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import InputError
from schedlab.platform.hostlist import expand_hosts, fold_hosts
from schedlab.slurm.clocks import Clocks
from schedlab.slurm.replay import Times, TwinReplay, history_of
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.waiting import waiting_at
from schedlab.slurm.waits import TWIN, JobWaits

Mask = NDArray[np.bool_]
NEAR_S, FAR_S = 30.0, 300.0
SIZES = ((1, 1, "1 node"), (2, 4, "2-4 nodes"), (5, 16, "5-16 nodes"), (17, 10**9, "17+ nodes"))


@dataclass(frozen=True)
class Spread:
    """The mean and the extremes of a figure over the phases of the twin."""

    mean: float
    least: float
    most: float

    @classmethod
    def of(cls, values: list[float]) -> Spread:
        """Return the mean and the extremes."""
        return cls(float(np.mean(values)), min(values), max(values))


@dataclass(frozen=True)
class FidelityRow:
    """Real and replayed waits of a group of jobs, in seconds.

    Args:
        group: name of the group, such as ``partition normal``; ``all`` is all jobs.
        jobs: number of jobs that started in reality and in all replays.
        real_wait_s: mean real wait.
        real_p95_s: 95th percentile of the real waits.
        twin_wait_s: mean wait in the twin.
        twin_p95_s: 95th percentile of the waits in the twin.
        start_error_s: mean absolute difference of starts.
        median_error_s: median absolute difference of starts.
        near: the share of jobs whose start is off by 30 s at most.
        far: the share of jobs whose start is off by more than 5 min.
    """

    group: str
    jobs: int
    real_wait_s: float
    real_p95_s: float
    twin_wait_s: Spread
    twin_p95_s: Spread
    start_error_s: Spread
    median_error_s: Spread
    near: float
    far: float

    @property
    def wait_error(self) -> float:
        """How much longer jobs wait in the twin, as a share of the real wait."""
        return self.twin_wait_s.mean / self.real_wait_s - 1 if self.real_wait_s else 0.0


@dataclass(frozen=True)
class StartDeparture:
    """A job that the twin started at another time than the real Slurm.

    The first departures of a replay show why it differs. ``twin_reason`` says, in the words of
    squeue, why the job waited in the twin when it really started; empty if it had started there.
    """

    job: str
    real_s: float
    twin_s: float
    real_hosts: str
    twin_hosts: str
    real_by: str
    twin_by: str
    twin_reason: str = ""

    def __str__(self) -> str:
        """Return the departure as one sentence."""
        return self.sentence(lambda time_s: f"{time_s:,.1f} s")

    def sentence(self, told: Callable[[float], str]) -> str:
        """Return the departure as one sentence; ``told`` writes a time on the history's clock."""
        late = self.twin_s - self.real_s
        when = f"{abs(late):,.0f} s {'later' if late > 0 else 'earlier'}"
        why = f"; it waited there ({self.twin_reason})" if self.twin_reason else ""
        return (
            f"job {self.job}: started at {told(self.real_s)} by {self.real_by or 'Slurm'} on "
            f"{self.real_hosts}; in the twin {when}, by {self.twin_by} on {self.twin_hosts}{why}"
        )


@dataclass(frozen=True)
class Fidelity:
    """The results of the comparison.

    Args:
        rows: all jobs, then the groups by partition, QOS, account and size.
        departures: the first large departures of the first replay.
        not_started: jobs that started in reality and in no replay.
        replays: number of replays.
        real_use: the share of CPU seconds used, from the first start to the last known start or
            end; jobs whose end is not known ran until then.
        twin_use: the same share in the replays, over the same time.
        waits: waits of the jobs of the first row.
    """

    rows: tuple[FidelityRow, ...]
    departures: tuple[StartDeparture, ...]
    not_started: tuple[str, ...]
    replays: int
    real_use: float
    twin_use: Spread
    waits: JobWaits

    def as_json(self) -> dict[str, Any]:
        """Return all figures except the waits of single jobs, for files."""
        document = asdict(self)
        del document["waits"]
        return document


def fidelity_of(
    site: SlurmSite,
    replays: list[TwinReplay],
    departures: int = 5,
    clocks: Clocks | None = None,
) -> Fidelity:
    """Compare replays with the history.

    Args:
        site: a site with a history whose starts are known.
        replays: replays of that history; the first one gives the departures.
        departures: number of departures to return.
        clocks: the phases of the first replay; with them departures say why jobs waited.
    """
    history = history_of(site)
    details = history.details
    submit_s = details["submit_s"].to_numpy()
    real_s = first_starts(site)
    check_starts(site)
    started = ~np.isnan(real_s) & compared(site)
    both = started & np.all([~np.isnan(each.start_s) for each in replays], axis=0)
    names = details["slurm_id"].to_list()
    rows = [
        _row(group, mask & both, submit_s, real_s, replays)
        for group, mask in groups_of(site)
        if (mask & both).any()
    ]
    if not rows:
        raise InputError("no job started both in reality and in all replays: nothing to compare")
    cores = _cores(site)
    lost = started & np.all([np.isnan(each.start_s) for each in replays], axis=0)
    last_s, last_end_s = _times(site, "start_s"), _times(site, "end_s")
    window_s = float(np.nanmin(real_s)), float(np.nanmax([last_s, last_end_s]))
    return Fidelity(
        tuple(rows),
        tuple(_departures(site, replays[0], departures, clocks)),
        tuple(names[at] for at in np.flatnonzero(lost)),
        len(replays),
        _use(last_s, last_end_s, cores, site, window_s),
        Spread.of([_use(each.last_start_s, each.end_s, cores, site, window_s) for each in replays]),
        JobWaits.of(submit_s, real_s, {TWIN: replays}, both),
    )


def check_starts(site: SlurmSite) -> None:
    """Raise InputError if the history has no starts."""
    if np.isnan(first_starts(site)).all():
        raise InputError("the history does not say when jobs started: nothing to compare with")


def compared(site: SlurmSite) -> Mask:
    """Return the jobs whose waits can be compared.

    Jobs that ran when the history begins are left out: they start as they did. So are jobs that had
    not started when the history ended, if it has starts at all.
    """
    real_s = first_starts(site)
    is_known = ~np.isnan(real_s)
    return ~ran_before(site) & (is_known if is_known.any() else ~is_known)


def ran_before(site: SlurmSite) -> Mask:
    """Return the jobs that ran when the history begins."""
    found: Mask = history_of(site).details["ran_before"].fill_null(value=False).to_numpy()
    return found


def first_starts(site: SlurmSite) -> Times:
    """Return when jobs of the history first started; nan if unknown, or never."""
    first_s, last_s = _times(site, "first_start_s"), _times(site, "start_s")
    return np.where(np.isnan(first_s), last_s, first_s)


def _times(site: SlurmSite, name: str) -> Times:
    column = history_of(site).details[name].cast(float).fill_null(np.nan)
    return column.to_numpy()


def _row(
    group: str, mask: Mask, submit_s: Times, real_s: Times, replays: list[TwinReplay]
) -> FidelityRow:
    real = real_s[mask] - submit_s[mask]
    twin = [each.start_s[mask] - submit_s[mask] for each in replays]
    errors = [np.abs(each - real) for each in twin]
    return FidelityRow(
        group,
        int(mask.sum()),
        float(real.mean()),
        float(np.percentile(real, 95)),
        Spread.of([float(each.mean()) for each in twin]),
        Spread.of([float(np.percentile(each, 95)) for each in twin]),
        Spread.of([float(each.mean()) for each in errors]),
        Spread.of([float(np.median(each)) for each in errors]),
        float(np.mean([(each <= NEAR_S).mean() for each in errors])),
        float(np.mean([(each > FAR_S).mean() for each in errors])),
    )


def groups_of(site: SlurmSite) -> Iterator[tuple[str, Mask]]:
    """Yield all jobs, then those by partition, QOS, account and size, where there are several."""
    workload = history_of(site).workload
    yield "all", np.ones(len(workload), bool)
    for column, title in (("partition", "partition"), ("qos", "QOS"), ("account", "account")):
        labels = workload.labels.get(column, ())
        if column in workload.columns and len(labels) > 1:
            for code, label in enumerate(labels):
                yield f"{title} {label}", workload[column] == code
    sizes = [
        (title, (workload["nodes"] >= least) & (workload["nodes"] <= most))
        for least, most, title in SIZES
    ]
    if sum(bool(mask.any()) for _, mask in sizes) > 1:
        yield from sizes


def _departures(
    site: SlurmSite, twin: TwinReplay, number: int, clocks: Clocks | None
) -> Iterator[StartDeparture]:
    """Yield the first starts, in order of time, that are off by more than 30 s."""
    details, real_s = history_of(site).details.to_dicts(), first_starts(site)
    names = [name for group in site.machine.groups for name in group.names()]
    off = np.flatnonzero(np.abs(real_s - twin.start_s) > NEAR_S)
    in_order = sorted(off.tolist(), key=lambda at: min(real_s[at], twin.start_s[at]))
    late_s = [float(real_s[at]) for at in in_order[:number] if twin.start_s[at] > real_s[at]]
    waiting = waiting_at(site, clocks, late_s) if clocks is not None else {}
    for at in in_order[:number]:
        row = details[at]
        hosts = row["hosts"] if (row["attempts"] or 1) == 1 else None  # those of the last attempt
        yield StartDeparture(
            row["slurm_id"],
            float(real_s[at]),
            float(twin.start_s[at]),
            fold_hosts(sorted(expand_hosts(hosts))) if hosts else "nodes that are not known",
            fold_hosts(names[node] for node in twin.nodes[at]),
            row["started_by"] or "",
            twin.by[at],
            waiting.get(float(real_s[at]), {}).get(at, ""),
        )


def _cores(site: SlurmSite) -> NDArray[np.float64]:
    workload = history_of(site).workload
    if "tasks" not in workload.columns:
        return workload["nodes"].astype(np.float64)
    per_task = workload["cores_per_task"] if "cores_per_task" in workload.columns else 1
    cores = np.maximum(workload["tasks"], 1) * np.maximum(per_task, 1)
    return cores.astype(np.float64)


def _use(
    start_s: Times,
    end_s: Times,
    cores: NDArray[np.float64],
    site: SlurmSite,
    window_s: tuple[float, float],
) -> float:
    """Return the share of the machine's CPU seconds in the window that jobs used."""
    first_s, last_s = window_s
    if last_s <= first_s:
        return 0.0
    ran = ~np.isnan(start_s)
    until_s = np.where(np.isnan(end_s), last_s, end_s)[ran]
    held_s = np.clip(until_s, first_s, last_s) - np.clip(start_s[ran], first_s, last_s)
    return float((held_s * cores[ran]).sum()) / (site.machine.cores * (last_s - first_s))
