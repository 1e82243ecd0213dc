"""Colours that remain distinct for the colour-blind and in print (after Paul Tol's schemes)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import UnknownNameError
from schedlab.metrics.groupings import groups_of
from schedlab.sim import Schedule

STRONG = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#ccbb44", "#332288")
"""For lines and small areas."""

LIGHT = ("#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#bbcc33", "#aaaa00")
"""For areas with text on them."""

OTHERS = "#aaaaaa"
_DASHES = ("-", "--", "-.", ":")
_SHADES = ("#fde725", "#a0da39", "#4ac16d", "#1fa187", "#277f8e", "#365c8d", "#46327e", "#440154")


@dataclass(frozen=True)
class JobColours:
    """A colour for each job: the place of its class among a few named ones."""

    title: str
    names: Sequence[str]
    colours: Sequence[str]
    of_job: NDArray[np.int64]


def policy_colour(place: int) -> str:
    """Return the colour of the policy at this place in a comparison."""
    return STRONG[place % len(STRONG)]


def policy_dash(place: int) -> str:
    """Return the dashes of the policy's line, which distinguish it without colours."""
    return _DASHES[place % len(_DASHES)]


def job_colours(schedule: Schedule, by: str) -> JobColours:
    """Return colours by a name in ``COLOURINGS``."""
    if by not in COLOURINGS:
        raise UnknownNameError("colouring", by, COLOURINGS)
    return COLOURINGS[by](schedule)


def usual_colouring(schedule: Schedule) -> str:
    """Choose ``clusters`` if jobs name any, else ``user`` if there are several, else ``size``."""
    if "needs" in schedule.workload:
        return "clusters"
    user = schedule.workload["user"]
    return "user" if len(user) and np.any(user != user[0]) else "size"


def _by_job(schedule: Schedule) -> JobColours:
    """Colour in turn by submission: neighbours mostly differ; a job looks alike in each panel."""
    turn = np.arange(len(schedule))
    if schedule.attempted_job_id is not None:
        turn = np.unique(schedule.attempted_job_id, return_inverse=True)[1]
    return JobColours("job", (), LIGHT, turn % len(LIGHT))


def _by_user(schedule: Schedule) -> JobColours:
    """Give each of the users with the most work a colour; all others share one."""
    group, names = groups_of(schedule, "user")
    work = schedule.workload["nodes"] * schedule.workload["run_s"]
    by_work = np.argsort(-np.bincount(group, weights=work, minlength=len(names)), kind="stable")
    few = min(len(names), len(STRONG))
    place = np.full(len(names), few)
    place[by_work[:few]] = np.arange(few)
    shown = [str(names[user]) for user in by_work[:few]]
    if few < len(names):
        shown.append(f"{len(names) - few} others")
    return JobColours("user", shown, [*STRONG[:few], OTHERS][: len(shown)], place[group])


def _by_size(schedule: Schedule) -> JobColours:
    """Colour from light to dark, from narrow to wide."""
    group, names = groups_of(schedule, "size")
    occurring = np.unique(group)
    few = min(len(occurring), len(_SHADES))
    shown, place = [], np.zeros(len(names), dtype=np.int64)
    for index, classes in enumerate(np.array_split(occurring, few) if few else []):
        place[classes] = index
        low = names[classes[0]].partition("-")[0]
        high = names[classes[-1]].rpartition("-")[2]
        shown.append(low if low == high else f"{low}-{high}")
    shades = np.linspace(0, len(_SHADES) - 1, len(shown)).round().astype(int)
    return JobColours("nodes", shown, [_SHADES[shade] for shade in shades], place[group])


def _by_clusters(schedule: Schedule) -> JobColours:
    """Colour by the number of clusters that the job needs at the same time."""
    group, names = groups_of(schedule, "clusters")
    occurring, place = np.unique(group, return_inverse=True)
    shown = [str(names[count]) for count in occurring]
    return JobColours(
        "clusters needed", shown, [LIGHT[count % len(LIGHT)] for count in range(len(shown))], place
    )


COLOURINGS: dict[str, Callable[[Schedule], JobColours]] = {
    "job": _by_job,
    "user": _by_user,
    "size": _by_size,
    "clusters": _by_clusters,
}
