"""Other programs that schedule the same jobs, measured in the same run."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from schedlab import Workload
from schedlab.testing.reference import reference_simulate
from schedlab.workload import write_workload

HERE = Path(__file__).parent


class BareLoop:
    """EASY by node counts in C++ and nothing else: the floor, and the yardstick of the machine."""

    def __init__(self, folder: Path, workload: Workload, nodes: int) -> None:
        self.program, self.jobs = folder / "bare_easy", folder / "jobs.bin"
        source = HERE / "bare_easy.cpp"
        subprocess.run(["g++", "-std=c++20", "-O3", "-o", self.program, source], check=True)
        columns = [workload[name] for name in ("submit_s", "nodes", "run_s")]
        np.concatenate([[len(workload), nodes], *columns]).astype(np.int64).tofile(self.jobs)

    def run(self, repeats: int = 3) -> tuple[float, int]:
        """Jobs per second and the sum of all waits."""
        answer = subprocess.run(
            [self.program, self.jobs, str(repeats)], check=True, capture_output=True, text=True
        )
        rate, waited = answer.stdout.split()
        return float(rate), int(waited)


def reference_rate(workload: Workload, nodes: int) -> float:
    """Jobs per second of the plain Python reference under EASY."""
    began = time.perf_counter()
    reference_simulate(workload, nodes, "fcfs", "easy")
    return len(workload) / (time.perf_counter() - began)


ACCASIM = """
import collections, collections.abc, json, os, sys, time
collections.Mapping = collections.abc.Mapping
from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import EASYBackfilling
from accasim.base.simulator_class import Simulator
system = {"groups": {"g0": {"core": 1, "mem": 1}}, "resources": {"g0": int(sys.argv[2])}}
json.dump(system, open("system.json", "w"))
simulator = Simulator(sys.argv[1], "system.json", EASYBackfilling(FirstFit()))
began = time.perf_counter()
simulator.start_simulation()
print("took", time.perf_counter() - began)
"""


def accasim_rate(folder: Path, workload: Workload, nodes: int) -> float | None:
    """Jobs per second of AccaSim's EASY; None if it is not installed."""
    if importlib.util.find_spec("accasim") is None:
        return None
    ones = np.ones(len(workload))
    trace = folder / "accasim.swf"
    told = workload.replace(
        requested_memory_kb=ones, user=ones.astype(int), requested_procs=workload["nodes"]
    )
    write_workload(told, trace)
    answer = subprocess.run(
        [sys.executable, "-c", ACCASIM, str(trace), str(nodes)],
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
    )
    took = [line for line in answer.stdout.splitlines() if line.startswith("took")]
    return len(workload) / float(took[-1].split()[1])
