"""The sections of a platform file; a site file describes its machines with the same ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any, NamedTuple

from schedlab.errors import PlatformError, UnknownNameError
from schedlab.platform.cluster import Cluster
from schedlab.platform.consumable import CapacityStep, Consumable
from schedlab.platform.intervals import Drain, Outage, Reservation
from schedlab.platform.keys import build_section, key_of, place_of, plain_section
from schedlab.platform.node_group import NodeGroup
from schedlab.platform.node_type import NodeType
from schedlab.platform.partition import Partition
from schedlab.platform.power import NodePower
from schedlab.sections import build, reject_unknown_keys

MACHINE_SECTIONS = ("name", "node_type", "cluster", "consumable")
HISTORY_SECTIONS = (
    "site",
    "sharing",
    "carbon",
    "efficiency",
    "job_source",
    "sensor_source",
    "store",
    "archive",
    "release",
    "service",
    "slurm",
)
"""Sections of a site file that do not describe its machines."""

_TYPE_KEYS = tuple(key_of(each.name) for each in fields(NodeType))
_GROUP_KEYS = tuple(key_of(each.name) for each in fields(NodeGroup))
_LISTS: dict[str, tuple[str, type]] = {
    "partition": ("partitions", Partition),
    "outage": ("outages", Outage),
    "drain": ("drains", Drain),
    "reservation": ("reservations", Reservation),
}
_INNER = ("nodes", *_LISTS)
_NOW_CALLED = {
    "cpus": "cores",
    "processors_per_node": "cores",
    "cores_per_processor": "cores",
    "accelerators": "gpus = { TYPE = NUMBER }",
    "accelerator_type": "gpus = { TYPE = NUMBER }",
    "accelerator_memory": "gpu_memory",
    "gpus_per_node": "gpus = { TYPE = NUMBER }",
}


class Machines(NamedTuple):
    """What the sections describe."""

    name: str
    clusters: tuple[Cluster, ...]
    consumables: tuple[Consumable, ...]


def read_document(document: Mapping[str, Any], default_name: str) -> Machines:
    """Return the machines in the sections of a file.

    ``default_name`` is for a file that gives no name.
    """
    if not isinstance(document, Mapping):
        raise PlatformError(f"a platform is {document!r}; must be a table of sections")
    is_site = isinstance(document.get("site"), Mapping)
    reject_unknown_keys(
        document, (*MACHINE_SECTIONS, *(HISTORY_SECTIONS if is_site else ())), "the platform"
    )
    name = document["site"].get("name", default_name) if is_site else default_name
    name = document.get("name", name)
    if not isinstance(name, str):
        raise PlatformError(f"name is {name!r}; must be a text")
    return Machines(name, read_clusters(document), read_consumables(document))


def read_clusters(document: Mapping[str, Any], *, named: bool = False) -> tuple[Cluster, ...]:
    """Return what the sections ``[[node_type]]`` and ``[[cluster]]`` describe.

    Args:
        document: the sections.
        named: whether each cluster must say its name.
    """
    types: dict[str, NodeType] = {}
    for each in _sections(document, "node_type", "[[node_type]]"):
        if "name" not in each:
            raise PlatformError("[[node_type]] lacks the key name")
        made = _node_type(each, "[[node_type]]")
        if made.name in types:
            raise PlatformError(f'two [[node_type]] named "{made.name}"')
        types[made.name] = made
    site = document.get("site", {}).get("name", Cluster.site)
    clusters = _sections(document, "cluster", "[[cluster]]")
    if named and not all("name" in each for each in clusters):
        raise PlatformError("[[cluster]] lacks the key name")
    return tuple(_cluster(each, types, site) for each in clusters)


def read_consumables(document: Mapping[str, Any]) -> tuple[Consumable, ...]:
    """Return what the sections ``[[consumable]]`` describe."""
    where, inside = "[[consumable]]", "[[consumable.step]]"
    return tuple(
        build_section(
            Consumable,
            {key: value for key, value in given.items() if key != "step"},
            where,
            steps=tuple(
                build_section(CapacityStep, each, place_of(where, given) + ": [[step]]")
                for each in _sections(given, "step", inside)
            ),
        )
        for given in _sections(document, "consumable", where)
    )


def plain_clusters(clusters: Iterable[Cluster]) -> list[dict[str, Any]]:
    """Return the clusters as sections."""
    return [_plain_cluster(each) for each in clusters]


def plain_consumables(consumables: Iterable[Consumable]) -> list[dict[str, Any]]:
    """Return the consumables as sections."""
    sections = []
    for each in consumables:
        section = plain_section(each, ("steps",))
        if each.steps:
            section["step"] = [plain_section(step) for step in each.steps]
        sections.append(section)
    return sections


def _cluster(given: Mapping[str, Any], types: Mapping[str, NodeType], site: str) -> Cluster:
    reject_unknown_keys(given, ("name", "site", *_INNER), "[[cluster]]")
    where = place_of("[[cluster]]", given)
    if isinstance(given.get("nodes"), int) and given["nodes"] is not True:
        raise PlatformError(f"{where}: write [[cluster.nodes]] with count = {given['nodes']}")
    groups = _sections(given, "nodes", "[[cluster.nodes]]")
    return build_section(
        Cluster,
        {"site": site} | {key: value for key, value in given.items() if key not in _INNER},
        "[[cluster]]",
        groups=tuple(_group(each, types, f"{where}: [[cluster.nodes]]") for each in groups),
        **{
            field: tuple(
                build_section(section, each, f"{where}: [[cluster.{key}]]")
                for each in _sections(given, key, f"[[cluster.{key}]]")
            )
            for key, (field, section) in _LISTS.items()
        },
    )


def _group(given: Mapping[str, Any], types: Mapping[str, NodeType], where: str) -> NodeGroup:
    _known(given, (*_TYPE_KEYS, *_GROUP_KEYS), where)
    if isinstance(given.get("hosts"), str):
        where = f"{where} {given['hosts']}"
    if ("count" in given) == ("hosts" in given):
        raise PlatformError(f"{where} must say either count or hosts")
    return build_section(
        NodeGroup,
        {key: given[key] for key in _GROUP_KEYS if key in given and key != "type"},
        where,
        type=_type_of(given, types, where),
    )


def _type_of(given: Mapping[str, Any], types: Mapping[str, NodeType], where: str) -> NodeType:
    """Return the type that the group names, or describes itself."""
    own = {key: value for key, value in given.items() if key not in _GROUP_KEYS}
    if "type" not in given:
        return _node_type(own, where)
    if own:
        key = next(iter(own))
        raise PlatformError(f"{where}: says type and {key}; write {key} into [[node_type]]")
    name = str(given["type"])
    if name not in types:
        raise PlatformError(f"{where}: {UnknownNameError('node type', name, types)}")
    return types[name]


def _node_type(given: Mapping[str, Any], where: str) -> NodeType:
    _known(given, _TYPE_KEYS, where)
    power = build(NodePower, given.get("power", {}), f"{place_of(where, given)}: power")
    own = {key: value for key, value in given.items() if key != "power"}
    return build_section(NodeType, own, where, power=power)


def _known(given: Mapping[str, Any], keys: Collection[str], where: str) -> None:
    for key, called in _NOW_CALLED.items():
        if key in given:
            raise PlatformError(f"{where}: unknown key {key}; write {called}")
    reject_unknown_keys(given, keys, where)


def _plain_cluster(cluster: Cluster) -> dict[str, Any]:
    section: dict[str, Any] = {"name": cluster.name, "site": cluster.site}
    section["nodes"] = [_plain_group(each) for each in cluster.groups]
    for key, (field, _) in _LISTS.items():
        if getattr(cluster, field):
            section[key] = [plain_section(each) for each in getattr(cluster, field)]
    return section


def _plain_group(group: NodeGroup) -> dict[str, Any]:
    section = plain_section(group.type, ("power",)) | plain_section(group, ("type",))
    if group.type.power != NodePower():
        section["power"] = asdict(group.type.power)
    return section


def _sections(given: Mapping[str, Any], key: str, where: str) -> list[Mapping[str, Any]]:
    found = given.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise PlatformError(f"write {where} with double brackets, once for each")
    return found
