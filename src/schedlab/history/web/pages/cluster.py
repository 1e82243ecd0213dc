"""A cluster over time: its nodes, how busy they were, and what they drew."""

from __future__ import annotations

from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from numpy.typing import NDArray
from starlette.responses import Response

from schedlab.history.web.pages.queue import queue_of
from schedlab.history.web.parameters import Asking, CurrentAsking
from schedlab.history.web.plots.boxes import Boxes, GanttBars
from schedlab.history.web.queries.cluster_load import Load, cpus_of, load_of
from schedlab.history.web.queries.cluster_use import (
    ClusterJobColumns,
    Span,
    hosts_of,
    jobs_of,
    natural,
)
from schedlab.history.web.queries.shown import Shown
from schedlab.history.web.render import render
from schedlab.history.web.windows import AskedWindow, WindowForm
from schedlab.platform import Cluster
from schedlab.sim import StepSeries

router = APIRouter(include_in_schema=False)

NEXT_STARTS = 5
"""The number of waiting jobs to show, those likely to start first."""


@router.get("/cluster", name="cluster")
def cluster_page(request: Request, asking: CurrentAsking, form: AskedWindow) -> Response:
    """Show Gantt chart, utilisation, queue and power of a window of time."""
    span, machine = Span(form.cluster, form.from_s, form.to_s), _machine(asking, form.cluster)
    with asking.service.database.reading() as connection:
        seen = jobs_of(connection, asking.viewer, span)
        # If nodes have no names, the page does not show which jobs had the same nodes either.
        has_names = asking.shown.name("node", "any") is not None
        on_nodes = hosts_of(connection, asking.viewer, span) if has_names else []
        load = load_of(connection, asking.viewer, span, machine)
        queue = queue_of(connection, asking, form.cluster)
    nodes = _nodes(asking, machine, on_nodes)
    drawn = _drawn(form, asking.shown, seen, on_nodes, nodes)
    total = len(nodes) or int(np.ceil(load.used_nodes.max(initial=0)))
    return render(
        request,
        asking.viewer,
        "cluster.html",
        form=form,
        queue=queue,
        next_starts=NEXT_STARTS,
        seen=len(seen),
        on_nodes=len({key for key, _ in on_nodes}),
        nodes=total,
        used=_mean(load, load.used_nodes),
        cpus=cpus_of(machine),
        used_cpus=None if load.used_cpus is None else _mean(load, load.used_cpus),
        queued=_mean(load, load.queued_jobs),
        has_power=bool((~np.isnan(seen.power_w)).any()),
        hides_names=asking.shown.release is not None,
        figures=_figures(
            form,
            load,
            (total, cpus_of(machine)),
            seen,
            None if drawn is None else _gantt(form, asking.shown, drawn, nodes),
        ),
        legend=[] if drawn is None else _legend(*drawn),
    )


def _mean(load: Load, values: NDArray[np.float64]) -> float:
    return float(np.average(values, weights=np.diff(load.edge_s)))


def _machine(asking: Asking, cluster: str) -> Cluster | None:
    site = asking.service.settings.site
    clusters = () if site is None else site.clusters
    return next((each for each in clusters if each.name == cluster), None)


def _nodes(asking: Asking, machine: Cluster | None, on_nodes: list[tuple[int, str]]) -> list[str]:
    """Return the site's nodes in its order, then others on which jobs ran.

    Nodes with pseudonyms are sorted by these: in the site's order one could tell which they are.
    """
    known = [] if machine is None else list(machine.by_host)
    others = {node for _, node in on_nodes}.difference(known)
    nodes = [*known, *sorted(others, key=natural)]
    if asking.shown.hides("node"):
        nodes.sort(key=lambda node: asking.shown.name("node", node) or "")
    return nodes


def _figures(
    form: WindowForm, load: Load, most: tuple[int, int | None], seen: ClusterJobColumns, gantt: Any
) -> Any:
    """Draw the figures one below the other, with a common time axis."""
    from bokeh.layouts import column

    from schedlab.history.web.plots.drawing import drawing, over_time
    from schedlab.history.web.plots.load import load_figure

    edge_s = load.edge_s + form.shift_s
    used = load_figure(edge_s, load.used_nodes, "nodes in use", most=most[0])
    others = []
    if load.used_cpus is not None:
        others.append(load_figure(edge_s, load.used_cpus, "CPUs in use", most=most[1], colour=2))
    others.append(load_figure(edge_s, load.queued_jobs, "jobs waiting", colour=3))
    power_w = _power(seen, load.edge_s)
    if power_w is not None:
        others.append(load_figure(edge_s, power_w / 1e3, "kW of ended jobs", colour=1))
    if gantt is not None:
        others.append(gantt)
    for each in others:
        each.x_range = used.x_range
    first = [] if gantt is None else [others.pop()]
    values = {
        "nodes in use": load.used_nodes,
        "CPUs in use": load.used_cpus,
        "jobs waiting": load.queued_jobs,
        "kW of ended jobs": None if power_w is None else power_w / 1e3,
    }
    known = {name: each for name, each in values.items() if each is not None}
    figures = column(*first, used, *others, sizing_mode="stretch_width")
    return drawing(figures, over_time(edge_s, known))


def _drawn(
    form: WindowForm,
    shown: Shown,
    seen: ClusterJobColumns,
    on_nodes: list[tuple[int, str]],
    nodes: list[str],
) -> tuple[Boxes, GanttBars] | None:
    """Return the jobs on their nodes; None if no node is known."""
    job_at = {key: place for place, key in enumerate(seen.key.tolist())}
    node_at = {node: place for place, node in enumerate(nodes)}
    pairs = [(job_at[key], node_at[node]) for key, node in on_nodes if key in job_at]
    if not pairs:
        return None
    job, node = np.array(pairs, dtype=np.int64).T
    bars = GanttBars(
        seen.jobid,
        [shown.name("user", user) or "" for user in seen.user],
        seen.start_s + form.shift_s,
        seen.end_s + form.shift_s,
        np.maximum(seen.start_s - seen.queue_s, 0),
    )
    return Boxes.of(job, node), bars


def _gantt(form: WindowForm, shown: Shown, drawn: tuple[Boxes, GanttBars], nodes: list[str]) -> Any:
    from schedlab.history.web.plots.gantt import gantt_figure

    called = [shown.name("node", each) or "" for each in nodes]
    local_s = (form.from_s + form.shift_s, form.to_s + form.shift_s)
    return gantt_figure(*drawn, called, local_s)


def _legend(boxes: Boxes, bars: GanttBars) -> list[tuple[str, str]]:
    """Return the users and the colours of their jobs; those that share the last are not named."""
    from schedlab.history.web.plots.gantt import user_colours
    from schedlab.viz.colours import OTHERS

    colours = user_colours(boxes, bars)
    named = [(name or "unknown", each) for name, each in colours.items() if each != OTHERS]
    return [*named, *([("all others", OTHERS)] if len(named) < len(colours) else [])]


def _power(seen: ClusterJobColumns, edge_s: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Sum the power of the jobs that the viewer sees, each at its mean; None if unmeasured."""
    known = ~np.isnan(seen.power_w)
    if not known.any():
        return None
    watt = np.rint(seen.power_w[known]).astype(np.int64)
    start_s, end_s = seen.start_s[known], seen.end_s[known]
    return StepSeries.from_changes((start_s, watt), (end_s, -watt)).bin_means(edge_s)
