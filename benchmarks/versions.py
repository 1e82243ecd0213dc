"""Two builds of schedlab on the same jobs: ``python -m benchmarks.versions OTHER``.

OTHER is a folder into which another version was installed with ``pip install --target OTHER``. Both
replay each trace under each policy, in turn, each in a process of its own. The starts must be the
same; the table gives the processor time of the installed build as a multiple of the other's.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.simulation import lublin
from schedlab import Workload
from schedlab.workload import apply, read_workload

RECORDED = Path(__file__).parent / "versions.json"
SHARED = Path(__file__).parents[1].parent / "shared" / "data" / "swf"
TRACES = {
    "KTH-SP2": ("KTH-SP2-1996-2.1-cln.swf.gz", 100),
    "SDSC-SP2": ("SDSC-SP2-1998-4.2-cln.swf.gz", 128),
    "SDSC-BLUE": ("SDSC-BLUE-2000-4.2-cln.swf.gz", 1152),
    "UniLu-Gaia": ("UniLu-Gaia-2014-2.swf.gz", 2004),
    "CEA-Curie": ("CEA-Curie-2011-2.1-cln.swf.gz", 93312),
}
MOST_JOBS = 20_000
POLICIES = (
    *("fcfs", "easy", "sjf+easy", "f2+easy", "wfp3+easy", "easy:predict=regression"),
    *("conservative:depth=100", "wrsa+easy", "wrsabf-or:depth=100", "wrsabf-ar:depth=100"),
)
COLUMNS = ("job_id", "submit_s", "nodes", "request_s", "run_s", "user")

# A build answers each line, a trace and a policy, with its best processor time and with its starts.
REPLAY = """
import hashlib, json, sys, time
folder, jobs = sys.argv[1:]
if folder:
    sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]
    sys.path.insert(0, folder)
import numpy as np
from schedlab import Workload, simulate
for line in sys.stdin:
    trace, nodes, policy = json.loads(line)
    workload = Workload(dict(np.load(f"{jobs}/{trace}.npz")))
    took, spent = [], 0.0
    while spent < 0.3 or len(took) < 2:
        began = time.process_time()
        schedule = simulate(workload, nodes, policy)
        took.append(time.process_time() - began)
        spent += took[-1]
    starts = hashlib.sha256(schedule.start_s.astype("<i8").tobytes()).hexdigest()
    print(json.dumps([min(took), starts]), flush=True)
"""


@dataclass(frozen=True)
class Compared:
    """What one trace took under one policy, in seconds of the processor."""

    trace: str
    policy: str
    jobs: int
    own_s: float
    other_s: float
    same_starts: bool

    @property
    def ratio(self) -> float:
        """The time of the installed build as a multiple of the other's."""
        return self.own_s / self.other_s


class Build:
    """A process in which one build replays traces."""

    def __init__(self, folder: str, jobs: str) -> None:
        command = [sys.executable, "-c", REPLAY, folder, jobs]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def replay(self, trace: str, nodes: int, policy: str) -> tuple[float, str]:
        """Return the best time, and a digest of the starts."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        print(json.dumps([trace, nodes, policy]), file=asked, flush=True)
        took, starts = json.loads(answers.readline())
        return took, starts


def workloads(folder: Path) -> dict[str, tuple[Workload, int]]:
    """Return the first jobs of real traces, or of a model without these, with their machines."""
    if not folder.exists():
        sizes = (64, 256, 1024, 4096, 16384)
        return {f"Lublin, {nodes:,} nodes": (lublin(MOST_JOBS, nodes), nodes) for nodes in sizes}
    found = {}
    for name, (file, nodes) in TRACES.items():
        jobs = apply(read_workload(folder / file), [f"oversize=clip:{nodes}"])
        found[name] = (jobs.take(np.arange(len(jobs)) < MOST_JOBS), nodes)
    return found


def compared(own: str, other: str, data: Path, policies: list[str], repeats: int) -> list[Compared]:
    """Replay everything in turn in both builds."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        every = workloads(data)
        for name, (jobs, _) in every.items():
            columns: dict[str, Any] = {column: jobs[column] for column in COLUMNS}
            np.savez(f"{folder}/{name}.npz", **columns)
        with Build(own, folder) as first, Build(other, folder) as second:
            for name, (jobs, nodes) in every.items():
                for policy in policies:
                    found = [
                        [build.replay(name, nodes, policy) for build in (first, second)]
                        for _ in range(repeats)
                    ]
                    own_s, other_s = (min(both[i][0] for both in found) for i in range(2))
                    same = len({starts for both in found for _, starts in both}) == 1
                    rows.append(Compared(name, policy, len(jobs), own_s, other_s, same))
                    print(f"{name}, {policy}: {rows[-1].ratio:.2f}", file=sys.stderr)
    return rows


def show(rows: list[Compared]) -> None:
    """Print the ratios, a row for each policy."""
    traces = list(dict.fromkeys(row.trace for row in rows))
    table = Table(title="processor time in times of the other build's")
    for column in ("policy", *traces, "mean", "same starts"):
        table.add_column(column, justify="left" if column == "policy" else "right")
    for policy in dict.fromkeys(row.policy for row in rows):
        own = [row for row in rows if row.policy == policy]
        mean = float(np.exp(np.mean(np.log([row.ratio for row in own]))))
        ratios = [f"{row.ratio:.2f}" for row in own]
        same = "yes" if all(row.same_starts for row in own) else "NO"
        table.add_row(policy, *ratios, f"{mean:.2f}", same)
    Console(width=120).print(table)


def main() -> None:
    """Measure, print, record; fail where the starts differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", help="folder with another installed build")
    parser.add_argument("--own", default="", help="folder with a build to take for the installed")
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with the traces")
    parser.add_argument("--policy", action="append", help="all by default")
    parser.add_argument("--repeats", type=int, default=5, help="the best of them counts")
    options = parser.parse_args()
    policies = options.policy or list(POLICIES)
    rows = compared(options.own, options.other, options.data, policies, options.repeats)
    show(rows)
    if not options.policy:
        kept: dict[str, Any] = {
            "command": f"python -m benchmarks.versions OTHER --repeats {options.repeats}",
            "rows": [asdict(row) | {"ratio": round(row.ratio, 3)} for row in rows],
        }
        RECORDED.write_text(json.dumps(kept, indent=1) + "\n")
    if not all(row.same_starts for row in rows):
        sys.exit("the starts differ")


if __name__ == "__main__":
    main()
