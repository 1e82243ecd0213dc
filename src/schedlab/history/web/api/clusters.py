"""Clusters: their nodes, and what is measured on them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.schema.job import SCHEMA_VERSION
from schedlab.history.site import ClusterSection, NodesSection, Site
from schedlab.history.web.api.answers import as_json, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.api.parameters import CurrentAsking
from schedlab.history.web.queries.clusters import clusters_of_jobs
from schedlab.history.web.queries.shown import Shown
from schedlab.platform.hostlist import expand_hosts, fold_hosts
from schedlab.units import parse_bytes

_SYSTEM = {"$ref": "#/components/schemas/SystemDocument"}

router = APIRouter(prefix="/v1", tags=["clusters"])


@router.get(
    "/clusters",
    response_class=Response,
    responses={200: as_json(_SYSTEM, "The system document."), **refusals()},
)
def get_clusters(asking: CurrentAsking) -> Response:
    """The clusters of the site as a system document, with the items that are measured on each.

    Without a site file, only the names that jobs have for their clusters are known.
    """
    site = asking.service.settings.site
    content: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    if site is not None:
        content["site"] = site.about.name
        content["clusters"] = [_cluster(site, each, asking.shown) for each in site.clusters]
    else:
        with asking.service.database.reading() as connection:
            names = clusters_of_jobs(connection, asking.viewer)
        content["clusters"] = [{"name": name} for name in names]
    return Response(to_json(content), media_type=MEDIA_TYPES[Format.JSON])


def _cluster(site: Site, cluster: ClusterSection, shown: Shown) -> dict[str, Any]:
    return {
        "name": cluster.name,
        "time_zone": site.about.time_zone,
        "items": sorted(site.sensor_items(cluster.name)),
        "node_groups": [_nodes(each, shown) for each in cluster.nodes],
    }


def _nodes(nodes: NodesSection, shown: Shown) -> dict[str, Any]:
    hosts = expand_hosts(nodes.hosts)
    names = [shown.name("node", host) or f"host-{at}" for at, host in enumerate(hosts)]
    group: dict[str, Any] = {"nodes": fold_hosts(names), "num_host": len(hosts)}
    if nodes.cpus is not None:
        group["num_cpu"] = nodes.cpus
    if nodes.memory is not None:
        group["mem_bytes"] = parse_bytes(nodes.memory)
    if nodes.accelerators:
        kind = {"type": nodes.accelerator_type or "gpu", "num_perhost": nodes.accelerators}
        if nodes.accelerator_memory is not None:
            kind["mem_bytes"] = parse_bytes(nodes.accelerator_memory)
        group["accelerator"] = [kind]
    return group
