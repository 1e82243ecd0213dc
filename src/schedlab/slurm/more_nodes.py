"""Add nodes to a site, as copies of nodes that it has: ``16:gpu``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from schedlab.errors import ParameterError
from schedlab.platform import Cluster, NodeGroup
from schedlab.platform.hostlist import expand_hosts, fold_hosts
from schedlab.slurm.site import SlurmSite

MOST = 100_000
"""The largest number of nodes that one text can add."""


def with_more_nodes(site: SlurmSite, texts: Iterable[str]) -> SlurmSite:
    """Return the site with more nodes.

    Args:
        site: the present site.
        texts: a number and a name, such as ``16:gpu``. The name is that of a host, a partition, a
            feature or a node type. New nodes are copies of the first node with this name, in the
            same partitions and on the same switch.
    """
    for text in texts:
        site = _with(site, *_parse(text))
    return site


def nodes_told(texts: Iterable[str]) -> list[str]:
    """Return the added nodes in words: ``16 more nodes like gpu``."""
    pairs = [_parse(text) for text in texts]
    return [f"{count:,} more node{'s' * (count > 1)} like {like}" for count, like in pairs]


def _parse(text: str) -> tuple[int, str]:
    number, colon, like = text.partition(":")
    if not colon or not like or not number.isdecimal() or not 1 <= int(number) <= MOST:
        raise ParameterError(
            f'"{text}" is not a number of nodes; write 16:gpu, from 1 to {MOST:,} nodes '
            "like those of a host, a partition, a feature or a node type"
        )
    return int(number), like


def _with(site: SlurmSite, count: int, like: str) -> SlurmSite:
    cluster = site.machine.clusters[0]
    model = _model(cluster, like)
    added = _names(model, (host for group in cluster.groups for host in group.names()), count)
    partitions = tuple(
        replace(each, nodes=_joined(each.nodes, added))
        if each.nodes and model in _hosts(cluster, each.nodes)
        else each
        for each in cluster.partitions
    )
    changed = replace(cluster, groups=_groups(cluster, model, added), partitions=partitions)
    return replace(
        site,
        machine=replace(site.machine, clusters=(changed,)),
        nodes=tuple(
            replace(each, hosts=_joined(each.hosts, added))
            if model in expand_hosts(each.hosts)
            else each
            for each in site.nodes
        ),
        switches=tuple(
            replace(each, nodes=_joined(each.nodes, added))
            if each.nodes and model in expand_hosts(each.nodes)
            else each
            for each in site.switches
        ),
    )


def _model(cluster: Cluster, like: str) -> str:
    """Return the first node that the name stands for."""
    for group in cluster.groups:
        if like in group.names():
            return like
    for partition in cluster.partitions:
        if partition.name == like:
            return _hosts(cluster, partition.nodes)[0]
    for group in cluster.groups:
        if like == group.type.name or like in group.all_features():
            return group.names()[0]
    names = [each.name for each in cluster.partitions]
    features = sorted({each for group in cluster.groups for each in group.all_features()})
    raise ParameterError(
        f'no node is like "{like}"; name a host, a partition ({", ".join(names)}) or a feature '
        f"({', '.join(features) or 'there is none'})"
    )


def _hosts(cluster: Cluster, nodes: str) -> list[str]:
    names = [host for group in cluster.groups for host in group.names()]
    return [names[at] for at in cluster.node_names.numbers(nodes).tolist()]


def _names(model: str, hosts: Iterable[str], count: int) -> list[str]:
    """Return names that continue the numbers of hosts with the model's prefix: n001, n002, ..."""
    prefix, digits = _split(model)
    numbers = [int(own) for start, own in map(_split, hosts) if start == prefix and own]
    first = max(numbers, default=0) + 1
    return [f"{prefix}{number:0{len(digits)}d}" for number in range(first, first + count)]


def _split(host: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.*?)(\d*)", host)
    assert found is not None
    return found[1], found[2]


def _groups(cluster: Cluster, model: str, added: list[str]) -> tuple[NodeGroup, ...]:
    """Return the groups with the new one behind those of the same prefix, as in Slurm's table."""
    own = next(group for group in cluster.groups if model in group.names())
    prefix = _split(model)[0]
    akin = [
        place
        for place, group in enumerate(cluster.groups)
        if any(_split(host)[0] == prefix for host in group.names())
    ]
    made = replace(own, count=None, hosts=fold_hosts(added))
    return (*cluster.groups[: akin[-1] + 1], made, *cluster.groups[akin[-1] + 1 :])


def _joined(hosts: str, added: list[str]) -> str:
    return fold_hosts([*expand_hosts(hosts), *added])
