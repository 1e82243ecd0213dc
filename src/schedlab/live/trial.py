"""An honest trial on a real Slurm: the same jobs, steered and not, again and again."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from schedlab.errors import InputError, OutputError, PeerError
from schedlab.live.slurm.reader import SlurmReader
from schedlab.metrics.intervals import t_interval
from schedlab.slurm.bench import RealRun, RunSettings, Submission
from schedlab.slurm.real_slurm import RealSlurm

ARMS = ("off", "shadow", "steer")
"""A shadow looks and decides as steering does, and changes nothing: only the changes differ."""
COMPARED = (("shadow", "steer"), ("off", "steer"), ("off", "shadow"))
"""They show the effects of the changes alone, of steering as a whole, and of the looks alone."""
RUNS = "runs.jsonl"
BOUND_S = 10.0
"""The shortest run time that bounded slowdown counts."""
_RPC = re.compile(r"^\s+REQUEST_\w+.*?count:(\d+)\s+ave_time:\d+\s+total_time:(\d+)", re.MULTILINE)


@dataclass(frozen=True)
class TrialRun:
    """One run of the jobs under one arm.

    Args:
        replica: counted from 1; each has one run of every arm.
        arm: off, shadow or steer.
        turn: counted from 1: the place of the run in its replica.
        jobs: number of jobs that have ended.
        lost: number of jobs that have not ended.
        mean_wait_s: mean wait of the jobs that have ended.
        median_wait_s: their median wait.
        p95_wait_s: the 95th percentile of their waits.
        longest_wait_s: their longest wait.
        mean_slowdown: their mean bounded slowdown, with a bound of 10 s.
        makespan_s: from the first submission to the last end.
        changes: number of changes of priorities, made or wanted.
        requests: number of requests that slurmctld served.
        requests_s: how long it took for them.
        load: the load of the machine at the end, over the last minute.
    """

    replica: int
    arm: str
    turn: int
    jobs: int
    lost: int
    mean_wait_s: float
    median_wait_s: float
    p95_wait_s: float
    longest_wait_s: float
    mean_slowdown: float
    makespan_s: float
    changes: int
    requests: int
    requests_s: float
    load: float


@dataclass(frozen=True)
class TrialEffect:
    """How a figure differs between two arms, over replicas.

    Args:
        metric: a figure of ``TrialRun``.
        arms: the two arms.
        means: the means over the runs of each arm.
        change: the relative change from the first to the second; the geometric mean over replicas.
        interval: its 95 % interval; None for fewer than two replicas.
        less: number of replicas in which the second arm has less.
        replicas: number of replicas that have both arms.
    """

    metric: str
    arms: tuple[str, str]
    means: tuple[float, float]
    change: float
    interval: tuple[float, float] | None
    less: int
    replicas: int


METRICS = (
    *("mean_wait_s", "median_wait_s", "p95_wait_s", "longest_wait_s", "mean_slowdown"),
    *("makespan_s", "requests", "requests_s"),
)


def effects_of(runs: Sequence[TrialRun]) -> list[TrialEffect]:
    """Compare the arms, replica by replica; a replica without both arms does not count."""
    replicas: dict[int, dict[str, TrialRun]] = {}
    for run in runs:
        replicas.setdefault(run.replica, {})[run.arm] = run
    found = []
    for arms in COMPARED:
        both = [[each[arm] for arm in arms] for each in replicas.values() if each.keys() >= {*arms}]
        found += [_effect(metric, arms, both) for metric in METRICS if both]
    if not found:
        raise InputError("no replica has run under two arms: nothing to compare")
    return found


def _effect(
    metric: str, arms: tuple[str, str], replicas: Sequence[Sequence[TrialRun]]
) -> TrialEffect:
    values = np.array([[getattr(run, metric) for run in each] for each in replicas], float)
    logs = np.log((values[:, 1] + 1e-9) / (values[:, 0] + 1e-9))
    interval = t_interval(logs.tolist())
    return TrialEffect(
        metric,
        arms,
        (float(values[:, 0].mean()), float(values[:, 1].mean())),
        math.expm1(float(logs.mean())),
        None if interval is None else (math.expm1(interval[0]), math.expm1(interval[1])),
        int((values[:, 1] < values[:, 0]).sum()),
        len(values),
    )


@dataclass
class LiveTrial:
    """Runs the same jobs under every arm, replica by replica; in each the order is drawn.

    An interrupted trial continues where it stopped.

    Args:
        slurm: the cluster; nothing else may run there.
        submissions: the jobs.
        site: the site folder of the cluster.
        folder: the folder that gets all runs.
        policy: the policy that steers.
        every_s: the length of one period.
        replicas: number of runs of each arm.
        arms: the arms to run, some of ARMS.
        seed: seed of the order.
        options: more options of ``schedlab live steer``.
    """

    slurm: RealSlurm
    submissions: Sequence[Submission]
    site: Path
    folder: Path
    policy: str
    every_s: float
    replicas: int
    arms: Sequence[str] = ARMS
    seed: int = 0
    options: Sequence[str] = field(default_factory=tuple)

    def order(self) -> list[tuple[int, str, int]]:
        """Return replica, arm and turn of each run."""
        rng = np.random.default_rng(self.seed)
        drawn = [rng.permutation(len(self.arms)) for _ in range(self.replicas)]
        return [
            (replica, self.arms[arm], turn)
            for replica, arms in enumerate(drawn, 1)
            for turn, arm in enumerate(arms, 1)
        ]

    def go(self, tell: Callable[[int, int, str], None] = lambda done, total, note: None) -> None:
        """Make the runs that are not done yet."""
        done = {(run.replica, run.arm) for run in self.runs()}
        order = self.order()
        for at, (replica, arm, turn) in enumerate(order):
            tell(at, len(order), f"replica {replica}, {arm}")
            if (replica, arm) not in done:
                self._write(self._run(replica, arm, turn))

    def runs(self) -> list[TrialRun]:
        """Return the runs that are done."""
        path = self.folder / RUNS
        if not path.exists():
            return []
        lines = path.read_text(encoding="utf-8").splitlines()
        return [TrialRun(**json.loads(line)) for line in lines if line.endswith("}")]

    def folder_of(self, replica: int, arm: str) -> Path:
        """Return the folder in which a run keeps what happened."""
        return self.folder / f"run-{replica:02d}-{arm}"

    def _write(self, run: TrialRun) -> None:
        try:
            with (self.folder / RUNS).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(run)) + "\n")
        except OSError as error:
            raise OutputError(f"{self.folder / RUNS}: {error.strerror}") from None

    def _run(self, replica: int, arm: str, turn: int) -> TrialRun:
        if self.slurm.waiting_or_running():
            raise InputError("there are jobs in the queue; a trial needs a cluster of its own")
        place = self.folder_of(replica, arm)
        place.mkdir(parents=True, exist_ok=True)
        before = _cost(self.slurm)
        run = RealRun(self.slurm, self.submissions, place, RunSettings(sample_s=3600.0))
        with self._arm(arm, place) as output:
            run.go()
        requests, requests_s = (
            after - first for after, first in zip(_cost(self.slurm), before, strict=True)
        )
        changes = sum(len(step.get("changes", ())) for step in _steps(output))
        left = SlurmReader(self.slurm).site_factors()
        if left:
            raise PeerError(f"{len(left)} jobs still have a site factor after the run")
        waits = _waits(self.slurm, list(run.ids.values()))
        return TrialRun(
            replica=replica,
            arm=arm,
            turn=turn,
            lost=sum(len(each.rows) for each in self.submissions) - waits["jobs"],
            changes=changes,
            requests=int(requests),
            requests_s=round(requests_s, 3),
            load=round(os.getloadavg()[0], 2),
            **waits,
        )

    @contextmanager
    def _arm(self, arm: str, place: Path) -> Iterator[Path]:
        """Run the arm's command beside the run, and end it by Ctrl-C, as an operator would."""
        output = place / f"{arm}.jsonl"
        output.unlink(missing_ok=True)
        if arm == "off":
            yield output
            return
        words = ["live", arm, str(self.site), "--policy", self.policy]
        words += ["--every", f"{self.every_s:g}s", "--json", *self.options]
        words += ["--yes"] if arm == "steer" else ["--log", str(place / "shadow.log")]
        conf = self.slurm.environment.get("SLURM_CONF")
        words += ["--conf", conf] if conf else []
        with output.open("wb") as file, (place / f"{arm}.err").open("wb") as errors:
            process = subprocess.Popen(
                [sys.executable, "-m", "schedlab", *words],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=errors,
                start_new_session=True,
            )
        try:
            time.sleep(1.0)
            if process.poll() is not None:
                said = (place / f"{arm}.err").read_text(errors="replace").strip()
                raise PeerError(f"schedlab live {arm} ended at once: {said}")
            yield output
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()


