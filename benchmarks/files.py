"""Reading, generating and the whole run from file to file."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.simulation import lublin
from benchmarks.table import Row
from schedlab.workload import generate, read_workload, write_workload

MILLION = 1_000_000
SHARED_NODES = Path(__file__).parents[1] / "examples" / "shared_nodes.toml"


def seconds(*command: str) -> float:
    """Return the wall-clock time of a command."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


_LARGEST = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss / 1024, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""Runs a command; the size of a process counts what its parent had, so the parent is small."""


def measured(*command: str) -> tuple[float, float]:
    """Return the wall-clock time of a command, and its largest resident size in MB."""
    began = time.perf_counter()
    small = [sys.executable, "-I", "-S", "-c", _LARGEST, *command]
    told = subprocess.run(small, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.perf_counter() - began, float(told.stderr.split()[-1])


def files(folder: Path) -> list[Row]:
    """Measure a million jobs: generated, read, and run from SWF to Parquet."""
    began = time.perf_counter()
    generate("lublin:nodes=256", MILLION, seed=1)
    generated = time.perf_counter() - began
    trace = folder / "million.swf"
    write_workload(lublin(MILLION, 256), trace)
    began = time.perf_counter()
    read_workload(trace)
    read = time.perf_counter() - began
    schedlab = Path(sys.executable).with_name("schedlab")
    whole = ["simulate", str(trace), "--nodes", "256", "--policy", "easy", "--json"]
    took, resident = measured(str(schedlab), *whole, "--out", str(folder / "million.parquet"))
    shared = ["simulate", "shared", "--jobs", str(MILLION), "--platform", str(SHARED_NODES)]
    out = ["--policy", "easy", "--json", "--out", str(folder / "shared.parquet")]
    shared_took, shared_resident = measured(str(schedlab), *shared, *out)
    return [
        Row("generate 1,000,000 Lublin jobs", generated, "s", 5.0),
        Row("read 1,000,000 lines of SWF", read, "s", 3.0),
        Row("SWF to easy to Parquet, 1,000,000 jobs", took, "s", 10.0),
        Row("  its largest resident size", resident, "MB", 1000.0),
        Row("1,000,000 jobs that share nodes, easy, to Parquet", shared_took, "s", 60.0),
        Row("  its largest resident size on shared nodes", shared_resident, "MB", 2000.0),
    ]


def start_up() -> list[Row]:
    """Measure how long a user waits for the first answer."""
    python, schedlab = sys.executable, str(Path(sys.executable).with_name("schedlab"))
    commands = {
        "import schedlab": [python, "-c", "import schedlab"],
        "  and load simulate": [python, "-c", "import schedlab; schedlab.simulate"],
        "schedlab --help": [schedlab, "--help"],
    }
    targets = (0.3, None, 0.5)
    return [
        Row(name, min(seconds(*command) for _ in range(10)), "s", target)
        for (name, command), target in zip(commands.items(), targets, strict=True)
    ]
