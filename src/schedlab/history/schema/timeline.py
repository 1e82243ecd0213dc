"""Timeline items: the URI of a series and, beside it, what was computed from it beforehand.

In JSON the item ``x`` stands as ``x`` (the URI), ``x_avg``, ``x_max``, ``x_min``, ``x_integral``
and ``x_provenance``; in Python all of it is one ``Timeline`` in the part's ``timelines``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from schedlab.errors import InputError
from schedlab.history.schema.times import format_time, parse_time

Scope = Literal["job", "device", "node", "site"]
Attribution = Literal["exclusive", "prorated-cpu", "prorated-gpu", "prorated-mem", "shared"]


def _shortest(number: float) -> float:
    return int(number) if number.is_integer() else number


Number = Annotated[
    float,
    Field(strict=True, allow_inf_nan=False),
    PlainSerializer(_shortest, return_type=Any, when_used="json-unless-none"),
]
"""A finite number, and never a text. Whole numbers are written without a decimal point."""


class Item(BaseModel):
    """A part of the record; unknown items are kept.

    It cannot be changed, so that records may share parts; ``model_copy`` makes a changed one.
    """

    model_config = ConfigDict(extra="allow", frozen=True)


class Provenance(Item):
    """Where the values of a timeline come from, and how far to trust them."""

    unit: str | None = None
    native_step_s: Annotated[Number, Field(gt=0)] | None = None
    coverage: Annotated[Number, Field(ge=0, le=1)] | None = None
    """The share of the expected samples that was seen."""
    scope: Scope | None = None
    attribution: Attribution | None = None
    source: str | None = None
    max_is_lower_bound: bool | None = None
    """The source kept only means, so that a peak may have been higher."""
    absent_reason: str | None = None
    """Why there are no values."""


class Timeline(BaseModel):
    """A series by its URI, its aggregates over the job, and its provenance."""

    model_config = ConfigDict(extra="forbid")

    uri: str | None = None
    avg: Number | None = None
    max: Number | None = None
    min: Number | None = None
    integral: Number | None = None
    provenance: Provenance | None = None


_SUFFIXES = ("avg", "max", "min", "integral", "provenance")
_PROVENANCE = "_provenance"


def flat_names(items: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the JSON names of the timeline items, each with item and field of ``Timeline``."""
    items = tuple(items)
    names = {item: (item, "uri") for item in items}
    return names | {f"{item}_{each}": (item, each) for item in items for each in _SUFFIXES}


class WithTimelines(Item):
    """A part of the record that has timeline items.

    The items in ``STANDARD`` are the schema's. Any other ``x`` is a timeline item too if
    ``x_provenance`` stands beside it; in this way sites add their own.
    """

    STANDARD: ClassVar[tuple[str, ...]] = ()
    FLAT: ClassVar[dict[str, tuple[str, str]]] = {}
    PLAIN: ClassVar[frozenset[str]] = frozenset()

    timelines: dict[str, Timeline] = Field(default_factory=dict)

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        """Set the JSON names of the standard timelines, and the names of all other items."""
        super().__pydantic_init_subclass__(**options)
        cls.FLAT = flat_names(cls.STANDARD)
        cls.PLAIN = frozenset(cls.model_fields)

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.keys() <= cls.PLAIN:
            return given
        own = [key.removesuffix(_PROVENANCE) for key in given if key.endswith(_PROVENANCE)]
        if own or not given.keys().isdisjoint(cls.FLAT):
            return _gathered(given, cls.FLAT | flat_names(own))
        return given

    @model_serializer(mode="wrap")
    def _flatten(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        for item, timeline in data.pop("timelines", {}).items():
            for field, value in timeline.items():
                data[item if field == "uri" else f"{item}_{field}"] = value
        return data

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the schema with each standard timeline under the names that it has in JSON."""
        schema = handler.resolve_ref_schema(handler(core))
        properties = schema["properties"]
        timeline = handler.resolve_ref_schema(properties.pop("timelines")["additionalProperties"])
        for name, (_, field) in cls.FLAT.items():
            properties[name] = timeline["properties"][field]
        return schema


def _gathered(given: dict[str, Any], flat: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    timelines: dict[str, Any] = dict(given.get("timelines", {}))
    kept = {}
    for key, value in given.items():
        if key in flat:
            item, field = flat[key]
            timelines.setdefault(item, {})[field] = value
        else:
            kept[key] = value
    return {**kept, "timelines": timelines}


@dataclass(frozen=True)
class TimelineUri:
    """The parts of a timeline's URI: whose series it is, of which item, and the time span."""

    cluster: str
    jobid: str
    host: str
    item: str
    start: datetime
    end: datetime
    device: str | None = None

    def __str__(self) -> str:
        parts = [self.cluster, self.jobid, self.host, self.item]
        if self.device is not None:
            parts.append(self.device)
        span = urlencode({"from": format_time(self.start), "to": format_time(self.end)})
        return "timelines/" + "/".join(quote(part, safe="") for part in parts) + "?" + span


def parse_timeline_uri(uri: str) -> TimelineUri:
    """Split ``[.../]timelines/CLUSTER/JOBID/HOST/ITEM[/DEVICE]?from=TIME&to=TIME``."""
    split = urlsplit(uri)
    _, found, tail = f"/{split.path}".rpartition("/timelines/")
    parts = [unquote(part) for part in tail.split("/")]
    options = parse_qs(split.query)
    if not found or len(parts) not in (4, 5) or not {"from", "to"} <= options.keys():
        raise InputError(
            f"{uri!r} is not a timeline; must look like "
            "timelines/CLUSTER/JOBID/HOST/ITEM[/DEVICE]?from=TIME&to=TIME"
        )
    try:
        start, end = (parse_time(options[key][0]) for key in ("from", "to"))
    except ValueError as error:
        raise InputError(f"{uri!r}: {error}") from None
    cluster, jobid, host, item, *device = parts
    return TimelineUri(cluster, jobid, host, item, start, end, device[0] if device else None)
