"""What a job's submit command says that Slurm's accounting has no column for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from schedlab.history.ingest.records import SHARED_PARTS
from schedlab.workload.dependencies import KINDS

_VALUE = r"\s(?:-{short}\s*|--{long}[= ])[\"']?([^\s\"']+)"
_DEPENDENCY = re.compile(r"\s(?:-d\s*|--dependency[= ])[\"']?((?:after|expand|singleton)[^\s\"']*)")
_CONSTRAINT = re.compile(_VALUE.format(short="C", long="constraint"))
_LICENCES = re.compile(_VALUE.format(short="L", long="licenses"))
_LIMIT = re.compile(r"\s(?:-a\s*|--array[= ])[\"']?[\d,:-]+%(\d+)")
_EXCLUSIVE = re.compile(r"\s--exclusive(?:\s|$)")
_PER_CORE = re.compile(r"\s--mem-per-cpu[= ](\d+)([KMGT]?)", re.IGNORECASE)
_JOB_IDS = re.compile(r":(\d+(?:_\d+)?)(?:\+\d+)?")
_POWERS = {"K": 10, "": 20, "M": 20, "G": 30, "T": 40}


class SubmitCommand(NamedTuple):
    """What a submit command says about its jobs."""

    is_batch: bool
    mem_percpu_bytes: int | None
    """Memory for each core, if it was requested by core."""
    items: dict[str, Any]
    """The record items that the options give, and only those; must not be changed."""


@lru_cache(maxsize=SHARED_PARTS)
def submission_of(submit_line: str) -> SubmitCommand:
    """Return what the line says. Users submit many jobs with the same line."""
    options = submit_line.partition(" --wrap")[0]  # without what the job itself runs
    command = submit_line.split(None, 1)[:1] or [""]
    is_batch = command[0].rpartition("/")[2] == "sbatch"
    return SubmitCommand(is_batch, _memory_per_core(options), _items_of(options))


def _items_of(options: str) -> dict[str, Any]:
    items: dict[str, Any] = {}
    if "--exclusive" in options and _EXCLUSIVE.search(options):
        items["exclusive"] = True
    if "-d" in options and (found := _DEPENDENCY.search(options)):
        items |= _dependencies(found[1])
    if "-C" in options or "--constraint" in options:
        _add(items, "constraint", _CONSTRAINT.search(options))
    if "-L" in options or "--licenses" in options:
        _add(items, "licences", _LICENCES.search(options))
    if "%" in options and (limit := _LIMIT.search(options)):
        items["array_limit"] = int(limit[1])
    return items


def _memory_per_core(options: str) -> int | None:
    found = _PER_CORE.search(options) if "--mem-per-cpu" in options else None
    return int(found[1]) << _POWERS[found[2].upper()] if found else None


def _add(items: dict[str, Any], name: str, found: re.Match[str] | None) -> None:
    if found:
        items[name] = found[1]


def _dependencies(text: str) -> dict[str, Any]:
    """Return the jobs it waited for, and all conditions if these ask for more than their end."""
    items: dict[str, Any] = {}
    if jobs := _JOB_IDS.findall(text):
        items["dependency"] = jobs
    kinds = {part.partition(":")[0] for part in text.split(",")}
    if "?" not in text and kinds <= {*KINDS} and (kinds != {"afterany"} or "+" in text):
        items["dependencies"] = text
    return items
