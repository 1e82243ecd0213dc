"""One network for all machines, tested on traces that it was not trained on.

``python -m benchmarks.generalist windows`` cuts traces and draws of models into windows, and notes
what the best rule reaches in each. ``train --leave-out TRACE`` evolves a network on the windows of
the other traces, chooses among its snapshots by those traces as a whole, and writes it. ``test``
prints how networks and rules do on whole traces.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path

import cma
import numpy as np
from numpy.typing import NDArray

from benchmarks.lookahead import RULES, TRACES, load, slowdowns
from schedlab import Workload, simulate
from schedlab.policies import PolicyLike
from schedlab.policies.evolved import evolved_policy
from schedlab.policies.network import (
    INPUTS,
    JOB_INPUTS,
    HiddenUnit,
    Network,
    NetworkPolicy,
    write_network,
)
from schedlab.processors import usable_processors
from schedlab.workload import apply
from schedlab.workload.generators import generate

ROOT = Path(__file__).parents[1]
WHOLE = ROOT / "experiments" / "lookahead" / "results.csv"
WINDOWS = ROOT / "experiments" / "generalist" / "windows.csv"

JOBS = {
    "KTH-SP2": 2500,
    "SDSC-Par": 2500,
    "SDSC-SP2": 2500,
    "OSC-Clust": 2500,
    "UniLu-Gaia": 4000,
    "SDSC-BLUE": 4000,
    "CEA-Curie": 5000,
    "RICC": 8000,
}
"""Jobs of a window, by trace: some weeks, unless these are too many jobs."""

MODELS = {f"lublin-{nodes}": nodes for nodes in (64, 256, 1024)}
MODEL_JOBS, MODEL_WINDOWS, MODEL_LOAD = 2500, 20, 0.9

LEAST_GAIN = 0.2
"""Sources are left out if in no window the best rule's slowdown is further above 1."""

START = {"log_run": 1.0, "log_share": 0.25, "log_slowdown": -0.3}
"""Where the search begins: short jobs first, by past run times, but no job waits for ever."""

SPREAD = {"linear": 0.15, "weight": 0.3, "out": 0.2}
"""The first spread of candidates: of the linear part, into hidden units, and out of them."""

Point = NDArray[np.float64]


@dataclass(frozen=True)
class Window:
    """Jobs in a row, and what the best rule with EASY reaches with them on an empty machine."""

    source: str
    first: int
    """The first job, counted in the trace; of a model its seed."""
    jobs: int
    nodes: int
    rule: str
    slowdown: float


# The jobs


@cache
def trace(data: Path, name: str) -> tuple[Workload, int]:
    """Return the whole trace and its machine."""
    return load(data, name)


def jobs_in(data: Path, source: str, first: int, count: int) -> tuple[Workload, int]:
    """Return the jobs of a window, the first submitted at 0, and their machine."""
    if source in MODELS:
        nodes = MODELS[source]
        drawn = generate(f"lublin:nodes={nodes}", count, seed=first)
        transforms = ["set_run=random:0.5", f"load={MODEL_LOAD}:{nodes}"]
        return apply(drawn, transforms, seed=first), nodes
    whole, nodes = trace(data, source)
    cut = whole.take(np.arange(first, first + count))
    return cut.replace(submit_s=cut["submit_s"] - cut["submit_s"][0]), nodes


def measure(data: Path, place: tuple[str, int, int]) -> Window:
    """Measure what the best rule reaches in a window."""
    jobs, nodes = jobs_in(data, *place)
    reached = {rule: float(slowdowns(simulate(jobs, nodes, rule)).mean()) for rule in RULES}
    best = min(reached, key=lambda rule: reached[rule])
    return Window(*place, nodes, best, round(reached[best], 4))


