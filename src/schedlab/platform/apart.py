"""The partitions or queues of a trace, each with nodes of its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError, PlatformError, UnknownNameError, WorkloadError
from schedlab.platform.checks import require_count
from schedlab.platform.cluster import Cluster
from schedlab.platform.partition import Partition
from schedlab.platform.platform import Platform
from schedlab.platform.read import HeaderSize, header_size
from schedlab.workload.header import header_int
from schedlab.workload.ignored import count_of
from schedlab.workload.labels import label_of
from schedlab.workload.workload import Workload

ANY = "any"
"""The partition of jobs that name none: all nodes."""

_SIZES = re.compile(r"(\d[\d,]*)\s+([A-Za-z][\w-]*)", re.ASCII)
_UNITS = ("node", "nodes", "proc", "procs", "processors", "cpu", "cpus", "core", "cores")


@dataclass(frozen=True)
class Part:
    """A partition of a trace, and how its size is known."""

    name: str
    nodes: int
    how: str
    """``given``, ``header`` or ``inferred``."""


@dataclass(frozen=True)
class Apart:
    """A workload whose jobs name their partitions, and the platform that has these."""

    workload: Workload
    platform: Platform
    parts: tuple[Part, ...]
    size: HeaderSize | None
    """The size of the machine, if the trace's header gives it."""

    def notes(self) -> Iterator[str]:
        """Yield lines on the sizes, their sources, and nodes in no partition or in two."""
        for how, words in (
            ("given", "as given"),
            ("header", "as the trace's header says"),
            ("inferred", "inferred: the most that were in use at a time"),
        ):
            sizes = [f"{each.name} {each.nodes:,}" for each in self.parts if each.how == how]
            if sizes:
                yield f"partitions: {', '.join(sizes)} nodes, {words}"
        left = self.platform.nodes - sum(each.nodes for each in self.parts)
        if left > 0:
            yield f"partitions: {left:,} nodes are in none"
        elif left < 0:
            yield f"partitions: they overlap, by {-left:,} nodes in all"


def keep_apart(
    workload: Workload, nodes: int | None = None, sizes: Mapping[str, int] | None = None
) -> Apart:
    """Return the jobs and a platform in which each partition of the trace has its own nodes.

    Queues stand for partitions in a trace that has at most one partition. A size is as given, as
    the header says (``; MaxNodes: 400 (48 interactive, 352 batch)`` or ``; Partition: 1 batch, 64
    nodes``), or inferred: the most nodes that the partition's jobs really had at a time. Partitions
    of inferred sizes that are too large to stand side by side overlap. Jobs that name no partition
    may have all nodes.

    Args:
        workload: the jobs of the trace.
        nodes: the nodes of the machine. Default: as the header says, else those of all partitions.
        sizes: nodes of partitions, by their names or numbers.
    """
    named, names = _named(workload)
    given = _given(names, sizes or {})
    size = None if nodes is not None else _size(workload, names.keys() <= given.keys())
    total = size.count if size else nodes
    parts = tuple(_part(named, code, name, given, total) for code, name in names.items())
    total = sum(each.nodes for each in parts) if total is None else total
    groups = Cluster.homogeneous(total, name=workload.name, cores=1).groups
    rules = tuple(_laid_out(parts, total))
    if np.any(named["partition"] < 0):
        rules = (*rules, Partition(ANY, default=True))
    platform = Platform((Cluster(workload.name, groups, partitions=rules),), workload.name)
    return Apart(named, platform, parts, size)


def parse_sizes(text: str) -> dict[str, int]:
    """Return the sizes in a text such as ``1=48,batch=352``; none in ``trace``."""
    sizes: dict[str, int] = {}
    for part in text.split(",") if text.strip() != "trace" else ():
        name, _, count = (each.strip() for each in part.rpartition("="))
        if not name or not re.fullmatch(r"\d{1,9}", count, re.ASCII) or not int(count):
            raise ParameterError(
                f'partitions is "{text}"; must be trace, or sizes such as 1=48,2=352'
            )
        if name in sizes:
            raise ParameterError(f'partitions is "{text}"; "{name}" is there twice')
        sizes[name] = int(count)
    return sizes


def widest(apart: Apart) -> NDArray[np.int64]:
    """Return for each job the nodes of its partition."""
    most = {each.name: each.nodes for each in apart.parts}
    codes = apart.workload["partition"]
    found = np.full(len(codes), apart.platform.nodes, dtype=np.int64)
    for code, name in _names(apart.workload).items():
        found[codes == code] = most[name]
    return found


def _named(workload: Workload) -> tuple[Workload, dict[int, str]]:
    """Return the workload, with queues as partitions if need be, and the name of each code."""
    if count_of(workload, "partition") < 2:
        if count_of(workload, "queue") < 2:
            raise WorkloadError(
                f'workload "{workload.name}" has neither several partitions nor several queues '
                "to keep apart"
            )
        workload = _queues_for_partitions(workload)
    return workload, _names(workload)


