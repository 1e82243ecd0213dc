"""Names with numbers, as jobs ask for them: ``north:4+south:2``."""

from __future__ import annotations

from schedlab.errors import WorkloadError
from schedlab.units import parse_whole


def parse_counts(text: str, column: str, kind: str, allowed: str) -> dict[str, int]:
    """Return the numbers by name, each at least 1.

    The other arguments are for the message of an error.
    """
    counts: dict[str, int] = {}
    for part in text.split("+"):
        name, _, number = part.partition(":")
        name, count = name.strip(), parse_whole(number, 1)
        if not name or count is None:
            raise WorkloadError(f'{column} is "{text}"; must be {allowed}')
        if name in counts:
            raise WorkloadError(f'{column} is "{text}": {kind} "{name}" comes twice')
        counts[name] = count
    return counts


def parse_resources(text: str) -> dict[str, int]:
    """Return what a job asks for on each node, beside cores, memory and GPUs: ``fpga:1+nvme:2``."""
    allowed = "resources with their numbers, such as fpga:1+nvme:2"
    return parse_counts(text, "resources", "resource", allowed)


def parse_licences(text: str) -> dict[str, int]:
    """Return what a job holds of the site's consumables: ``matlab:2+ansys:1``."""
    allowed = "licences with their numbers, such as matlab:2+ansys:1"
    return parse_counts(text, "licences", "licence", allowed)
