"""The pictures of a run, drawn from what is finished in its folder."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from schedlab.experiments.document import Picture
from schedlab.experiments.picture_section import SAMPLED, PictureSection
from schedlab.experiments.run_folder import MODELS, RunFolder
from schedlab.experiments.table import Row
from schedlab.metrics import find_metric
from schedlab.viz.front import Point, draw_front
from schedlab.viz.labels import metric_label
from schedlab.viz.lines import Line, draw_lines
from schedlab.viz.paper import save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIX = ".svg"
_STEPS, _RETURN = "time/total_timesteps", "rollout/ep_rew_mean"
_POINTS = 400


def draw_pictures(folder: RunFolder, rows: Sequence[Row]) -> list[Picture]:
    """Draw the pictures of the run that have results; none without Matplotlib."""
    record, drawn = folder.record(), []
    if find_spec("matplotlib") is None:
        return []
    for section in (PictureSection(**each) for each in record.get("pictures", ())):
        figure = _figure(section, record["cells"], folder, rows)
        if figure is not None:
            path = folder.path / f"{section.name}{SUFFIX}"
            save_figure(figure, path)
            drawn.append(Picture(section.title or section.name, path))
    return drawn


def _figure(
    section: PictureSection, cells: Sequence[Row], folder: RunFolder, rows: Sequence[Row]
) -> Figure | None:
    there = [row for row in rows if section.is_on(_where(row))]
    if section.against is not None:
        return _front(section, section.against, there)
    shown = [row for row in there if row["metric"] == section.metric]
    label = metric_label(section.metric)
    if section.of == "learning":
        lines = list(_learning(section, cells, folder, shown))
        y_label = f"minus the mean return; dashed: {label}"
        learnt = any(line.x for line in lines)
        return draw_lines(lines, x_label="steps", y_label=y_label) if learnt else None
    places = list(dict.fromkeys(map(_where, shown)))
    lines = list(_over_workloads(section, shown, places))
    return draw_lines(lines, x_label="", y_label=label, names=_short(places)) if lines else None


def _front(section: PictureSection, against: str, rows: Sequence[Row]) -> Figure | None:
    """Draw each policy at its means of two metrics, over all rows of the picture."""
    points = []
    for name in section.lines:
        found = {
            metric: [
                row["ours"] for row in rows if (row["policy"], row["metric"]) == (name, metric)
            ]
            for metric in (against, section.metric)
        }
        if all(values and None not in values for values in found.values()):
            points.append(Point(name, *map(fmean, found.values())))
    if not points:
        return None
    return draw_front(
        points,
        x_label=metric_label(against),
        y_label=metric_label(section.metric),
        smaller_x_is_better=find_metric(against).smaller_is_better,
        smaller_y_is_better=find_metric(section.metric).smaller_is_better,
    )


def _over_workloads(
    section: PictureSection, rows: Sequence[Row], places: Sequence[str]
) -> Iterator[Line]:
    """Yield a line for each policy, with the interval of each of its means."""
    for name in section.lines:
        found = [row for row in rows if row["policy"] in (name, _on_its_own(name, _where(row)))]
        found = [row for row in found if row["ours"] is not None]
        if found:
            yield Line(
                name,
                x=[places.index(_where(row)) for row in found],
                y=[row["ours"] for row in found],
                low=[_or(row["t_low"], row["ours"]) for row in found],
                high=[_or(row["t_high"], row["ours"]) for row in found],
            )


def _learning(
    section: PictureSection, cells: Sequence[Row], folder: RunFolder, rows: Sequence[Row]
) -> Iterator[Line]:
    """Yield a curve for each model that was trained there; a level for each other policy."""
    for name in section.lines:
        level = next((row["ours"] for row in rows if row["policy"] == name), None)
        if level is not None:
            yield Line(name, [level])
            continue
        trainings = {
            cell["training"]
            for cell in cells
            if section.is_on(_where(cell)) and cell["policy"] == _on_its_own(name, _where(cell))
        }
        curves = [_curve(folder.path / MODELS / key) for key in sorted(trainings)]
        if curves and all(len(steps) for steps, _ in curves):
            yield _mean_curve(name.removesuffix(SAMPLED), curves)


def _curve(training: Path) -> tuple[Any, Any]:
    """Return steps, and minus the mean return of the last hundred episodes."""
    path = training / "progress.csv"
    if not path.exists():
        return np.array([]), np.array([])
    with path.open(newline="", encoding="utf-8") as file:
        told = [row for row in csv.DictReader(file) if row[_RETURN]]
    thin = told[:: max(1, len(told) // _POINTS)]
    steps, returns = ([float(row[key]) for row in thin] for key in (_STEPS, _RETURN))
    return np.array(steps), -np.array(returns)


def _mean_curve(name: str, curves: Sequence[tuple[Any, Any]]) -> Line:
    """Return the mean over trainings, with the smallest and the largest value."""
    steps = curves[0][0]
    values = np.array([np.interp(steps, *curve) for curve in curves])
    return Line(
        name,
        x=steps.tolist(),
        y=values.mean(axis=0).tolist(),
        low=values.min(axis=0).tolist(),
        high=values.max(axis=0).tolist(),
    )


def _where(names: Mapping[str, Any]) -> str:
    return f"{names['workload']}/{names['variant']}"


def _on_its_own(line: str, where: str) -> str:
    """Return the name in tables of the model that was trained there."""
    sampled = SAMPLED if line.endswith(SAMPLED) else ""
    return f"{line.removesuffix(SAMPLED)} from {where}{sampled}"


def _short(places: Sequence[str]) -> list[str]:
    """Leave out the variant, if there is only one."""
    variants = {each.partition("/")[2] for each in places}
    return [each.partition("/")[0] for each in places] if len(variants) == 1 else list(places)


def _or(value: float | None, other: float) -> float:
    return other if value is None else value
