"""Other programs that schedule the same jobs, measured in the same run."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from schedlab import Workload
from schedlab.platform import Platform, demands_of
from schedlab.testing.reference import ReferencePolicy, reference_simulate
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
        """Return jobs per second of processor time, and the sum of all waits."""
        answer = subprocess.run(
            [self.program, self.jobs, str(repeats)], check=True, capture_output=True, text=True
        )
        rate, waited = answer.stdout.split()
        return float(rate), int(waited)


def reference_rate(workload: Workload, nodes: int) -> float:
    """Return jobs per second of the plain Python reference under EASY."""
    began = time.process_time()
    reference_simulate(workload, nodes, ReferencePolicy(backfill="easy"))
    return len(workload) / (time.process_time() - began)


ACCASIM = """
import collections, collections.abc, json, sys, time
collections.Mapping = collections.abc.Mapping
from accasim.base.allocator_class import FirstFit
from accasim.base.scheduler_class import EASYBackfilling
from accasim.base.simulator_class import Simulator
from accasim.utils.reader_class import DefaultTweaker
demands = json.load(open("demands.json"))
as_swf = DefaultTweaker.tweak_function
def as_told(self, job):
    job = as_swf(self, job)
    nodes, resources = demands[str(job["job_number"])]
    job |= {name: nodes * amount for name, amount in resources.items()}
    return job | {"requested_nodes": nodes, "requested_resources": resources}
DefaultTweaker.tweak_function = as_told
simulator = Simulator(sys.argv[1], "system.json", EASYBackfilling(FirstFit()))
began = time.process_time()
simulator.start_simulation()
print("took", time.process_time() - began)
"""


def accasim_rate(folder: Path, workload: Workload, nodes: int) -> float | None:
    """Return jobs per second of AccaSim's EASY; None if it is not installed."""
    system = {"groups": {"g0": {"core": 1, "mem": 1}}, "resources": {"g0": nodes}}
    one = {"core": 1, "mem": 1}
    return _accasim_rate(folder, workload, system, [one] * len(workload))


def accasim_shared_rate(folder: Path, workload: Workload, platform: Platform) -> float | None:
    """Return the same for jobs that share nodes by cores, memory (in MiB) and GPUs."""
    asked = demands_of(workload, platform)
    names = {"cores": "core", "memory": "mem", "gpu": "gpu"}
    scale = np.array([1 << 20 if name == "memory" else 1 for name in asked.resources.names])
    groups = {
        f"g{place}": dict(zip(map(names.get, asked.resources.names), row, strict=True))
        for place, row in enumerate((asked.resources.capacity // scale).tolist())
    }
    counts = {f"g{place}": group.nodes for place, group in enumerate(platform.groups)}
    needed = np.where(asked.whole[:, None], asked.resources.capacity[0], asked.per_node) // scale
    each = [
        dict(zip(map(names.get, asked.resources.names), row, strict=True))
        for row in needed.tolist()
    ]
    return _accasim_rate(folder, workload, {"groups": groups, "resources": counts}, each)


def _accasim_rate(
    folder: Path,
    workload: Workload,
    system: dict[str, Any],
    each: Sequence[Mapping[Any, int]],
) -> float | None:
    if importlib.util.find_spec("accasim") is None:
        return None
    ids, nodes = workload["job_id"].tolist(), workload["nodes"].tolist()
    demands = {job: (count, of) for job, count, of in zip(ids, nodes, each, strict=True)}
    (folder / "system.json").write_text(json.dumps(system))
    (folder / "demands.json").write_text(json.dumps(demands))
    ones, trace = np.ones(len(workload)), folder / "accasim.swf"
    told = workload.replace(
        requested_memory_kb=ones, user=ones.astype(int), requested_procs=workload["nodes"]
    )
    write_workload(told, trace)
    answer = subprocess.run(
        [sys.executable, "-c", ACCASIM, str(trace)],
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
    )
    took = [line for line in answer.stdout.splitlines() if line.startswith("took")]
    return len(workload) / float(took[-1].split()[1])