def _queues_for_partitions(workload: Workload) -> Workload:
    lines = {"Partition": workload.header["Queue"]} if "Queue" in workload.header else {}
    labels = {"partition": workload.labels["queue"]} if "queue" in workload.labels else {}
    without = {key: values for key, values in workload.header.items() if key != "Partition"}
    return Workload(
        {name: workload[name] for name in workload.columns} | {"partition": workload["queue"]},
        name=workload.name,
        header=without | lines,
        labels={key: names for key, names in workload.labels.items() if key != "partition"}
        | labels,
        report=workload.report,
        provenance=workload.provenance,
    ).record("queues_for_partitions")


def _names(workload: Workload) -> dict[int, str]:
    """Return the codes that occur, with their names; the number where a name is unclear."""
    codes = [code for code in np.unique(workload["partition"]).tolist() if code >= 0]
    names = {code: label_of(workload, "partition", code) or str(code) for code in codes}
    often = Counter(names.values())
    labelled = "partition" in workload.labels
    tells = {
        code: labelled or (often[name] == 1 and not name.isdecimal() and name != ANY)
        for code, name in names.items()
    }
    return {code: name if tells[code] else str(code) for code, name in names.items()}


def _given(names: Mapping[int, str], sizes: Mapping[str, int]) -> dict[int, int]:
    """Return the sizes by code; a partition is given by name or number."""
    codes = {str(code): code for code in names} | {name: code for code, name in names.items()}
    found: dict[int, int] = {}
    for name, count in sizes.items():
        if name not in codes:
            raise ParameterError(f"partitions: {UnknownNameError('partition', name, codes)}")
        require_count(f'partitions: nodes of "{name}"', count, 1)
        if codes[name] in found:
            raise ParameterError(f'partitions: "{name}" is given by name and by number')
        found[codes[name]] = count
    return found


def _size(workload: Workload, all_given: bool) -> HeaderSize | None:
    try:
        return header_size(workload)
    except PlatformError:
        if not all_given:
            raise
        return None


def _part(
    workload: Workload, code: int, name: str, given: Mapping[int, int], total: int | None
) -> Part:
    if code in given:
        return Part(name, given[code], "given")
    told = _told_by_header(workload, code, name)
    if told is not None and (total is None or told <= total):
        return Part(name, told, "header")
    jobs = workload.take(workload["partition"] == code)
    if not np.any((jobs["wait_s"] >= 0) & (jobs["run_s"] > 0)):
        raise WorkloadError(
            f'workload "{workload.name}" has neither size nor starts of partition "{name}"; '
            f"give its size, as {name}=64"
        )
    return Part(name, min(_most_at_a_time(jobs), total or 1 << 24), "inferred")


def _told_by_header(workload: Workload, code: int, name: str) -> int | None:
    """Return the partition's size in the header, in the unit of the jobs: nodes or processors."""
    nodes, procs = (header_int(workload.header, key) for key in ("MaxNodes", "MaxProcs"))
    by_node = "cores_per_node" in workload or procs in (None, nodes)
    for text in workload.header.get("MaxNodes" if by_node else "MaxProcs", ()):
        for count, word in _SIZES.findall(text.partition("(")[2]):
            if word == name:
                return int(count.replace(",", ""))
    units = _UNITS[:2] if by_node else _UNITS[2:]
    for line in workload.header.get("Partition", ()):
        number = re.match(r"\s*(\d+)\b", line)
        if number and int(number[1]) == code:
            for count, word in _SIZES.findall(line[number.end() :]):
                if word in units:
                    return int(count.replace(",", ""))
    return None


def _most_at_a_time(jobs: Workload) -> int:
    """Return the most nodes that the jobs had at a time, by their recorded starts."""
    ran = (jobs["wait_s"] >= 0) & (jobs["run_s"] > 0)
    start = (jobs["submit_s"] + jobs["wait_s"])[ran]
    nodes = jobs["nodes"][ran]
    times = np.concatenate([start + jobs["run_s"][ran], start])
    order = np.argsort(times, kind="stable")
    used = np.cumsum(np.concatenate([-nodes, nodes])[order])
    return max(int(used.max(initial=0)), int(jobs["nodes"].max()))


def _laid_out(parts: tuple[Part, ...], total: int) -> Iterator[Partition]:
    """Yield the partitions side by side; inferred ones begin again at the first node if need be."""
    said = sum(each.nodes for each in parts if each.how != "inferred")
    if said > total or any(each.nodes > total for each in parts):
        sizes = ", ".join(f"{each.name}={each.nodes}" for each in parts if each.how != "inferred")
        raise PlatformError(
            f"partitions of {sizes} nodes do not fit side by side into {total:,} nodes; describe "
            "partitions that overlap in a platform file"
        )
    at = 0
    for each in sorted(parts, key=lambda part: part.how == "inferred"):
        end = at + each.nodes
        spans = [f"{at}-{min(end, total) - 1}"] + ([f"0-{end - total - 1}"] if end > total else [])
        yield Partition(each.name, f"[{','.join(spans)}]")
        at = end % total
