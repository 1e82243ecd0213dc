"""Clusters: their nodes, and what is measured on them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic_core import to_json
from starlette.responses import Response

from schedlab.history.schema.job import SCHEMA_VERSION
from schedlab.history.site import Site
from schedlab.history.web.api.answers import as_json, refusals
from schedlab.history.web.api.formats import MEDIA_TYPES, Format
from schedlab.history.web.parameters import CurrentAsking
from schedlab.history.web.queries.search import clusters_of_jobs
from schedlab.history.web.queries.shown import Shown
from schedlab.platform import Cluster, NodeGroup
from schedlab.platform.hostlist import fold_hosts

_SYSTEM = {"$ref": "#/components/schemas/SystemDocument"}

router = APIRouter(prefix="/v1", tags=["clusters"])


@router.get(
    "/clusters",
    response_class=Response,
    responses={200: as_json(_SYSTEM, "The system document."), **refusals()},
)
def get_clusters(asking: CurrentAsking) -> Response:
    """Return the clusters of the site as a system document, with the items measured on each.

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


def _cluster(site: Site, cluster: Cluster, shown: Shown) -> dict[str, Any]:
    return {
        "name": cluster.name,
        "time_zone": site.about.time_zone,
        "items": sorted(site.sensor_items(cluster.name)),
        "node_groups": [_nodes(each, shown) for each in cluster.groups],
    }


def _nodes(nodes: NodeGroup, shown: Shown) -> dict[str, Any]:
    hosts, kind = nodes.names(), nodes.type
    names = [shown.name("node", host) or f"host-{at}" for at, host in enumerate(hosts)]
    names = names or [f"host-{at}" for at in range(nodes.nodes)]
    group: dict[str, Any] = {"nodes": fold_hosts(names), "num_host": nodes.nodes}
    if kind.cores is not None:
        group["num_cpu"] = kind.cores
    if kind.memory_bytes is not None:
        group["mem_bytes"] = kind.memory_bytes
    if kind.gpu_count:
        memory = {} if kind.gpu_memory_bytes is None else {"mem_bytes": kind.gpu_memory_bytes}
        group["accelerator"] = [
            {"type": gpu, "num_perhost": count, **memory} for gpu, count in kind.gpus.items()
        ]
    return group
