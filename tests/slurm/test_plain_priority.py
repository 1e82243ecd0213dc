"""Priorities and fair share in plain Python, and what a real Slurm said of the same jobs."""

from __future__ import annotations

import csv
import gzip
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import pytest
from typer.testing import CliRunner

from schedlab.cli.app import app
from schedlab.slurm import SlurmSite, read_site
from schedlab.slurm.accounts import Accounts, Association
from schedlab.slurm.parameters import PrioritySettings
from schedlab.slurm.plain.fair_share import FairShare
from schedlab.slurm.plain.priority import Multifactor, PriorityRequest

QUIET = ("small", "half-r1", "half-r2", "half-r3")
"""Runs on a machine with nothing else to do: samples show what was true when they were taken."""

Row = dict[str, str]


def rows(path: Path) -> list[Row]:
    """Return the lines of a table, packed or not."""
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rt") if packed.exists() else path.open() as file:
        return list(csv.DictReader(file, delimiter="|"))


@dataclass(frozen=True)
class RealRun:
    """A folder of what a real Slurm did; offsets are seconds since the first submission."""

    folder: Path
    site: SlurmSite

    @cached_property
    def first_pass_s(self) -> float:
        """When the thread of priorities began to count."""
        with gzip.open(self.folder / "slurmctld.log.gz", "rt") as log:
            line = next(line for line in log if "MULTIFACTOR plugin loaded" in line)
        told = datetime.fromisoformat(line[1:24]).replace(tzinfo=UTC).timestamp()
        return told - self.zero_s

    @cached_property
    def zero_s(self) -> float:
        """The time of offset 0 on Slurm's clock."""
        return float((self.folder / "t0.txt").read_text().split()[-1])

    @cached_property
    def jobs(self) -> list[tuple[Row, float, float]]:
        """Each job that started, with the exact offsets of start and end."""
        exact = {row["jobid"]: row for row in rows(self.folder / "starts.csv")}
        return [
            (row, float(own["start_offset_s"]), float(own["end_offset_s"] or math.inf))
            for row in rows(self.folder / "sacct.csv")
            if (own := exact.get(row["JobID"]))
        ]

    def second(self, offset_s: float) -> int:
        """Return what time() said then."""
        return math.floor(self.zero_s + offset_s)


class Replay:
    """The fair share of a real run, moment by moment."""

    def __init__(self, run: RealRun) -> None:
        self.run = run
        settings = run.site.parameters.priority
        self.tree = FairShare(run.site.accounts, settings, run.second(run.first_pass_s))
        passes = [(run.first_pass_s + settings.calc_period_s * k, None) for k in range(1, 40)]
        ends = [(end_s, row) for row, _, end_s in run.jobs if end_s < math.inf]
        self.events = sorted([*passes, *ends], key=lambda event: event[0])
        self.passes_s = [run.first_pass_s]

    def go_to(self, offset_s: float) -> None:
        """Replay all events up to this offset."""
        while self.events and self.events[0][0] <= offset_s:
            time_s, ended = self.events.pop(0)
            if ended is None:
                self._pass(time_s)
            else:
                self._charge(ended, int(ended["End"]))

    def _pass(self, time_s: float) -> None:
        now_s = self.run.second(time_s)
        self.tree.begin_pass(now_s)
        for row, start_s, end_s in self.run.jobs:
            if start_s < time_s < end_s:
                self._charge(row, now_s)
        self.tree.end_pass(now_s)
        self.passes_s.append(time_s)

    def _charge(self, row: Row, end_s: int) -> None:
        share = self.tree.of(row["Account"], row["User"])
        self.tree.charge(share, int(row["AllocCPUS"]), int(row["Start"]), end_s)


@pytest.fixture(params=QUIET)
def run(request: pytest.FixtureRequest, shared_data: Path, tmp_path: Path) -> RealRun:
    """One of the quiet runs."""
    folder = shared_data / "slurm" / "runs" / request.param
    done = CliRunner().invoke(
        app, ["slurm", "import", str(folder), "--out", str(tmp_path / "site")]
    )
    assert done.exit_code == 0, done.output
    return RealRun(folder, read_site(tmp_path / "site"))


def test_fair_share_is_that_of_sshare(run: RealRun) -> None:
    """Every sample of every association agrees: use to the unit, the rest to the printed digits."""
    replay, seen = Replay(run), 0
    for row in rows(run.folder / "sshare.csv"):
        replay.go_to(float(row["offset_s"]) + 0.03)
        if row["account"] == "root" and not row["user"]:
            continue
        own = replay.tree.of(row["account"], row["user"] or None)
        told = (
            str(math.floor(own.usage)),
            f"{own.norm_shares:.6f}",
            f"{own.norm_usage:.6f}",
            f"{own.effective_usage:.6f}",
            f"{own.factor:.6f}" if own.is_user else "",
            "inf" if own.level_fs == math.inf else f"{own.level_fs:.6f}",
        )
        names = ("rawusage", "normshares", "normusage", "effectvusage", "fairshare", "levelfs")
        assert told == tuple(row[name] for name in names), row
        seen += 1
    assert seen > 10


