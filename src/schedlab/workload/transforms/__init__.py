"""Shape a workload: every transform takes one and returns a new one that remembers the step."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.errors import ParameterError, SchedlabError, UnknownNameError, WorkloadError
from schedlab.lookup import import_object, is_import_path
from schedlab.units import parse_duration
from schedlab.workload import arguments
from schedlab.workload.transforms import parameters
from schedlab.workload.transforms.arrivals import interarrival, pauses, rebase, scale_load
from schedlab.workload.transforms.fill import fill
from schedlab.workload.transforms.machine import cores_per_node, oversize
from schedlab.workload.transforms.merge import merge
from schedlab.workload.transforms.request_accuracy import set_request, set_run
from schedlab.workload.transforms.resample import resample
from schedlab.workload.transforms.select import (
    head,
    min_run,
    overrun,
    partition,
    queue,
    slice_jobs,
    status,
    tail,
    users,
    window,
)
from schedlab.workload.transforms.transform import Transform, TransformEntry
from schedlab.workload.workload import Workload, require_workload

__all__ = [
    "TRANSFORMS",
    "Transform",
    "TransformEntry",
    "apply",
    "cores_per_node",
    "fill",
    "head",
    "interarrival",
    "merge",
    "min_run",
    "overrun",
    "oversize",
    "parse_transform",
    "partition",
    "pauses",
    "queue",
    "rebase",
    "resample",
    "scale_load",
    "set_request",
    "set_run",
    "slice_jobs",
    "status",
    "tail",
    "users",
    "window",
]

TRANSFORMS: dict[str, TransformEntry] = {
    "head": TransformEntry(
        "Keep the first jobs, this number of them.",
        "head=1000",
        head,
        lambda text: {"jobs": arguments.whole_number(text)},
    ),
    "tail": TransformEntry(
        "Keep the last jobs, this number of them.",
        "tail=500",
        tail,
        lambda text: {"jobs": arguments.whole_number(text)},
    ),
    "slice": TransformEntry(
        "Keep the jobs from one position to before another, counted from 0.",
        "slice=1000:2000",
        slice_jobs,
        parameters.job_range,
    ),
    "window": TransformEntry(
        "Keep the jobs submitted in a span of time, counted from the first submission.",
        "window=0s:10d",
        window,
        parameters.time_range,
    ),
    "min_run": TransformEntry(
        "Keep the jobs that run at least this long.",
        "min_run=90s",
        min_run,
        lambda text: {"run_s": parse_duration(text)},
    ),
    "overrun": TransformEntry(
        "Keep the jobs that ran at most this long beyond their request.",
        "overrun=0s",
        overrun,
        lambda text: {"at_most_s": parse_duration(text)},
    ),
    "status": TransformEntry(
        "Keep the jobs with one of these SWF status codes.",
        "status=1 or status=1,0",
        status,
        lambda text: {"codes": arguments.integers(text)},
    ),
    "users": TransformEntry(
        "Keep the jobs of these users.",
        "users=3,7",
        users,
        lambda text: {"names": arguments.words(text)},
    ),
    "partition": TransformEntry(
        "Keep the jobs that ran in these partitions.",
        "partition=3 or partition=batch,large",
        partition,
        lambda text: {"names": arguments.words(text)},
    ),
    "queue": TransformEntry(
        "Keep the jobs that were submitted to these queues.",
        "queue=1 or queue=normal,low",
        queue,
        lambda text: {"names": arguments.words(text)},
    ),
    "set_request": TransformEntry(
        "Set the request from the run time: request = run / WRA, fixed or random with that mean.",
        "set_request=0.2 or set_request=random:0.5",
        set_request,
        parameters.ratio,
        seeded=True,
    ),
    "set_run": TransformEntry(
        "Set the run time from the request: run = request × accuracy, fixed or random.",
        "set_run=0.5 or set_run=random:0.5",
        set_run,
        parameters.ratio,
        seeded=True,
    ),
    "interarrival": TransformEntry(
        "Multiply the gaps between submissions.",
        "interarrival=0.5",
        interarrival,
        lambda text: {"factor": arguments.number(text)},
    ),
    "load": TransformEntry(
        "Scale the gaps between submissions to an offered load on this machine or, where jobs "
        "share nodes, of the most demanded resource.",
        "load=0.9:256 or load=0.9:1000,cores=64000,memory=250TiB,gpus=1000",
        scale_load,
        parameters.load,
    ),
    "rebase": TransformEntry(
        "Move all submissions so that the first is at 0, or at the time given.",
        "rebase or rebase=1d",
        rebase,
        lambda text: {"start_s": parse_duration(text)} if text else {},
    ),
    "pauses": TransformEntry(
        "Insert a pause after each interval of submissions, counted from the first.",
        "pauses=100s:300s",
        pauses,
        parameters.pauses,
    ),
    "cores_per_node": TransformEntry(
        "Turn counts of cores into whole nodes with this number of cores, rounding up.",
        "cores_per_node=8",
        cores_per_node,
        lambda text: {"cores": arguments.whole_number(text)},
    ),
    "oversize": TransformEntry(
        "Drop, clip or refuse jobs wider than the machine.",
        "oversize=drop:1024 or oversize=clip:1024 or oversize=error:1024",
        oversize,
        parameters.oversize,
    ),
    "resample": TransformEntry(
        "Draw a number of jobs with replacement, one by one with their gaps or by whole weeks.",
        "resample=10000 or resample=10000:weeks",
        resample,
        parameters.resample,
        seeded=True,
    ),
    "fill": TransformEntry(
        "Let jobs come one by one in random order and never leave, drawn again until they ask for "
        "this multiple of this number of GPUs.",
        "fill=1.3:6212",
        fill,
        parameters.fill,
        seeded=True,
    ),
}


def parse_transform(text: str) -> Transform:
    """Return the transform given as ``name=parameter`` or ``package.module:function=parameter``.

    A function from outside is called with the workload and, if there is one, the parameter as text.
    """
    name, _, parameter = text.partition("=")
    name, parameter = name.strip(), parameter.strip()
    if name in TRANSFORMS:
        entry = TRANSFORMS[name]
        try:
            return Transform(text, entry.function, entry.read(parameter), entry.seeded)
        except ParameterError as error:
            raise ParameterError(f'transform "{text}": {error}; write {entry.form}') from None
    if is_import_path(name):
        return _outside(text, name, parameter)
    raise UnknownNameError("transform", name, TRANSFORMS)


def apply(workload: Workload, transforms: Sequence[str], *, seed: int = 0) -> Workload:
    """Return the workload after these transforms, in order.

    Each draws from its own part of the seed.
    """
    require_workload(workload)
    if isinstance(transforms, str):
        raise ParameterError(f'transforms is a text; must be a list, as in ["{transforms}"]')
    for place, transform in enumerate([parse_transform(text) for text in transforms]):
        workload = transform(workload, seed=[seed, place])
    return workload


def _outside(text: str, name: str, parameter: str) -> Transform:
    function = import_object("transform", name)

    def recorded(workload: Workload) -> Workload:
        arguments = (workload, parameter) if parameter else (workload,)
        try:
            made = function(*arguments)
        except SchedlabError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise WorkloadError(f'transform "{name}" failed with {reason}') from error
        if not isinstance(made, Workload):
            raise WorkloadError(f'transform "{name}" returned {made!r}; must return a Workload')
        return made.record(name, parameter=parameter)

    return Transform(text, recorded)
