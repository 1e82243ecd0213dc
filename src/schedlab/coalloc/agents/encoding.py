"""Messages as bytes: a header in JSON, and the cells of a UTIL message as they are in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from schedlab._core import Combine
from schedlab.coalloc.agents.message import Answer, Message, Resend, Share, Util, Value
from schedlab.coalloc.network import Variable
from schedlab.coalloc.node import JobNode, UtilMessage
from schedlab.errors import PeerError

COMBINE = {"sum": Combine.SUM, "worst": Combine.WORST}
CELLS = {"<f4": np.float32, "<f8": np.float64}
Header = Mapping[str, Any]

_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class Hello:
    """The first message on a connection: the sender and the session."""

    session: str
    sender: int
    receiver: int
    beat_s: float


@dataclass(frozen=True)
class Meet:
    """Where the agents listen."""

    addresses: Mapping[int, str]


@dataclass(frozen=True)
class Beat:
    """A sign of life."""

    busy: bool


Wired = Message | Hello | Meet | Beat


def encode(message: Wired) -> tuple[bytes, bytes]:
    """Return the header and the payload of a message."""
    payload = b""
    if isinstance(message, Util):
        payload = np.ascontiguousarray(message.content.table).tobytes()
    kind = type(message)
    header = {"kind": kind.__name__.lower(), **_HEADERS.get(kind, vars)(message)}
    return json.dumps(header, allow_nan=False, separators=(",", ":")).encode(), payload


def decode(header: bytes, payload: bytes) -> Wired:
    """Return the message in these bytes; PeerError if there is none."""
    try:
        fields = json.loads(header)
        return _READERS[fields.pop("kind")](fields, payload)
    except _MALFORMED as error:
        raise PeerError(f"an agent sent an invalid message: {error!r}") from None


def _share_header(share: Share) -> Header:
    return {
        "epoch": share.epoch,
        "threads": share.threads,
        "children": _pairs(share.children),
        "owners": _pairs(share.owners),
        "nodes": [_node_header(node) for node in share.nodes.values()],
    }


def _node_header(node: JobNode) -> Header:
    return {
        "job": node.job,
        "own": _variable_header(node.own),
        "utility": node.utility.tolist(),
        "cells": node.utility.dtype.str,
        "separator": [[job, _variable_header(each)] for job, each in node.separator.items()],
        "linked": sorted(node.linked),
        "combine": next(name for name, each in COMBINE.items() if each is node.combine),
    }


def _variable_header(variable: Variable) -> Header:
    return {"starts": variable.starts.tolist(), "slots": variable.slots}


def _util_header(util: Util) -> Header:
    table = util.content.table
    return {
        "epoch": util.epoch,
        "job": util.job,
        "separator": util.content.separator,
        "shape": table.shape,
        "cells": table.dtype.str,
    }


def _value_header(value: Value) -> Header:
    return {"epoch": value.epoch, "job": value.job, "values": _pairs(value.values)}


def _answer_header(answer: Answer) -> Header:
    utilities, values = _pairs(answer.utilities), _pairs(answer.values)
    return {**vars(answer), "utilities": utilities, "values": values}


def _pairs(mapping: Mapping[int, Any]) -> list[tuple[int, Any]]:
    """Return the pairs of a mapping: keys of JSON objects can only be strings."""
    return list(mapping.items())


_HEADERS: dict[type[Wired], Callable[[Any], Header]] = {
    Share: _share_header,
    Util: _util_header,
    Value: _value_header,
    Answer: _answer_header,
    Meet: lambda meet: {"addresses": _pairs(meet.addresses)},
}


def _read_share(fields: Header, _: bytes) -> Share:
    children = {job: tuple(below) for job, below in fields["children"]}
    nodes = {each["job"]: _read_node(each) for each in fields["nodes"]}
    return Share(fields["epoch"], nodes, children, dict(fields["owners"]), fields["threads"])


def _read_node(fields: Header) -> JobNode:
    return JobNode(
        fields["job"],
        _read_variable(fields["own"]),
        np.array(fields["utility"], dtype=CELLS[fields["cells"]]),
        {job: _read_variable(each) for job, each in fields["separator"]},
        frozenset(fields["linked"]),
        COMBINE[fields["combine"]],
    )


def _read_variable(fields: Header) -> Variable:
    return Variable(np.array(fields["starts"], dtype=np.int32), fields["slots"])


def _read_util(fields: Header, payload: bytes) -> Util:
    table = np.frombuffer(payload, dtype=CELLS[fields["cells"]]).reshape(fields["shape"])
    content = UtilMessage(tuple(fields["separator"]), table)
    return Util(fields["epoch"], fields["job"], content)


def _read_value(fields: Header, _: bytes) -> Value:
    return Value(fields["epoch"], fields["job"], dict(fields["values"]))


def _read_answer(fields: Header, _: bytes) -> Answer:
    maps = {name: dict(fields[name]) for name in ("utilities", "values")}
    return Answer(**{**fields, **maps})


_READERS: dict[str, Callable[[Any, bytes], Wired]] = {
    "share": _read_share,
    "util": _read_util,
    "value": _read_value,
    "answer": _read_answer,
    "resend": lambda fields, _: Resend(**fields),
    "hello": lambda fields, _: Hello(**fields),
    "meet": lambda fields, _: Meet(dict(fields["addresses"])),
    "beat": lambda fields, _: Beat(**fields),
}
