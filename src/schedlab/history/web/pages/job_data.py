"""The data of a job's figures, read from its sensors when a browser asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.schema.job import JobRecord
from schedlab.history.sensors.series import Floats
from schedlab.history.web.access import Viewer
from schedlab.history.web.current import CurrentViewer
from schedlab.history.web.pages.job_items import FLOPS, MOVED, MeasuredItem, MeasuredJob
from schedlab.history.web.parameters import CurrentShown
from schedlab.history.web.plots.roofline import POINTS
from schedlab.history.web.plots.timeline import BAND, MOST_LINES
from schedlab.history.web.problems import not_found
from schedlab.history.web.queries.job_series import Columns, band, line, on_grid
from schedlab.history.web.queries.search import jobs_by_key
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.service import CurrentService, Service
from schedlab.units import short_duration

router = APIRouter(include_in_schema=False)

Points = Annotated[int, Query(ge=50, le=2_000)]
EpochSeconds = Annotated[float | None, Query(ge=0, le=1e11, allow_inf_nan=False)]
_ROOFLINE_POINTS = 2_000


@router.get("/jobs/{key}/timelines/{item}", name="job_timelines")
def job_timelines(
    service: CurrentService,
    viewer: CurrentViewer,
    shown: CurrentShown,
    key: int,
    item: str,
    from_s: EpochSeconds = None,
    to_s: EpochSeconds = None,
    points: Points = 600,
) -> Response:
    """Return an item on all hosts between two moments: a line for each, or a band of many."""
    job = find_measured(service, viewer, shown, key)
    known = _find(job, item)
    window = _window(job, from_s, to_s)
    places = job.places(known)
    is_band = len(places) > MOST_LINES
    wanted: dict[str, Any] = (
        {"freq_s": (window[1] - window[0]) / points} if is_band else {"max_points": points}
    )
    with service.database.reading() as connection:
        found = job.read(connection, known, *window, **wanted)
    answers = [found.get(place) for place in places]
    seen = [each for each in answers if each is not None]
    sources: dict[str, Columns] = {}
    if is_band:
        sources[BAND] = band(seen, np.linspace(*window, points + 1))
    else:
        nothing: Columns = {"t": np.array([]), "v": np.array([])}
        for place, answer in enumerate(answers):
            sources[f"line-{place}"] = nothing if answer is None else line(answer)
    step_s = max((each.freq_s or each.provenance.native_step_s or 0.0 for each in seen), default=0)
    note = f"steps of {short_duration(step_s)}" if seen else "nothing was measured in this time"
    return filled({name: in_unit(each, known) for name, each in sources.items()}, note)


@router.get("/jobs/{key}/roofline", name="job_roofline")
def job_roofline(
    service: CurrentService, viewer: CurrentViewer, shown: CurrentShown, key: int
) -> Response:
    """Return intensity and rate of computation, in steps of the job's time, on each host."""
    job = find_measured(service, viewer, shown, key)
    flops, moved = (_find(job, name) for name in (FLOPS, MOVED))
    steps = max(10, min(200, _ROOFLINE_POINTS // len(job.hosts)))
    edges = np.linspace(*job.span_s, steps + 1)
    rates = []
    with service.database.reading() as connection:
        for item in (flops, moved):
            found = job.read(connection, item, *job.span_s, freq_s=float(edges[1] - edges[0]))
            rates.append({place: on_grid([each], edges)[0] for place, each in found.items()})
    names = dict(zip(job.places(flops), job.names(flops), strict=True))
    return filled({POINTS: _points(rates[0], rates[1], names)}, "")


def find_measured(service: Service, viewer: Viewer, shown: Shown, key: int) -> MeasuredJob:
    """Return the job under that key, if the viewer sees it and it has sensors."""
    with service.database.reading() as connection:
        found = jobs_by_key(connection, viewer, [key], service.archive_folder)
    if not found:
        raise not_found()
    record = JobRecord.model_validate_json(found[0].document)
    hosts = shown.record(found[0].document).get("per_host") or ()
    job = MeasuredJob.of(service.settings.site, record, [host["node_id"] for host in hosts])
    if job is None:
        raise not_found()
    return job


def filled(sources: Mapping[str, Mapping[str, Any]], note: str) -> Response:
    """Return the columns of a figure's sources, and a note on how they were made."""
    columns = {
        name: {each: _listed(values) for each, values in source.items()}
        for name, source in sources.items()
    }
    return Response(to_json({"sources": columns, "note": note}), media_type="application/json")


def in_unit(columns: Columns, item: MeasuredItem) -> Columns:
    """Return values in the unit in which the page shows the item."""
    return {name: each if name == "t" else each / item.divisor for name, each in columns.items()}


def _find(job: MeasuredJob, name: str) -> MeasuredItem:
    found = job.find(name)
    if found is None:
        raise not_found()
    return found


def _window(job: MeasuredJob, from_s: float | None, to_s: float | None) -> tuple[float, float]:
    """Return the wanted part of the job's time, at least one second of it."""
    start_s, end_s = job.span_s
    first_s = start_s if from_s is None else min(max(start_s, from_s), end_s - 1)
    last_s = end_s if to_s is None else min(end_s, to_s)
    return first_s, max(last_s, first_s + 1)


def _points(
    flops: Mapping[Any, Floats], moved: Mapping[Any, Floats], names: Mapping[Any, str]
) -> Mapping[str, Any]:
    intensity, gflop, of = [], [], []
    for place in flops.keys() & moved.keys():
        computed, bytes_per_s = flops[place], moved[place]
        known = (computed > 0) & (bytes_per_s > 0)
        intensity.append(computed[known] / bytes_per_s[known])
        gflop.append(computed[known] / 1e9)
        of += [names[place]] * int(known.sum())
    empty = np.array([])
    return {
        "intensity": np.concatenate([empty, *intensity]),
        "gflop_per_s": np.concatenate([empty, *gflop]),
        "of": of,
    }


def _listed(values: Any) -> Any:
    """Return the values with None for unknown ones: JSON has no NaN."""
    if not isinstance(values, np.ndarray):
        return list(values)
    return [None if each != each else round(each, 6) for each in values.tolist()]
