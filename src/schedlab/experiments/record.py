"""The record of a run besides its cells, and its outcome."""

from __future__ import annotations

import platform as host
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from schedlab.experiments.config import Experiment
from schedlab.experiments.published import read_published
from schedlab.experiments.table import all_metrics
from schedlab.version import __version__


@dataclass(frozen=True)
class Run:
    """The outcome of a run.

    Args:
        folder: where it is kept.
        cells: number of cells that were asked for.
        finished: number of these that are finished, now or before.
        computed: number of these that were tried now.
        trained: number of models that were trained now.
        failures: cells and trainings that failed, with the reason for each.
    """

    folder: Path
    cells: int
    finished: int
    computed: int
    trained: int
    failures: Mapping[str, str]


def make_record(
    experiment: Experiment,
    cells: Sequence[Mapping[str, Any]],
    *,
    sources: Mapping[str, Mapping[str, str]],
    models: Mapping[str, Sequence[str]],
    versions: Mapping[str, str],
) -> dict[str, Any]:
    """Return everything about the run but its cells.

    Args:
        experiment: what is run.
        cells: the names of all its cells, of which the published table may speak.
        sources: the traces.
        models: the family of each policy that is a model, and what it was trained on.
        versions: the versions of libraries, besides those that every run uses.
    """
    about, published = experiment.about, experiment.published
    metrics = {name: experiment.find_metric(name) for name in about.metrics}
    rows = [] if published is None else _published(experiment, published.file, cells)
    return {
        **asdict(about),
        "units": {name: metric.unit for name, metric in metrics.items()},
        "pictures": [asdict(each) for each in experiment.pictures],
        "signed": [name for name, metric in metrics.items() if metric.signed],
        "jobs_limit": experiment.jobs_limit,
        "file": experiment.path.name,
        "configuration": experiment.text,
        "published": {"source": published.source if published else "", "rows": rows},
        "sources": dict(sources),
        "models": dict(models),
        "failures": {},
        "versions": {
            "schedlab": __version__,
            "numpy": np.__version__,
            "python": host.python_version(),
            **versions,
        },
    }


def _published(
    experiment: Experiment, file: str, cells: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    metrics = all_metrics(experiment.about.metrics, experiment.about.relative_to)
    return [asdict(row) for row in read_published(experiment.path.parent / file, cells, metrics)]
