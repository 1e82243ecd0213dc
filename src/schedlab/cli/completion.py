"""Shell completion: names of policies and traces, and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

Completion = Callable[[str], list[str]]


def completion_for(name: str, kind: Any) -> Completion | None:
    """Return the completion for an option with this name and type; None if there is none."""
    return files if _of_paths(kind) else _NAMES.get(name)


def _of_paths(kind: Any) -> bool:
    return kind is Path or any(map(_of_paths, get_args(kind)))


def files(incomplete: str) -> list[str]:
    """Return files and folders; for a single folder also its entries, so that no blank follows."""
    found = list(_entries(incomplete))
    lone = found[0] if len(found) == 1 else ""
    return [*found, *(_entries(lone) if lone.endswith("/") else ())]


def _entries(incomplete: str) -> Iterator[str]:
    typed, slash, name = incomplete.rpartition("/")
    folder = Path(f"{typed}{slash}" or ".")
    with suppress(OSError, RuntimeError):
        for each in sorted(folder.expanduser().iterdir()):
            hidden = each.name.startswith(".") and not name.startswith(".")
            if each.name.startswith(name) and not hidden:
                yield f"{typed}{slash}{each.name}{'/' if each.is_dir() else ''}"


def traces(incomplete: str) -> list[str]:
    """Return files, models, and the traces of the catalog that were fetched."""
    from schedlab.workload import CATALOG, GENERATORS
    from schedlab.workload.fetch import find

    fetched = (name for name in CATALOG if find(name) is not None)
    return [*_starting(incomplete, (*GENERATORS, *fetched)), *files(incomplete)]


def _policies(incomplete: str) -> list[str]:
    from schedlab.policies import BACKFILLS, ORDERS, STANDALONE
    from schedlab.policies.find import ALIASES
    from schedlab.policies.ready import READY

    order, plus, _ = incomplete.partition("+")
    if plus:
        return _starting(incomplete, (f"{order}+{name}" for name in BACKFILLS))
    ready = (f"evolved:{name}" for name in READY)
    return _starting(incomplete, (*ALIASES, *ORDERS, *STANDALONE, *ready))


def _predictors(incomplete: str) -> list[str]:
    from schedlab.predict import PREDICTORS

    return _starting(incomplete, PREDICTORS)


def _metrics(incomplete: str) -> list[str]:
    from schedlab.metrics import METRICS

    return _starting(incomplete, METRICS)


def _groupings(incomplete: str) -> list[str]:
    from schedlab.metrics import GROUPINGS

    return _starting(incomplete, GROUPINGS)


def _transforms(incomplete: str) -> list[str]:
    from schedlab.workload.transforms import TRANSFORMS

    return _starting(incomplete, (f"{name}=" for name in TRANSFORMS))


def _places(incomplete: str) -> list[str]:
    from schedlab.sim.places import PLACES

    return _starting(incomplete, PLACES)


def _solvers(incomplete: str) -> list[str]:
    from schedlab.coalloc import SOLVERS

    return _starting(incomplete, SOLVERS)


def _models(incomplete: str) -> list[str]:
    from schedlab.workload import GENERATORS

    return _starting(incomplete, GENERATORS)


def _experiments(incomplete: str) -> list[str]:
    from schedlab.experiments import list_experiments

    return [*_starting(incomplete, list_experiments()), *files(incomplete)]


def reading_formats(incomplete: str) -> list[str]:
    """Return the formats in which a trace can be read."""
    from schedlab.cli.accounting import ACCOUNTING
    from schedlab.workload import READERS

    return _starting(incomplete, (*READERS, *ACCOUNTING))


def writing_formats(incomplete: str) -> list[str]:
    """Return the formats in which a workload can be written."""
    from schedlab.workload.writers import WRITERS

    return _starting(incomplete, WRITERS)


def catalogued_traces(incomplete: str) -> list[str]:
    """Return the traces that can be fetched."""
    from schedlab.workload import CATALOG

    return _starting(incomplete, CATALOG)


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


_NAMES: dict[str, Completion] = {
    "by": _groupings,
    "experiment": _experiments,
    "metric": _metrics,
    "model": _models,
    "place": _places,
    "policy": _policies,
    "predictor": _predictors,
    "solver": _solvers,
    "trace": traces,
    "transform": _transforms,
    "workload": traces,
}
"""Completions by the name of the argument or option; options for files are known by their type."""
