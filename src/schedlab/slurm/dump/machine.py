"""The machine of a dump: nodes in groups, partitions, licences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from schedlab.errors import InputError, SchedlabError
from schedlab.platform.consumable import Consumable
from schedlab.platform.hostlist import expand_hosts, fold_hosts
from schedlab.platform.node_group import NodeGroup
from schedlab.platform.node_type import NodeType
from schedlab.platform.partition import Partition
from schedlab.slurm.dump.conf import Block, Entry
from schedlab.slurm.dump.findings import MODELLED, ImportReport
from schedlab.slurm.dump.nodes import Node
from schedlab.slurm.dump.partition_rules import partition_of, rules_of, tell_partitions
from schedlab.slurm.dump.values import words
from schedlab.slurm.layout import NodeLayout, PartitionRules
from schedlab.slurm.parameters import SlurmParameters

_MIB = 1 << 20


@dataclass(frozen=True)
class Partitions:
    """The partitions for every policy, and what only Slurm knows of them."""

    plain: tuple[Partition, ...]
    rules: tuple[PartitionRules, ...]


def groups_of(nodes: Sequence[Node]) -> tuple[NodeGroup, ...]:
    """Group neighbouring nodes that are alike, so that their numbers follow Slurm's order."""
    groups = []
    for number, (_, alike) in enumerate(groupby(nodes, _likeness), 1):
        found = list(alike)
        first = found[0]
        memory_mb = None
        if first.memory_mb is not None:
            memory_mb = max(first.memory_mb - first.mem_spec_limit_mb, 1)
        kind = NodeType(
            f"type{number}",
            first.cores,
            None if memory_mb is None else memory_mb * _MIB,
            gpus=dict(first.gpus),
            resources=dict(first.resources),
            features=first.features,
        )
        hosts = _in_order([each.name for each in found])
        groups.append(NodeGroup(kind, hosts=hosts, weight=first.weight, switch=first.switch))
    return tuple(groups)


def layouts_of(nodes: Sequence[Node]) -> tuple[NodeLayout, ...]:
    """Return how the cores of the nodes are arranged."""
    layouts = []
    for _, alike in groupby(nodes, lambda node: replace(node, name="", where="")):
        found = list(alike)
        first = found[0]
        layouts.append(
            NodeLayout(
                _in_order([each.name for each in found]),
                first.cpus,
                first.boards,
                first.sockets,
                first.cores_per_socket,
                first.threads_per_core,
                first.core_spec_count,
                first.mem_spec_limit_mb,
                first.tmp_disk_mb,
                first.state,
            )
        )
    return tuple(layouts)


def partitions_of(
    blocks: Sequence[Block],
    sets: Sequence[Block],
    nodes: Sequence[Node],
    parameters: SlurmParameters,
    report: ImportReport,
) -> Partitions:
    """Return the partitions in the order of slurm.conf.

    A partition without nodes is left out, with a remark in the report.
    """
    if not blocks:
        raise InputError("the dump describes no partition; slurm.conf needs a PartitionName line")
    known = {node.name: node for node in nodes}
    named = _node_sets(sets, known)
    plain, rules = [], []
    for block in blocks:
        hosts = _hosts(block, known, named)
        if not hosts:
            report.note(f'{block.where}: partition "{block.name}" has no nodes; it is left out.')
            continue
        named_hosts = "" if len(hosts) == len(known) else fold_hosts(hosts)
        plain.append(partition_of(block, named_hosts, parameters, report))
        rules.append(rules_of(block))
    if not plain:
        raise InputError("no partition of the dump has nodes")
    tell_partitions(blocks, report)
    return Partitions(tuple(plain), tuple(rules))


def licences_of(entry: Entry | None, report: ImportReport) -> tuple[Consumable, ...]:
    """Return the licences of the cluster: ``matlab:4,ansys@server:10``."""
    if entry is None:
        return ()
    report.add(entry.key, entry.value, entry.where, MODELLED, "Consumables of the machine.")
    found = []
    for word in words(entry.value):
        name, _, amount = word.partition(":")
        if amount and not amount.isdecimal():
            raise entry.error(f"is {entry.value!r}; must look like matlab:4,ansys:10")
        found.append(Consumable(name, int(amount or 1)))
    return tuple(found)


def _likeness(node: Node) -> Any:
    return (
        node.cores,
        node.memory_mb,
        node.mem_spec_limit_mb,
        tuple(node.gpus.items()),
        tuple(node.resources.items()),
        node.features,
        node.weight,
        node.switch,
    )


def _in_order(names: list[str]) -> str:
    """Return a host list whose order is that of the names."""
    folded = fold_hosts(names)
    return folded if list(expand_hosts(folded)) == names else ",".join(names)


def _node_sets(sets: Sequence[Block], known: Mapping[str, Node]) -> dict[str, list[str]]:
    found = {}
    for block in sets:
        features = set(words(block.text("Feature") or ""))
        hosts = _expanded(block, block.text("Nodes") or "")
        by_feature = [name for name, node in known.items() if features & {*node.features}]
        found[block.name] = list(dict.fromkeys([*hosts, *by_feature]))
    return found


def _hosts(block: Block, known: Mapping[str, Node], sets: Mapping[str, list[str]]) -> list[str]:
    hosts: list[str] = []
    for name in _expanded(block, block.text("Nodes") or ""):
        if name.upper() == "ALL":
            hosts += known
        elif name in sets:
            hosts += sets[name]
        elif name in known:
            hosts.append(name)
        elif name.lower() != "(null)":
            raise block.error(
                f'partition "{block.name}": Nodes names "{name}", which no line NodeName '
                "or NodeSet describes"
            )
    return list(dict.fromkeys(hosts))


def _expanded(block: Block, text: str) -> tuple[str, ...]:
    try:
        return expand_hosts(text)
    except SchedlabError as error:
        raise block.error(f"Nodes: {error}") from None