def test_priorities_are_those_of_sprio(run: RealRun) -> None:
    """Every factor of every waiting job agrees in every sample, to the unit."""
    replay, seen = Replay(run), 0
    jobs = {row["jobid"]: row for row in rows(run.folder / "submitted.csv")}
    assert run.site.history is not None
    told_nodes = run.site.history.details.select("slurm_id", "min_nodes").rows()
    least = {name: nodes or 1 for name, nodes in told_nodes}
    for row in rows(run.folder / "sprio.csv"):
        asked = jobs[row["jobid"]]
        submit_s = float(asked["submit_offset_s"])
        replay.go_to(float(row["offset_s"]))
        last_pass_s, age_s = replay.passes_s[-1], 0
        factor = replay.tree.of(asked["account"], asked["user"]).factor
        if last_pass_s > submit_s:
            age_s = run.second(last_pass_s) - run.second(submit_s)
        job = PriorityRequest(
            asked["partition"], asked["qos"], int(asked["cores"]), least[row["jobid"]]
        )
        parts = Multifactor(run.site).factors(job, factor, age_s)
        weighted = (parts.age, parts.fairshare, parts.jobsize, parts.partition, parts.qos)
        told = [str(parts.priority), *(f"{each:.0f}" for each in weighted)]
        names = ("priority", "age", "fairshare", "jobsize", "partition", "qos")
        assert told == [row[name] for name in names], row
        seen += 1
    assert seen > 10


def tree(usage: dict[str, float], **settings: str | int | tuple[str, ...]) -> FairShare:
    """Return two accounts of equal shares with two users each, who have used this much."""
    associations = [Association("root"), Association("a", parent="root", shares=10)]
    associations += [Association("b", parent="root", shares=10)]
    associations += [Association(name[0], user=name) for name in ("a1", "a2", "b1", "b2")]
    found = FairShare(Accounts(tuple(associations)), PrioritySettings(**settings), 0)  # type: ignore[arg-type]
    found.begin_pass(0)
    for name, amount in usage.items():
        share = found.of(name[0], name)
        while share is not None:
            share.usage += amount
            share = share.parent  # type: ignore[assignment]
    found.end_pass(0)
    found.begin_pass(0)  # the classic formula looks at accounts before a pass
    return found


def factors(found: FairShare) -> list[float]:
    """Return the fair-share factors of the four users."""
    return [found.factor(name[0], name) for name in ("a1", "a2", "b1", "b2")]


def test_users_of_the_account_that_used_less_come_first() -> None:
    """It does not matter how much they have used themselves."""
    assert factors(tree({"a1": 60, "b1": 30, "b2": 10})) == [0.25, 0.5, 0.75, 1.0]


def test_users_of_accounts_that_tie_compete_with_each_other() -> None:
    """Both accounts have used 40; equal users share a rank."""
    assert factors(tree({"a1": 30, "a2": 10, "b1": 40})) == [0.5, 0.75, 0.25, 1.0]
    assert factors(tree({"a1": 20, "a2": 20, "b1": 20, "b2": 20})) == [1.0] * 4
    assert factors(tree({})) == [1.0] * 4


def test_the_classic_formula() -> None:
    """2 to the power of minus effective use by shares: a1 (.3 + (.5 - .3) / 2) / .25."""
    found = tree({"a1": 30, "a2": 20, "b1": 50}, flags=("NO_FAIR_TREE",))
    assert factors(found)[0] == pytest.approx(2 ** (-0.4 / 0.25))
    assert factors(found)[3] == pytest.approx(2 ** (-0.25 / 0.25))
    assert found.of("a", "a1").effective_usage == pytest.approx(0.4)


def test_the_classic_formula_looks_at_users_when_they_come() -> None:
    """Use that is added after a pass counts for users who were not looked at, not for accounts."""
    found = tree({"a1": 30, "b1": 30}, flags=("NO_FAIR_TREE",))
    assert found.factor("a", "a1") == pytest.approx(2 ** (-0.5 / 0.25))
    found.charge_user("b", "b1", 60, 0, 1)
    assert found.factor("a", "a1") == pytest.approx(2 ** (-0.5 / 0.25))
    # b1 has 90 of 120 (less a second's decay); his account counts with the half it had.
    assert found.factor("b", "b1") == pytest.approx(2 ** (-(0.75 - 0.25 / 2) / 0.25), rel=1e-5)


def test_half_of_the_use_is_forgotten_in_a_half_life() -> None:
    """Nearly: Slurm has three digits of the logarithm."""
    found = tree({"a1": 100.0})
    found.begin_pass(PrioritySettings().decay_half_life_s)
    assert found.of("a", "a1").usage == pytest.approx(50, rel=1e-3)