def places(data: Path, names: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Yield windows that overlap by half, and draws of models."""
    for name in names:
        if name in MODELS:
            yield from ((name, seed, MODEL_JOBS) for seed in range(MODEL_WINDOWS))
            continue
        jobs, length = JOBS[name], len(trace(data, name)[0])
        yield from ((name, first, jobs) for first in range(0, length - jobs + 1, jobs // 2))


def write_windows(given: argparse.Namespace) -> None:
    """Measure the rules in all windows."""
    names = given.trace or [*TRACES, *MODELS]
    every = list(places(given.data, names))
    with ThreadPoolExecutor(given.threads) as pool:
        found = list(pool.map(partial(measure, given.data), every))
    given.windows.parent.mkdir(parents=True, exist_ok=True)
    with given.windows.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(asdict(found[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(window) for window in found)


def read_windows(path: Path, left_out: str | None) -> dict[str, list[Window]]:
    """Return the windows by source, without those of the trace left out."""
    by_source: dict[str, list[Window]] = {}
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            first, jobs, nodes = (int(row[name]) for name in ("first", "jobs", "nodes"))
            slowdown = float(row["slowdown"])
            window = Window(row["source"], first, jobs, nodes, row["rule"], slowdown)
            source = "lublin" if window.source in MODELS else window.source
            by_source.setdefault(source, []).append(window)
    by_source.pop(left_out or "", None)
    return {
        source: windows
        for source, windows in by_source.items()
        if max(window.slowdown for window in windows) > 1 + LEAST_GAIN
    }


def read_rules() -> dict[str, dict[str, float]]:
    """Return the mean bounded slowdown of each rule on each whole trace."""
    found: dict[str, dict[str, float]] = {}
    with WHOLE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["policy"] in RULES:
                found.setdefault(row["trace"], {})[row["policy"]] = float(row["bounded_slowdown"])
    return found


# The search


def network_at(point: Point, units: int, name: str = "candidate", **provenance: object) -> Network:
    """Return the network whose weights are the coordinates."""
    numbers = [round(float(each), 4) for each in point]
    linear = dict(zip(JOB_INPUTS, numbers, strict=False))
    hidden = []
    for unit in range(units):
        bias, out, *weights = numbers[len(linear) + unit * (len(INPUTS) + 2) :][: len(INPUTS) + 2]
        hidden.append(HiddenUnit(bias, out, dict(zip(INPUTS, weights, strict=True))))
    return Network(name, linear, hidden, provenance)


def first_point(units: int, random: np.random.Generator) -> tuple[Point, Point]:
    """Return where the search begins and its spread: hidden units are random, without effect."""
    linear = [START.get(name, 0.0) for name in JOB_INPUTS]
    point, spread = [*linear], [SPREAD["linear"]] * len(linear)
    for _ in range(units):
        point += [0.0, 0.0, *random.normal(0, 0.5, len(INPUTS))]
        spread += [SPREAD["weight"], SPREAD["out"]] + [SPREAD["weight"]] * len(INPUTS)
    return np.array(point), np.array(spread)


def drawn_windows(
    by_source: dict[str, list[Window]], each: int, random: np.random.Generator
) -> list[Window]:
    """Return windows of each source, drawn in proportion to their part in its slowdown."""
    drawn: list[Window] = []
    for windows in by_source.values():
        weights = np.array([window.slowdown - 1 for window in windows]) + 0.01
        chosen = random.choice(len(windows), each, p=weights / weights.sum())
        drawn += [windows[place] for place in chosen]
    return drawn


class Search:
    """A search for a network by CMA-ES. Each generation is judged on newly drawn windows."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.windows = read_windows(given.windows, given.leave_out)
        self.random = np.random.default_rng(given.seed)
        point, spread = first_point(given.units, self.random)
        options = {"CMA_stds": spread, "popsize": given.population, "seed": given.seed + 1}
        self.strategy = cma.CMAEvolutionStrategy(point, 1.0, options | {"verbose": -9})
        self.pool = ThreadPoolExecutor(given.threads)
        self.snapshots: list[tuple[int, Point]] = [(0, point)]

    def play(self, point: Point, window: Window, jobs: Workload) -> float:
        """Return the mean slowdown, relative to that of the best rule in the window."""
        policy = NetworkPolicy(network_at(point, self.given.units))
        schedule = simulate(jobs, window.nodes, policy)
        return float(slowdowns(schedule).mean()) / window.slowdown

    def step(self) -> float:
        """Learn from a generation; return the median cost of the candidates."""
        drawn = drawn_windows(self.windows, self.given.each, self.random)
        jobs = list(
            self.pool.map(lambda w: jobs_in(self.given.data, w.source, w.first, w.jobs)[0], drawn)
        )
        points = self.strategy.ask()
        games = [(p, w, j) for w, j in zip(drawn, jobs, strict=True) for p in points]
        ratios = np.array(list(self.pool.map(lambda game: self.play(*game), games)))
        by_source = ratios.reshape(len(self.windows), self.given.each, len(points)).mean(axis=1)
        costs = np.log(by_source).mean(axis=0)
        self.strategy.tell(points, costs.tolist())
        return float(np.median(costs))

    def run(self) -> None:
        """Go on until the generations are done, or the time is over."""
        began = time.perf_counter()
        for generation in range(1, self.given.generations + 1):
            cost = self.step()
            if generation % self.given.every == 0:
                self.snapshots.append((generation, self.strategy.result.xfavorite.copy()))
            passed = time.perf_counter() - began
            print(f"{self.given.leave_out} {generation} {cost:.3f} {passed:.0f} s", flush=True)
            if passed > self.given.seconds:
                break
        last = self.strategy.result.xfavorite.copy()
        if self.snapshots[-1][0] != generation:
            self.snapshots.append((generation, last))

    def choose(self) -> tuple[int, Point, dict[int, float]]:
        """Return the snapshot that is best on the whole traces that it was trained on."""
        rules = read_rules()
        names = [name for name in TRACES if name in self.windows]
        kept = [self.snapshots[0], *self.snapshots[-self.given.keep :]]
        games = [(name, point) for name in reversed(names) for _, point in kept]

        def ratio(game: tuple[str, Point]) -> float:
            policy = NetworkPolicy(network_at(game[1], self.given.units))
            return whole(self.given.data, game[0], policy) / min(rules[game[0]].values())

        ratios = np.array(list(self.pool.map(ratio, games))).reshape(len(names), len(kept))
        costs = np.log(ratios).mean(axis=0)
        best = int(np.argmin(costs))
        geometric = {g: round(math.exp(c), 4) for (g, _), c in zip(kept, costs, strict=True)}
        return *kept[best], geometric


def whole(data: Path, name: str, policy: PolicyLike) -> float:
    """Return the mean bounded slowdown on a whole trace."""
    jobs, nodes = trace(data, name)
    return float(slowdowns(simulate(jobs, nodes, policy)).mean())


def train(given: argparse.Namespace) -> None:
    """Search, choose and write."""
    search = Search(given)
    for name in search.windows:
        if name in TRACES:
            trace(given.data, name)
    search.run()
    kept = {generation: point.tolist() for generation, point in search.snapshots}
    given.out.with_suffix(".json").write_text(json.dumps(kept), encoding="utf-8")
    generation, point, geometric = search.choose()
    network = network_at(
        point,
        given.units,
        "slowdown on any machine",
        sources=list(search.windows),
        left_out=given.leave_out or "",
        generation=generation,
        generations=search.snapshots[-1][0],
        population=given.population,
        windows=given.each,
        seed=given.seed,
        snapshots=list(geometric),
        on_training_traces=list(geometric.values()),
    )
    write_network(given.out, network)
    print(f"written: {given.out}; on the whole training traces {geometric}", flush=True)


# The test


def test(given: argparse.Namespace) -> None:
    """Print how each network does on the trace that it was not trained on."""
    rules = read_rules()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("trace", "policy", "bounded_slowdown", "ratio_best", "best", "ratio_fixed"))
    fixed = best_fixed(rules)
    games: list[tuple[str, str, Callable[[], PolicyLike]]] = []
    for name in given.trace or TRACES:
        games += [(name, rule, partial(str, rule)) for rule in (fixed, *given.policy)]
        file = given.networks / f"{name}.toml"
        games.append((name, "network without it", partial(evolved_policy, file)))
        games.append((name, "its start", partial(NetworkPolicy, network_at(*start()))))
    with ThreadPoolExecutor(given.threads) as pool:
        found = pool.map(lambda game: whole(given.data, game[0], game[2]()), games)
        for (name, policy, _), slowdown in zip(games, found, strict=True):
            best = min(rules[name], key=lambda rule: rules[name][rule])
            ratios = [slowdown / rules[name][each] for each in (best, fixed)]
            figures = [f"{each:.4f}" for each in (slowdown, *ratios)]
            writer.writerow((name, policy, *figures[:2], best, figures[2]))
            sys.stdout.flush()


