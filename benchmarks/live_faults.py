"""Faults while a real Slurm is steered: ``python -m benchmarks.live_faults SITE --conf CONF``.

For a test cluster of its own, as root. Draws faults at random, makes them while waiting jobs have
site factors, and asks each time: were all factors 0 again, how soon, and is every job still there
and none held? Writes docs/design/live-faults.json, and prints its table. Several clusters may be
tried side by side, each with ``--seed`` and ``--out``; ``--join FILE ...`` makes one of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from schedlab import __version__
from schedlab.errors import PeerError
from schedlab.live.slurm.reader import SlurmReader
from schedlab.live.switch import LOG, SWITCH
from schedlab.slurm.real_slurm import RealSlurm

FIGURES = Path(__file__).parents[1] / "docs" / "design" / "live-faults.json"
EVERY_S = 5
PATIENCE_S = 180.0
JOBS = 12
OWN_CLOCK = """\
import os, runpy, time
true_time, path = time.time, os.environ["CLOCK"]
time.time = lambda: true_time() + float(open(path).read())
runpy.run_module("schedlab", run_name="__main__")
"""
"""Runs schedlab with a clock that is wrong by as many seconds as a file says."""


class Bench:
    """One steered cluster."""

    def __init__(self, site: Path, conf: Path) -> None:
        self.site, self.conf = site, conf
        self.slurm = RealSlurm.find(conf)
        self.jobs: set[str] = set()
        self.process: subprocess.Popen[bytes] | None = None
        self.others: list[subprocess.Popen[bytes]] = []

    @property
    def live(self) -> Path:
        """The folder of the switch and the logs."""
        return self.site / "live"

    @property
    def clock(self) -> Path:
        """The file that sets how far the clock of the steering is from the true one."""
        return self.live / "clock"

    def factors(self) -> dict[int, int]:
        """Return the site factors that are not 0."""
        return SlurmReader(self.slurm).site_factors()

    def until(self, happened: Callable[[], bool], what: str) -> float:
        """Wait until it has happened; return how long that took."""
        begun = time.monotonic()
        while True:
            try:
                if happened():
                    return time.monotonic() - begun
            except (PeerError, OSError):  # slurmctld may be away
                pass
            if time.monotonic() - begun > PATIENCE_S:
                raise RuntimeError(f"waited in vain until {what}")
            time.sleep(0.1)

    def fill(self) -> None:
        """Submit a job that holds the cluster, and others that wait."""
        cpus = self.slurm.run("sinfo", "-h", "-o", "%C").splitlines()[0].split("/")[-1].strip()
        first = self.slurm.submit(["-n", cpus, "-t", "60"], "sleep 3600", None)
        self.until(
            lambda: "RUNNING" in self.slurm.run("squeue", "-h", "-j", first, "-o", "%T"), "it runs"
        )
        self.jobs = {first}
        for at in range(JOBS):
            options = ["-n", str(1 + 5 * at % int(cpus)), "-t", str(1 + at % 5)]
            self.jobs.add(self.slurm.submit(options, "sleep 1", None))

    def command(self, *words: str) -> list[str]:
        """Return the command line of a command of ``schedlab live``."""
        return [sys.executable, "-m", "schedlab", "live", *words, "--conf", str(self.conf)]

    def steer(self) -> None:
        """Start the steering, and wait until it has changed something."""
        self.clock.write_text("0")
        for name in (LOG, SWITCH):
            (self.live / name).unlink(missing_ok=True)
        words = ("steer", str(self.site), "--policy", "saf", "--every", f"{EVERY_S}s", "--yes")
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWN_CLOCK, *self.command(*words, "--forks", "2")[3:]],
            env={**os.environ, "CLOCK": str(self.clock)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.until(lambda: bool(self.factors()), "priorities are changed")

    def stop(self) -> None:
        """Stop the steering by its command."""
        subprocess.run(self.command("stop", str(self.site)), check=True, stdout=subprocess.DEVNULL)

    def harm(self) -> tuple[int, int]:
        """Return how many jobs are lost, and how many are held."""
        rows = [
            line.split("|") for line in self.slurm.run("squeue", "-h", "-o", "%i|%r").split("\n")
        ]
        there = {row[0] for row in rows}
        held = sum("JobHeld" in row[1] for row in rows if len(row) > 1)
        return len(self.jobs - there), held

    def controller(self) -> int:
        """Return the process number of slurmctld."""
        return int(Path(self.slurm.config["SlurmctldPidFile"]).read_text())


def killed(bench: Bench) -> None:
    """The steering is killed: kill -9."""
    assert bench.process is not None
    bench.process.kill()


def hung(bench: Bench) -> None:
    """The steering hangs: it is stopped, and goes on after the watchdog has acted."""
    assert bench.process is not None
    bench.process.send_signal(signal.SIGSTOP)


def ended(bench: Bench) -> None:
    """The steering is asked to end: SIGTERM, as systemd does."""
    assert bench.process is not None
    bench.process.terminate()


def switched_off(bench: Bench) -> None:
    """The switch is deleted."""
    (bench.live / SWITCH).unlink()


def stopped(bench: Bench) -> None:
    """An operator stops it: schedlab live stop."""
    bench.stop()


def without_watchdog(bench: Bench) -> None:
    """The watchdog is killed; when the next one is there, the steering is."""
    _kill_watchdog(bench)
    bench.until(lambda: bool(_watchdogs(bench)), "another watchdog is there")
    killed(bench)


def both_killed(bench: Bench) -> None:
    """Steering and watchdog are killed in one moment; an operator stops it by the command."""
    _kill_watchdog(bench)
    killed(bench)
    bench.stop()


def slow_controller(bench: Bench) -> None:
    """Slurmctld hangs for two periods; then the steering is killed."""
    pid = bench.controller()
    os.kill(pid, signal.SIGSTOP)
    time.sleep(2 * EVERY_S)
    os.kill(pid, signal.SIGCONT)
    killed(bench)


def slow_when_killed(bench: Bench) -> None:
    """Slurmctld hangs, and the steering is killed meanwhile: the watchdog must wait for it."""
    pid = bench.controller()
    os.kill(pid, signal.SIGSTOP)
    killed(bench)
    time.sleep(2 * EVERY_S)
    os.kill(pid, signal.SIGCONT)


def restarted_controller(bench: Bench) -> None:
    """Slurmctld ends and starts again, and the steering is killed meanwhile."""
    pid = bench.controller()
    os.kill(pid, signal.SIGTERM)
    killed(bench)
    bench.until(lambda: not _runs(pid), "slurmctld has ended")
    with (bench.live / "slurmctld.out").open("ab") as file:
        bench.others.append(
            subprocess.Popen(
                ["slurmctld", "-D"], stdout=file, stderr=file, env=bench.slurm.environment
            )
        )


def full_disk(bench: Bench) -> None:
    """The log cannot be written: what is not written down is not done, and all is returned."""
    assert bench.process is not None
    size = (bench.live / LOG).stat().st_size
    resource.prlimit(bench.process.pid, resource.RLIMIT_FSIZE, (size, size))
    # The steering notices only when something must be changed.
    bench.jobs.add(bench.slurm.submit(["-n", "1", "-t", "1"], "sleep 1", None))


def lost_database(bench: Bench) -> None:
    """Slurmdbd is killed for two periods, and the steering meanwhile."""
    settings = (bench.conf.parent / "slurmdbd.conf").read_text().splitlines()
    pid = next(line.partition("=")[2] for line in settings if line.startswith("PidFile"))
    os.kill(int(Path(pid).read_text()), signal.SIGKILL)
    time.sleep(2 * EVERY_S)
    killed(bench)
    with (bench.live / "slurmdbd.out").open("ab") as file:
        bench.others.append(
            subprocess.Popen(
                ["slurmdbd", "-D"], stdout=file, stderr=file, env=bench.slurm.environment
            )
        )


def wrong_clock(bench: Bench) -> None:
    """The clock of the steering goes back by an hour; two periods later it is ended."""
    bench.clock.write_text("-3600")
    time.sleep(2 * EVERY_S)
    ended(bench)


FAULTS = (
    *(killed, hung, ended, switched_off, stopped, without_watchdog, both_killed),
    *(slow_controller, slow_when_killed, restarted_controller, full_disk, lost_database),
    wrong_clock,
)


def _watchdogs(bench: Bench) -> list[int]:
    text = subprocess.run(
        ["pgrep", "-f", f"steering.watchdog {bench.live}"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return [int(pid) for pid in text.split()]


def _kill_watchdog(bench: Bench) -> None:
    for pid in _watchdogs(bench):
        os.kill(pid, signal.SIGKILL)


def _runs(pid: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@contextmanager
def _clean(bench: Bench) -> Iterator[None]:
    try:
        yield
    finally:
        if bench.process is not None:
            bench.process.send_signal(signal.SIGCONT)
            try:
                bench.process.wait(60)
            except subprocess.TimeoutExpired:
                bench.process.kill()
                bench.process.wait()
        (bench.live / LOG).unlink(missing_ok=True)


def one(bench: Bench, fault: Callable[[Bench], None]) -> dict[str, Any]:
    """Make one fault, and return its consequences."""
    bench.steer()
    with _clean(bench):
        begun = time.monotonic()
        fault(bench)
        bench.until(lambda: not bench.factors(), "all factors are 0")
        took_s = time.monotonic() - begun
    # After a restart slurmctld answers before it knows all priorities again.
    time.sleep(10.0 if fault is restarted_controller else 1.0)
    again = len(bench.factors())  # a steering that hung and went on must change nothing
    lost, held = bench.harm()
    return {
        "fault": fault.__name__,
        "returned_s": round(took_s, 1),
        "factors_later": again,
        "lost": lost,
        "held": held,
    }


def table(document: Mapping[str, Any]) -> str:
    """Return the table in Markdown."""
    return "\n".join(_lines(document["faults"]))


def _lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    yield "| fault | times | returned after: median | longest | factors later | jobs lost | held |"
    yield "|---|---|---|---|---|---|---|"
    for fault in FAULTS:
        own = [row for row in rows if row["fault"] == fault.__name__]
        if own:
            times = sorted(row["returned_s"] for row in own)
            sums = [sum(row[key] for row in own) for key in ("factors_later", "lost", "held")]
            what = str(fault.__doc__).rstrip(".")
            yield (
                f"| {what} | {len(own)} | {times[len(times) // 2]:.1f} s | {times[-1]:.1f} s | "
                f"{sums[0]} | {sums[1]} | {sums[2]} |"
            )


def main() -> None:
    """Draw faults, make them, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, nargs="?")
    parser.add_argument("--conf", type=Path)
    parser.add_argument("--join", type=Path, nargs="+")
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=FIGURES)
    given = parser.parse_args()
    if given.join:
        documents = [json.loads(path.read_text()) for path in given.join]
        rows = [row for each in documents for row in each["faults"]]
        seeds = [each["seed"] for each in documents]
        told = {**documents[0], "seed": seeds, "faults": rows}
        given.out.write_text(json.dumps(told, indent=1) + "\n")
        print(table(told))
        return
    if given.site is None or given.conf is None:
        parser.error("give SITE and --conf, or --join")
    bench, drawn = Bench(given.site, given.conf), random.Random(given.seed)
    bench.live.mkdir(exist_ok=True)
    bench.fill()
    rows = []
    version = bench.slurm.run("scontrol", "--version").strip()
    told = {"schedlab": __version__, "slurm": version, "every_s": EVERY_S, "seed": given.seed}
    try:
        for number in range(given.faults):
            row = one(bench, drawn.choice(FAULTS))
            rows.append(row)
            print(number + 1, row, flush=True)
            given.out.write_text(json.dumps({**told, "faults": rows}, indent=1) + "\n")
    finally:
        bench.slurm.cancel(sorted(bench.jobs))
        for process in bench.others[:-1]:
            process.wait()
    print(table({**told, "faults": rows}))


if __name__ == "__main__":
    main()
