"""What jobs need of a machine that is more than one pool of whole nodes, as the core takes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import WorkloadError
from schedlab.platform import Demands, Platform, demands_of
from schedlab.platform.cluster_parts import whole_clusters
from schedlab.sim.changes import Guests
from schedlab.sim.feasibility import check_feasible, check_times
from schedlab.sim.gpu_columns import GpuColumns, asks_for_parts
from schedlab.workload import Workload

Counts = NDArray[np.int64]
Part = tuple[int, int, int]
"""The place of a set of nodes, how many of them, and the place of a share."""
Kind = tuple[list[int], int]
Gpus = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False)
class NodeDemands:
    """The jobs' demands, each kind once.

    A consumable is one more node, after all others.

    Args:
        capacity: what nodes have, as (resource, node). Every share takes some of resource 0.
        sets: the numbers of nodes that jobs may have.
        shares: what jobs take of each node, as (share, resource).
        exclusive: whether a share is all of an idle node.
        counted: whether jobs take whole nodes of sets that have no node in common.
        kinds: the demands that differ.
        guests: the group of guests that each kind belongs to, see ``Guests``.
        kind: the place of each job's demand in ``kinds``.
        nodes: number of nodes of each job from all sets together. More than its column ``nodes``
            where it has too many tasks for these.
        ignored: what jobs ask for and the platform does not describe, one line each.
        share_gpus: for each share how many GPUs, how much of each, and which columns; see
            ``GpuColumns``. Empty where GPUs are only counted.
        gpus: number of resources, the last ones, that are single GPUs.
        cores_and_gpus: for cores and for GPUs, where nodes have them: the resources in
            ``capacity``, and the most that a node has.
    """

    capacity: Counts
    sets: list[NDArray[np.int32]]
    shares: Counts
    exclusive: NDArray[np.bool_]
    counted: bool
    kinds: list[list[Part]]
    guests: list[int]
    kind: NDArray[np.int32]
    nodes: Counts
    ignored: tuple[str, ...] = ()
    share_gpus: list[Gpus] = field(default_factory=list)
    gpus: int = 0
    cores_and_gpus: list[Kind] = field(default_factory=list)

    def machine(self, *, suspends: bool = False) -> _core.Machine:
        """Return the machine with all sets and shares, at the places that ``kinds`` names.

        Where jobs are suspended, each node is a set, too.
        """
        machine = _core.Machine(self.capacity, self.gpus)
        for nodes in self.sets:
            machine.add_set(nodes)
        for share in self._plain_shares():
            machine.add_share(*share)
        if suspends:
            machine.add_single_nodes()
        return machine

    def _plain_shares(self) -> Iterator[tuple[Counts, bool, Gpus]]:
        gpus = self.share_gpus or [(0, 0, 0, 0)] * len(self.shares)
        yield from zip(self.shares, self.exclusive.tolist(), gpus, strict=True)

    def parts_in(self, simulator: _core.Simulator) -> list[tuple[list[Part], int]]:
        """Return the parts and guests of each job, with the places they have in a simulator."""
        sets = [simulator.place_of_set(nodes) for nodes in self.sets]
        shares = [simulator.place_of_share(*share) for share in self._plain_shares()]
        kinds = [
            ([(sets[place], count, shares[share]) for place, count, share in kind], guest)
            for kind, guest in zip(self.kinds, self.guests, strict=True)
        ]
        return [kinds[kind] for kind in self.kind.tolist()]

    def popular_parts(self) -> list[Part]:
        """Return what jobs ask for of shared nodes: a set, a share, and the number of nodes."""
        popular: Counter[tuple[int, int]] = Counter()
        for kind, jobs in enumerate(np.bincount(self.kind, minlength=len(self.kinds)).tolist()):
            for place, count, share in self.kinds[kind]:
                if not self.exclusive[share]:
                    popular[place, share] += jobs * count
        return [(place, share, nodes) for (place, share), nodes in popular.items()]

    def is_within(self, other: NodeDemands) -> bool:
        """Return whether all jobs take whole nodes of the sets that the other names."""
        known = {nodes.tobytes() for nodes in other.sets}
        return bool(self.exclusive.all()) and all(each.tobytes() in known for each in self.sets)


def demands_if_any(
    workload: Workload,
    platform: Platform,
    *,
    whole_nodes: bool = False,
    named: bool = False,
    room: bool = False,
    gpus: bool = False,
    suspends: bool = False,
) -> NodeDemands | None:
    """Return what the jobs need; None if they take whole nodes, any of the machine.

    Raises WorkloadError for a job that can never run.

    Args:
        workload: the jobs.
        platform: the machine.
        whole_nodes: every job has its nodes to itself.
        named: it matters which nodes jobs take: never return None if there are jobs.
        room: return what nodes have of each resource even if all jobs take whole nodes.
        gpus: each GPU is a resource, even if no job asks for part of one.
        suspends: jobs may be suspended, and wait for particular nodes.
    """
    if is_plain(workload, platform):
        check_feasible(workload, platform.pool())
        if not named or not len(workload):
            return None
        return _one_pool(workload, platform.nodes, counted=not suspends)
    check_times(workload)
    if not len(workload):
        return None
    demands = node_demands(workload, platform, whole_nodes=whole_nodes, room=room, gpus=gpus)
    check_open_in_the_end(workload, platform, demands)
    if suspends:
        if demands.gpus:
            raise WorkloadError(
                "jobs cannot be suspended if jobs take parts of GPUs, or with place=fgd; "
                "must be requeued or cancelled"
            )
        demands = replace(demands, counted=False)
    one_pool = demands.counted and [len(nodes) for nodes in demands.sets] == [platform.nodes]
    as_told = np.array_equal(demands.nodes, workload["nodes"])
    alike = not room or len({group.type for group in platform.groups}) == 1
    return None if one_pool and as_told and alike and not named else demands


def check_open_in_the_end(workload: Workload, platform: Platform, demands: NodeDemands) -> None:
    """Raise WorkloadError for a job that has too few nodes once the machine has changed."""
    lasting = [(each, nodes) for each, nodes in platform.intervals() if each.end_s is None]
    fewer = [each for each in platform.consumables if each.steps]
    if not lasting and not fewer:
        return
    open_to = Guests.of(workload, platform).open_to
    endless = np.array([each.end_s is None for each, _ in platform.intervals()], dtype=bool)
    last = demands.capacity.copy()
    for place, each in enumerate(platform.consumables):
        last[0, platform.nodes + place] = (each.capacity, *(s.capacity for s in each.steps))[-1]
    for place, (kind, guest) in enumerate(zip(demands.kinds, demands.guests, strict=True)):
        shut = endless & ~open_to[guest]
        closed = [
            nodes for (_, nodes), is_shut in zip(platform.intervals(), shut, strict=True) if is_shut
        ]
        for allowed, count, share in kind:
            left = np.setdiff1d(demands.sets[allowed], np.concatenate([[-1], *closed]))
            able = (last[:, left] >= demands.shares[share][:, None]).all(axis=0)
            if np.count_nonzero(able) < count:
                job = workload["job_id"][np.flatnonzero(demands.kind == place)[0]]
                raise WorkloadError(
                    f"job {job} can never start once the machine has changed for the last time: "
                    "what it asks for is closed or too little from then on"
                )


def node_demands(
    workload: Workload,
    platform: Platform,
    *,
    whole_nodes: bool,
    room: bool = False,
    gpus: bool = False,
) -> NodeDemands:
    """Return what the jobs need; there must be at least one job. See ``demands_if_any``."""
    # Every job takes a core: a node with one core, such as a trace's processor, is never shared.
    single = all(group.type.cores == 1 for group in platform.groups)
    demands = demands_of(workload, platform, whole_nodes=whole_nodes or single)
    apart = (gpus and not demands.whole.all()) or asks_for_parts(demands)
    columns = GpuColumns.of(demands, platform) if apart else None
    sets, place_of_set = _sets(demands, platform, clusters="needs" in workload)
    shares, exclusive, share_gpus, place_of_share = _shares(demands, columns)
    whole = bool(demands.whole.all())
    capacity = _capacity(demands, platform, whole, room, columns)
    shares = np.zeros((len(shares), len(capacity)), dtype=np.int64) if whole else shares
    guest = Guests.of(workload, platform).group
    parts = np.column_stack(
        [place_of_set[demands.allowed], demands.least, place_of_share[demands.job]]
    )
    counted = whole and _apart(sets) and not platform.consumables and not platform.intervals()
    job = demands.job
    if platform.consumables:
        held, amounts, used = _held(demands, len(sets), len(shares), shares.shape[1])
        sets += [np.array([platform.nodes + at], np.int32) for at in range(len(used))]
        gpus_of = np.zeros((len(shares) + len(amounts), 4), dtype=np.int64)
        gpus_of[: len(share_gpus)] = np.reshape(share_gpus, (-1, 4))
        is_exclusive = np.append(exclusive, np.zeros(len(amounts), dtype=bool))
        every = np.column_stack([is_exclusive, gpus_of, np.vstack([shares, amounts])])
        unlike, place = _unlike_rows(every)
        shares, exclusive = unlike[:, 5:], unlike[:, 0].astype(bool)
        share_gpus = [(one, two, three, four) for one, two, three, four in unlike[:, 1:5].tolist()]
        parts[:, 2], held[:, 3] = place[parts[:, 2]], place[held[:, 3]]
        job = np.append(job, held[:, 0])
        behind = np.argsort(job, kind="stable")
        job, parts = job[behind], np.vstack([parts, held[:, 1:]])[behind]
    kinds, guests, kind = _kinds(np.column_stack([parts, guest[job]]), job, len(workload))
    return NodeDemands(
        capacity,
        sets,
        np.ascontiguousarray(shares),
        exclusive,
        counted,
        kinds,
        guests,
        kind,
        np.bincount(demands.job, demands.least, len(workload)).astype(np.int64),
        demands.ignored,
        share_gpus,
        0 if columns is None else columns.total,
        _cores_and_gpus(demands, columns, first=int(whole)),
    )


def _one_pool(workload: Workload, nodes: int, *, counted: bool) -> NodeDemands:
    """Return the demands of jobs that take whole nodes, any of the machine."""
    counts, kind = np.unique(workload["nodes"], return_inverse=True)
    return NodeDemands(
        np.ones((1, nodes), dtype=np.int64),
        [np.arange(nodes, dtype=np.int32)],
        np.zeros((1, 1), dtype=np.int64),
        np.ones(1, dtype=bool),
        counted,
        [[(0, count, 0)] for count in counts.tolist()],
        [0] * len(counts),
        kind.astype(np.int32),
        workload["nodes"].astype(np.int64),
    )


def is_plain(workload: Workload, platform: Platform) -> bool:
    """Return whether jobs can ask for nothing but a number of nodes of this platform."""
    return "needs" not in workload and not (
        any(cluster.partitions for cluster in platform.clusters)
        or any(group.type.has_resources or group.all_features() for group in platform.groups)
        or platform.consumables
        or platform.intervals()
    )


def _sets(
    demands: Demands, platform: Platform, *, clusters: bool
) -> tuple[list[NDArray[np.int32]], Counts]:
    """Return the sets that jobs use, by first node; and the place of each of the demands' sets.

    If jobs name clusters, the sets are the clusters, in order.
    """
    used = [demands.node_sets[place].nodes for place in np.unique(demands.allowed)]
    named = [each.nodes for each in whole_clusters(platform)] if clusters else used
    unlike = {nodes.tobytes(): nodes for nodes in (each.astype(np.int32) for each in named)}
    sets = sorted(unlike.values(), key=lambda nodes: (nodes[0], len(nodes)))
    place = {nodes.tobytes(): at for at, nodes in enumerate(sets)}
    return sets, np.array(
        [place.get(each.nodes.astype(np.int32).tobytes(), -1) for each in demands.node_sets]
    )


def _shares(
    demands: Demands, columns: GpuColumns | None
) -> tuple[Counts, NDArray[np.bool_], list[Gpus], Counts]:
    """Return the different shares, whether each is exclusive, their GPUs, and jobs' places."""
    amounts = np.where(demands.whole[:, None], 0, demands.per_node)
    if columns is None:
        rows, place = _unlike_rows(np.column_stack([demands.whole, amounts]))
        return np.ascontiguousarray(rows[:, 1:]), rows[:, 0].astype(bool), [], place
    gpus = np.where(demands.whole[:, None], 0, columns.of_jobs(demands))
    rows, place = _unlike_rows(np.column_stack([demands.whole, gpus, amounts[:, columns.others]]))
    none = np.zeros((len(rows), columns.total), dtype=np.int64)
    own: list[Gpus] = [(one, two, three, four) for one, two, three, four in rows[:, 1:5].tolist()]
    return np.column_stack([rows[:, 5:], none]), rows[:, 0].astype(bool), own, place


