"""Look-ahead against the classic rules on whole traces: ``python -m benchmarks.lookahead``.

Prints a row for each trace, seed and policy: the mean bounded slowdown and the 99th percentile of
waits, both also relative to the classic rule that is best on that trace in hindsight, and an
interval of the first ratio from weeks drawn again.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from schedlab import Schedule, Workload, simulate
from schedlab.workload import apply, read_workload

TRACES = {
    "KTH-SP2": ("KTH-SP2-1996-2.1-cln.swf.gz", 100),
    "SDSC-Par": ("SDSC-Par-1996-3.1-cln.swf.gz", 400),
    "SDSC-SP2": ("SDSC-SP2-1998-4.2-cln.swf.gz", 128),
    "OSC-Clust": ("OSC-Clust-2000-3.1-cln.swf.gz", 178),
    "UniLu-Gaia": ("UniLu-Gaia-2014-2.swf.gz", 2004),
    "SDSC-BLUE": ("SDSC-BLUE-2000-4.2-cln.swf.gz", 1152),
    "CEA-Curie": ("CEA-Curie-2011-2.1-cln.swf.gz", 93312),
    "RICC": ("RICC-2010-2.swf.gz", 8192),
}
RULES = ["easy", *(f"{rule}+easy" for rule in ("sjf", "saf", "wfp3", "unicef"))]
RULES += [f"f{number}+easy" for number in (1, 2, 3, 4)]
POLICIES = ["lookahead", "lookahead:doubt=inf", "lookahead:base=predicted"]
POLICIES += ["lookahead:base=predicted,doubt=inf", "evolved:slowdown"]
WEEK_S = 7 * 86_400
COLUMNS = (
    "trace",
    "policy",
    "seed",
    "bounded_slowdown",
    "ratio",
    "ratio_low",
    "ratio_high",
    "wait_p99_h",
    "wait_p99_ratio",
    "longest_wait_h",
    "cpu_s",
    "decisions",
    "switches",
)


def slowdowns(schedule: Schedule) -> NDArray[np.float64]:
    """Return the bounded slowdown of each job that ran; 1 for others."""
    run_s = schedule.end_s - schedule.start_s
    slowed = (schedule.wait_s + run_s) / np.maximum(run_s, 10)
    found: NDArray[np.float64] = np.where(schedule.started, np.maximum(1.0, slowed), 1.0)
    return found


def interval(
    own: NDArray[np.float64], other: NDArray[np.float64], submit_s: NDArray[np.int64]
) -> tuple[float, float]:
    """Return the 90 % interval of the ratio of the means, over weeks drawn with replacement."""
    week = (submit_s - submit_s[0]) // WEEK_S
    jobs = np.bincount(week)
    sums = [np.bincount(week, weights=each) for each in (own, other)]
    draw = np.random.default_rng(0)
    weeks = np.flatnonzero(jobs)
    drawn = draw.choice(weeks, (1000, len(weeks)))
    ratios = sums[0][drawn].sum(axis=1) / sums[1][drawn].sum(axis=1)
    low, high = np.quantile(ratios, (0.05, 0.95))
    return float(low), float(high)


def load(folder: Path, name: str) -> tuple[Workload, int]:
    """Return the trace and the size of its machine, in processors."""
    file, nodes = TRACES[name]
    return apply(read_workload(folder / file), [f"oversize=clip:{nodes}"]), nodes


def rows(folder: Path, name: str, policies: list[str], seeds: int) -> Iterator[list[object]]:
    """Yield the rows of one trace, the best rule first."""
    workload, nodes = load(folder, name)
    submit_s = workload["submit_s"]
    rules = {}
    for rule in RULES:
        schedule = simulate(workload, nodes, rule)
        rules[rule] = (slowdowns(schedule), schedule.wait_s[schedule.started])
    best = min(rules, key=lambda rule: float(rules[rule][0].mean()))
    slowed, waits = rules[best]
    p99_h = float(np.quantile(waits, 0.99)) / 3600

    def row(
        policy: str,
        seed: object,
        own: NDArray[np.float64],
        wait_s: NDArray[np.int64],
        *rest: object,
    ) -> list[object]:
        own_p99_h = float(np.quantile(wait_s, 0.99)) / 3600
        low, high = interval(own, slowed, submit_s)
        figures = (own.mean(), own.mean() / slowed.mean(), low, high)
        p99_ratio = own_p99_h / p99_h if p99_h > 0 else 1.0
        more = (own_p99_h, p99_ratio, wait_s.max() / 3600)
        return [name, policy, seed, *(f"{each:.4f}" for each in (*figures, *more)), *rest]

    yield row(best, "", slowed, waits, "", "", "")
    for rule in RULES:
        if rule != best:
            yield row(rule, "", *rules[rule], "", "", "")
    for policy in policies:
        drawn = policy.startswith("lookahead") and "doubt=inf" not in policy
        for seed in range(seeds if drawn else 1):
            joint = "," if "=" in policy else ":"
            began = time.process_time()
            schedule = simulate(workload, nodes, f"{policy}{joint}seed={seed}" if drawn else policy)
            cpu = f"{time.process_time() - began:.1f}"
            counters = schedule.provenance.get("counters", {})
            counts = (counters.get("decisions", ""), counters.get("switches", ""))
            wait_s = schedule.wait_s[schedule.started]
            yield row(policy, seed if drawn else "", slowdowns(schedule), wait_s, cpu, *counts)


def main() -> None:
    """Print the table as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    shared = Path(__file__).parents[1].parent / "shared" / "data" / "swf"
    parser.add_argument("--data", type=Path, default=shared, help="folder with the traces")
    parser.add_argument("--trace", action="append", choices=TRACES, help="all by default")
    parser.add_argument("--policy", action="append", help="five by default")
    parser.add_argument("--seeds", type=int, default=5, help="of policies that draw")
    parser.add_argument("--no-header", action="store_true", help="rows alone, to add to others")
    options = parser.parse_args()
    policies = options.policy or POLICIES
    writer = csv.writer(sys.stdout, lineterminator="\n")
    if not options.no_header:
        writer.writerow(COLUMNS)
    for name in options.trace or TRACES:
        for each in rows(options.data, name, policies, options.seeds):
            writer.writerow(each)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