def _steps(path: Path) -> Iterator[dict[str, Any]]:
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.endswith("}"):
            yield json.loads(line)


def _cost(slurm: RealSlurm) -> tuple[int, float]:
    """Return the number of requests that slurmctld has served, and the seconds that they took."""
    found = _RPC.findall(slurm.run("sdiag").partition("by user")[0])
    return sum(int(count) for count, _ in found), sum(int(total) for _, total in found) / 1e6


def _waits(slurm: RealSlurm, ids: Sequence[str]) -> dict[str, Any]:
    """Return figures of the jobs from accounting, which may learn of the last ones a bit later."""
    rows: list[tuple[int, int, int]] = []
    for _ in range(30):
        text = slurm.run(
            *("sacct", "--allocations", "--noheader", "--parsable2"),
            *("--format=Submit,Start,End", "--jobs", ",".join(ids)),
        )
        lines = [line.split("|") for line in text.splitlines()]
        rows = [
            (int(cells[0]), int(cells[1]), int(cells[2]))
            for cells in lines
            if all(cell.isdecimal() for cell in cells)
        ]
        if lines and len(rows) == len(lines):
            break
        time.sleep(1.0)
    if not rows:
        raise PeerError("sacct: knows none of the jobs of the run")
    submit, start, end = np.array(rows, float).T
    wait, run = start - submit, end - start
    slowdown = np.maximum((wait + run) / np.maximum(run, BOUND_S), 1.0)
    return {
        "jobs": len(rows),
        "mean_wait_s": float(wait.mean()),
        "median_wait_s": float(np.median(wait)),
        "p95_wait_s": float(np.percentile(wait, 95)),
        "longest_wait_s": float(wait.max()),
        "mean_slowdown": float(slowdown.mean()),
        "makespan_s": float(end.max() - submit.min()),
    }