def _held(
    demands: Demands, sets: int, shares: int, resources: int
) -> tuple[Counts, Counts, Counts]:
    """Return what jobs hold of consumables.

    The result has rows (job, set, count, share), numbered after the given sets and shares; the
    amounts of these shares; and the consumables, each of which is a set.
    """
    job, consumable = np.nonzero(demands.consumables)
    unlike, place = np.unique(demands.consumables[job, consumable], return_inverse=True)
    amounts = np.zeros((len(unlike), resources), dtype=np.int64)
    amounts[:, 0] = unlike
    rows = np.column_stack([job, sets + consumable, np.ones_like(job), shares + place])
    return rows, amounts, np.arange(demands.consumables.shape[1])


def _capacity(
    demands: Demands, platform: Platform, whole: bool, room: bool, columns: GpuColumns | None
) -> Counts:
    """Return what nodes have; where jobs take whole nodes, first one unit of the node itself."""
    sizes = [group.nodes for group in platform.groups]
    of_group = demands.resources.capacity
    if columns is not None:
        of_group = np.column_stack([of_group[:, columns.others], columns.capacity])
    has = np.repeat(of_group, sizes, axis=0).T
    if whole:
        one = np.ones((1, platform.nodes), dtype=np.int64)
        has = np.concatenate([one, has]) if room else one
    behind = np.zeros((len(has), len(platform.consumables)), dtype=np.int64)
    behind[0] = [each.capacity for each in platform.consumables]
    return np.ascontiguousarray(np.hstack([has, behind]))


