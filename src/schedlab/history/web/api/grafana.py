"""Routes for Grafana's data source "JSON" (simpod-json-datasource); the protocol is not ours."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from schedlab.errors import UnknownNameError
from schedlab.history.web.current import NamedViewer
from schedlab.history.web.grafana.metrics import METRICS, Frame, GrafanaTarget, described, options
from schedlab.history.web.grafana.request import FILTERS, Query, Text
from schedlab.history.web.service import CurrentService

router = APIRouter(prefix="/grafana", include_in_schema=False)


class ChoiceRequest(BaseModel):
    """A request for the choices of a payload, a filter or a variable."""

    name: Text = ""
    key: Text = ""
    payload: dict[str, Any] | str | None = None

    @property
    def chosen(self) -> str:
        """The name of the payload, of the filter, or what a variable asks for."""
        if isinstance(self.payload, dict):
            asked = str(self.payload.get("target") or "")
        else:
            asked = self.payload or ""
        return self.name or self.key or asked


@router.get("")
@router.get("/")
def test_connection(viewer: NamedViewer) -> dict[str, str]:
    """Say that the data source can be used."""
    return {"status": "ok"}


@router.post("/metrics")
def list_metrics(viewer: NamedViewer) -> list[dict[str, Any]]:
    """Return what can be drawn, for the editor of a panel."""
    return described()


@router.post("/metric-payload-options")
def payload_options(
    service: CurrentService, viewer: NamedViewer, wanted: ChoiceRequest
) -> list[dict[str, str]]:
    """Return the choices for a payload."""
    return [{"label": each, "value": each} for each in options(service, viewer, wanted.chosen)]


@router.post("/variable")
def variable(
    service: CurrentService, viewer: NamedViewer, wanted: ChoiceRequest
) -> list[dict[str, str]]:
    """Return the values of a variable of a dashboard."""
    return [{"__text": each, "__value": each} for each in options(service, viewer, wanted.chosen)]


@router.post("/tag-keys")
def tag_keys(viewer: NamedViewer) -> list[dict[str, str]]:
    """Return the keys of ad hoc filters."""
    return [{"type": "string", "text": name} for name in FILTERS]


@router.post("/tag-values")
def tag_values(
    service: CurrentService, viewer: NamedViewer, wanted: ChoiceRequest
) -> list[dict[str, str]]:
    """Return the values that an ad hoc filter can choose."""
    return [{"text": each} for each in options(service, viewer, wanted.chosen)]


@router.post("/query")
def query_data(service: CurrentService, viewer: NamedViewer, query: Query) -> list[Frame]:
    """Return the series and tables that a panel draws."""
    frames: list[Frame] = []
    for target in query.targets:
        if target.hide or not target.name:
            continue
        if target.name not in METRICS:
            raise UnknownNameError("metric", target.name, METRICS)
        frames += METRICS[target.name].frames(GrafanaTarget(service, viewer, query, target))
    return frames
