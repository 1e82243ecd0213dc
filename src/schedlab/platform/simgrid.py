"""A platform from a SimGrid file (XML) as Batsim takes it: equal hosts, whatever connects them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from schedlab.errors import InputError
from schedlab.platform.cluster import MAX_NODES
from schedlab.platform.platform import Platform
from schedlab.workload.readers.source import Source

_HOSTS = ("host", "cluster", "cabinet")
_CHANGES = "hosts whose speed or state changes are not supported"
_REFUSED = {
    "include": "parts in other files are not read",
    "peer": "a peer has its own speed and network; write it as a host",
    "trace_connect": _CHANGES,
}
_CHANGING = ("availability_file", "speed_file", "state_file")
_NOT_FOR_JOBS = ("master", "storage")
_PREFIXES = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6, "Z": 7, "Y": 8}
_SPEED = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*(?:([kMGTPEZY]?)(i?)f)?\s*")


@dataclass(frozen=True)
class _Element:
    """A host or several, with the place in the file."""

    source: Source
    tag: str
    attributes: dict[str, str]
    line: int
    properties: dict[str, str] = field(default_factory=dict)

    def error(self, reason: str) -> InputError:
        """Return an error that begins with file, line and element."""
        name = self.attributes.get("id", "without id")
        return InputError.at(self.source.path, self.line, f'{self.tag} "{name}": {reason}')

    def runs_jobs(self) -> bool:
        """Return whether the element has the role of a compute node, as is usual."""
        return self.properties.get("role", "") not in _NOT_FOR_JOBS

    def hosts(self, master_host: str) -> int:
        """Return the number of hosts without the master host."""
        if self.tag == "host":
            return int(self.attributes.get("id") != master_host)
        numbers = self._radical()
        prefix, suffix = (self.attributes.get(key, "") for key in ("prefix", "suffix"))
        return sum(f"{prefix}{number}{suffix}" != master_host for number in numbers)

    def speed(self) -> float:
        """Return flops per second in the initial power state."""
        texts = self.attributes.get("speed", "").split(",")
        state = self.attributes.get("pstate", "0")
        if not state.isdecimal() or int(state) >= len(texts):
            raise self.error(f"pstate is {state!r}; must be 0 to {len(texts) - 1}")
        found = _SPEED.fullmatch(texts[int(state)])
        if not found:
            raise self.error(f"speed is {texts[int(state)]!r}; must be like 1.5Gf")
        amount, prefix, binary = found.groups()
        return float(amount) * float(1024 if binary else 1000) ** _PREFIXES[prefix or ""]

    def cores(self) -> int:
        """Return cores of one host."""
        text = self.attributes.get("core", "1")
        if not text.isdecimal() or int(text) < 1:
            raise self.error(f"core is {text!r}; must be >= 1")
        return int(text)

    def _radical(self) -> list[int]:
        """Return the numbers in ``0-9,12``."""
        text = self.attributes.get("radical", "")
        ranges = [re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", word) for word in text.split(",")]
        ends = [(int(each[1]), int(each[2] or each[1])) for each in ranges if each]
        if len(ends) < len(ranges) or any(last < first for first, last in ends):
            raise self.error(f"radical is {text!r}; must be like 0-9,12")
        if sum(last - first + 1 for first, last in ends) > MAX_NODES:
            raise self.error(f"radical is {text!r}; at most {MAX_NODES:,} nodes are supported")
        return [number for first, last in ends for number in range(first, last + 1)]


def read_simgrid(source: Source, master_host: str) -> Platform:
    """Return one cluster of all hosts that can run jobs; they must be equal."""
    elements = [each for each in _elements(source) if each.runs_jobs() and each.hosts(master_host)]
    if not elements:
        raise InputError(f"{source.path}: has no hosts that run jobs")
    _require_equal(elements)
    nodes = sum(each.hosts(master_host) for each in elements)
    return Platform.homogeneous(nodes, name=source.stem, cores=elements[0].cores())


def _require_equal(elements: list[_Element]) -> None:
    first, speed, cores = elements[0], elements[0].speed(), elements[0].cores()
    for each in elements:
        for what, its, wanted in (("flop/s", each.speed(), speed), ("cores", each.cores(), cores)):
            if its != wanted:
                raise each.error(
                    f"has {its:g} {what}, but {first.tag} in line {first.line} has {wanted:g}; "
                    "the hosts of a platform must be equal"
                )


def _elements(source: Source) -> list[_Element]:
    """Return hosts and clusters of hosts, in the order of the file.

    Nothing that the file points to is loaded, and it may declare no entities.
    """
    parser, found = expat.ParserCreate(), _Found(source)
    parser.StartElementHandler = lambda tag, attributes: found.begin(
        tag, attributes, parser.CurrentLineNumber
    )
    parser.EndElementHandler = found.end
    parser.EntityDeclHandler = lambda *declared: found.refuse_entities(parser.CurrentLineNumber)
    try:
        parser.Parse(source.text, True)
    except expat.ExpatError as error:
        reason = f"not XML: {expat.ErrorString(error.code)}"
        raise InputError.at(source.path, error.lineno, reason) from None
    return found.elements


class _Found:
    """What the parser has met so far."""

    def __init__(self, source: Source) -> None:
        self.elements: list[_Element] = []
        self._source = source
        self._open: list[str] = []

    def begin(self, tag: str, attributes: dict[str, str], line: int) -> None:
        element = _Element(self._source, tag, attributes, line)
        for reason in self._objections(tag, attributes):
            raise element.error(reason)
        if tag in _HOSTS:
            self.elements.append(element)
        elif tag == "prop" and self._open[-1] in _HOSTS:
            self.elements[-1].properties[attributes.get("id", "")] = attributes.get("value", "")
        self._open.append(tag)

    def end(self, tag: str) -> None:
        self._open.pop()

    def refuse_entities(self, line: int) -> None:
        raise InputError.at(self._source.path, line, "declares an entity, which is not supported")

    def _objections(self, tag: str, attributes: dict[str, str]) -> Iterator[str]:
        if not self._open and tag != "platform":
            yield "the file is no platform of SimGrid, which begins with <platform>"
        if tag in _REFUSED:
            yield _REFUSED[tag]
        if tag in _HOSTS and any(key in attributes for key in _CHANGING):
            yield _CHANGES