def _cores_and_gpus(demands: Demands, columns: GpuColumns | None, first: int) -> list[Kind]:
    place, most = demands.resources.place, demands.resources.capacity.max(axis=0, initial=1)
    names = [name for name in ("cores", "gpu") if name in place]
    if columns is None:
        return [([first + place[name]], int(most[place[name]])) for name in names]
    begin = len(columns.others)
    kinds = [([columns.others.index(place["cores"])], int(most[place["cores"]]))]
    total = int(columns.capacity.sum(axis=1).max())
    return [*kinds, (list(range(begin, begin + columns.total)), max(1, total))]


def _kinds(
    rows: Counts, job: Counts, jobs: int
) -> tuple[list[list[Part]], list[int], NDArray[np.int32]]:
    """Return the different demands, their guests, and the place of each job's demand.

    Args:
        rows: set, count, share and guests of each part.
        job: the job of each part, in order.
        jobs: number of jobs.
    """
    unlike, code = _unlike_rows(rows)
    parts: list[Part] = [(one, two, three) for one, two, three, _ in unlike.tolist()]
    guests: list[int] = unlike[:, 3].tolist()
    if len(rows) == jobs:
        return [[part] for part in parts], guests, code.astype(np.int32)
    ends = np.searchsorted(job, np.arange(jobs + 1)).tolist()
    codes = code.tolist()
    of_job = [tuple(codes[first:last]) for first, last in pairwise(ends)]
    place = {each: at for at, each in enumerate(dict.fromkeys(of_job))}
    kind = np.array([place[each] for each in of_job], dtype=np.int32)
    return (
        [[parts[each] for each in codes] for codes in place],
        [guests[codes[0]] for codes in place],
        kind,
    )


def _unlike_rows(rows: Counts) -> tuple[Counts, Counts]:
    """Return the different rows, and for each row its place among them.

    This goes column by column, which is ten times as quick as comparing whole rows.
    """
    code = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        values, place = np.unique(column, return_inverse=True)
        _, code = np.unique(code * len(values) + place, return_inverse=True)
    _, first = np.unique(code, return_index=True)
    return rows[first], code


def _apart(sets: list[NDArray[np.int32]]) -> bool:
    nodes = np.concatenate(sets)
    return len(np.unique(nodes)) == len(nodes)