def start() -> tuple[Point, int]:
    """Return the first point, without hidden units."""
    return first_point(0, np.random.default_rng(0))[0], 0


def best_fixed(rules: dict[str, dict[str, float]]) -> str:
    """Return the rule with the smallest geometric mean of its ratios to the best of each trace."""
    costs = {
        rule: sum(math.log(of[rule] / min(of.values())) for of in rules.values()) for rule in RULES
    }
    return min(costs, key=lambda rule: costs[rule])


def main() -> None:
    """Parse the command line, and run its command."""
    parser = argparse.ArgumentParser(description=__doc__)
    shared = ROOT.parent / "shared" / "data" / "swf"
    parser.add_argument("--data", type=Path, default=shared, help="folder with the traces")
    parser.add_argument("--windows", type=Path, default=WINDOWS, help="file of the windows")
    parser.add_argument("--threads", type=int, default=usable_processors())
    parser.add_argument("--trace", action="append", choices=[*TRACES, *MODELS])
    commands = parser.add_subparsers(required=True)
    commands.add_parser("windows").set_defaults(run=write_windows)
    of_train = commands.add_parser("train")
    of_train.set_defaults(run=train)
    of_train.add_argument("--leave-out", choices=TRACES)
    of_train.add_argument("--out", type=Path, required=True)
    of_train.add_argument("--units", type=int, default=4)
    of_train.add_argument("--population", type=int, default=16)
    of_train.add_argument("--each", type=int, default=1, help="windows of each source")
    of_train.add_argument("--generations", type=int, default=100)
    of_train.add_argument("--seconds", type=float, default=math.inf, help="begin none after this")
    of_train.add_argument("--every", type=int, default=20, help="generations between snapshots")
    of_train.add_argument("--keep", type=int, default=3, help="snapshots to choose from")
    of_train.add_argument("--seed", type=int, default=1)
    of_test = commands.add_parser("test")
    of_test.set_defaults(run=test)
    of_test.add_argument("--networks", type=Path, required=True, help="a file for each trace")
    of_test.add_argument("--policy", action="append", default=[], help="others beside them")
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
