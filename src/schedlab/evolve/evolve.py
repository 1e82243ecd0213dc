"""evolve(): tune a priority of a dozen numbers for a metric."""

from __future__ import annotations

import hashlib
import json
import platform as host
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from schedlab.atomic import require_writable
from schedlab.errors import ParameterError
from schedlab.evolve.arena import Arena
from schedlab.evolve.comparison import HeldOutComparison, compare
from schedlab.evolve.evolution import EASY, Evolution
from schedlab.evolve.record import read_record, record_path, write_record
from schedlab.evolve.scene import Episode, Scene, draw
from schedlab.evolve.settings import EvolveSettings, Purpose
from schedlab.platform import Platform
from schedlab.policies.evolved import Priority, write_priority
from schedlab.version import __version__

Progress = Callable[[int, int, str], None]
"""Called with the number of generations done, their total, and a note about the values so far."""

_FREE_TO_CHANGE = ("generations", "test")


@dataclass(frozen=True)
class Evolved:
    """The result of an evolution: the policy, its file, and the comparison on held-out episodes."""

    priority: Priority
    path: Path
    comparison: HeldOutComparison


def evolve(
    scenes: Sequence[Scene],
    arena: Arena,
    out: str | Path,
    settings: EvolveSettings | None = None,
    *,
    workload: str = "",
    resume: bool = False,
    progress: Progress | None = None,
) -> Evolved:
    """Tune the weights of a priority, write it, and compare it with other rules.

    Args:
        scenes: where jobs come from, and their machines; with several, one policy is tuned for all.
            Some episodes of each are held out for the comparison.
        arena: the metrics and the rules of the simulation.
        out: the TOML file; the best policy so far is written after each generation.
        settings: the size of the search.
        workload: name of the workload, to be written into the file.
        resume: go on from the record beside the file; the result is the same as if the evolution
            had not been interrupted.
        progress: called after each generation.
    """
    settings, out = settings or EvolveSettings(), Path(out)
    _check_files(out, resume)
    for_learning, for_tests = zip(*(s.split(settings.test_share) for s in scenes), strict=True)
    count = settings.pool + settings.validation
    episodes = draw(for_learning, count, settings.random(Purpose.LEARNING))
    evolution = Evolution(arena, settings, episodes)
    for _ in _generations(evolution, record_path(out), resume):
        write_priority(out, evolution.best)
        if progress is not None:
            progress(len(evolution.generations), settings.generations, _note(evolution))
    test = draw(for_tests, settings.test, settings.random(Purpose.TESTS))
    comparison = compare(arena, evolution.best, test)
    provenance = _provenance(evolution, workload, comparison)
    name = f"{' + '.join(goal.text for goal in arena.objective.goals)} on {workload or 'jobs'}"
    priority = replace(evolution.best, name=name, provenance=provenance)
    write_priority(out, priority)
    return Evolved(priority, out, comparison)


def _generations(evolution: Evolution, record: Path, resume: bool) -> Iterator[None]:
    """Run generations until there are enough; yield before the first and after each."""
    determined_by = _determined_by(evolution)
    if resume:
        evolution.repeat(read_record(record, determined_by, evolution.population))
    while True:
        write_record(record, determined_by, evolution.generations)
        yield
        if len(evolution.generations) >= evolution.settings.generations:
            return
        evolution.step()


def _check_files(out: Path, resume: bool) -> None:
    if resume:
        return
    for path in (out, record_path(out)):
        if path.exists():
            raise ParameterError(
                f"{path}: exists already; resume that evolution, or write to another file"
            )
    require_writable(out)


def _determined_by(evolution: Evolution) -> dict[str, Any]:
    """Return everything that determines the result, as JSON values."""
    arena, settings = evolution.arena, asdict(evolution.settings)
    size = {key: value for key, value in settings.items() if key not in _FREE_TO_CHANGE}
    document = {
        **size,
        "metrics": [goal.text for goal in arena.objective.goals],
        "absolute": arena.objective.absolute,
        "platforms": [platform.to_dict() for platform in _platforms(evolution)],
        "tick": arena.tick,
        "kill_at_request": arena.kill_at_request,
        "predict": arena.predict,
        "jobs": _digest([*evolution.pool, *evolution.validation]),
        "versions": _versions(),
    }
    as_json: dict[str, Any] = json.loads(json.dumps(document))
    return as_json


def _platforms(evolution: Evolution) -> list[Platform]:
    return list(dict.fromkeys(episode.platform for episode in evolution.pool))


def _digest(episodes: Sequence[Episode]) -> str:
    digest = hashlib.sha256()
    for episode in episodes:
        for column in ("submit_s", "nodes", "request_s", "run_s"):
            digest.update(np.ascontiguousarray(episode.jobs[column]).tobytes())
    return digest.hexdigest()[:24]


def _versions() -> dict[str, str]:
    return {
        "schedlab": __version__,
        "cma": version("cma"),
        "numpy": np.__version__,
        "python": host.python_version(),
    }


def _note(evolution: Evolution) -> str:
    goals, best, easy = evolution.objective.goals, evolution.values, evolution.easy
    return ", ".join(
        f"{goal.name} {now:.4g} (FCFS + EASY {then:.4g})"
        for goal, now, then in zip(goals, best.mean(axis=0), easy.mean(axis=0), strict=True)
    )


def _provenance(
    evolution: Evolution, workload: str, comparison: HeldOutComparison
) -> Mapping[str, Any]:
    """Return how the policy was found, and the values that were measured."""
    arena, settings, goals = evolution.arena, evolution.settings, evolution.objective.goals
    best = {goal.name: next(comparison.compared_rules(goal)).policy for goal in goals}
    return {
        "metrics": [goal.text for goal in goals],
        "absolute": arena.objective.absolute,
        "workload": workload,
        "jobs": len(evolution.pool[0].jobs),
        "nodes": [platform.nodes for platform in _platforms(evolution)],
        "predict": arena.predict,
        "tick": arena.tick,
        "kill_at_request": arena.kill_at_request,
        "seed": settings.seed,
        "generations": len(evolution.generations),
        "population": evolution.population,
        "episodes": settings.episodes,
        "test_episodes": len(comparison.evolved),
        "before": comparison.means(EASY),
        "best_rule": best,
        "of_best_rule": {name: comparison.means(rule)[name] for name, rule in best.items()},
        "after": comparison.means(),
        "versions": _versions(),
    }
