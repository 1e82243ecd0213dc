"""A release: job records in a form that may be given away."""

from __future__ import annotations

import hmac
from base64 import b32encode
from collections import defaultdict
from datetime import timedelta
from typing import Any

from schedlab.history.pseudonyms.policy import PseudonymPolicy
from schedlab.history.schema.job import HostUse, JobRecord
from schedlab.history.schema.timeline import TimelineUri, parse_timeline_uri
from schedlab.history.schema.times import format_time, is_time, parse_time

Record = dict[str, Any]

_KINDS = {
    "user_identifier": "user",
    "accounting_group": "group",
    "job_name": "job_name",
    "application": "application",
    "tags": "tags",
    "comment": "other",
    "admin_comment": "other",
    "wait_reason": "other",  # it may name nodes
}
_SCHEMA = frozenset(JobRecord.model_fields)
_PART_TEXTS = frozenset({*HostUse.model_fields, "type", "index"})
_LENGTH = 12


class Release:
    """Turns records into those of one release: names by its policy, all times by one shift.

    A pseudonym is a keyed hash of release, kind and name. Within a release, a name always has the
    same pseudonym; in every other release it has another one. Without the key, guesses of names
    cannot be tested.

    Args:
        name: name of the release.
        key: the secret from which pseudonyms are made.
        policy: what becomes of each kind of name.
        shift_s: seconds that are added to all times.
    """

    def __init__(
        self, name: str, key: bytes, policy: PseudonymPolicy | None = None, *, shift_s: int = 0
    ) -> None:
        self.name = name
        self.policy = policy or PseudonymPolicy()
        self.hidden: dict[str, set[str]] = defaultdict(set)
        """The names, by kind, that have been replaced or left out so far."""
        self._key, self._shift = key, timedelta(seconds=shift_s)
        self._made: dict[tuple[str, str], str] = {}

    def pseudonym(self, kind: str, name: str) -> str:
        """Return the pseudonym of a name in this release."""
        made = self._made.get((kind, name))
        if made is None:
            message = "\0".join((self.name, kind, name)).encode()
            digest = b32encode(hmac.digest(self._key, message, "sha256")).decode().lower()
            made = self._made[kind, name] = f"{kind}-{digest[:_LENGTH]}"
        return made

    def apply(self, record: Record) -> Record:
        """Return the record as it is released."""
        released: Record = {}
        for item, value in record.items():
            if item == "per_host":
                released[item] = [self._host(host, at) for at, host in enumerate(value)]
            elif item in _KINDS:
                released[item] = self._treated(_KINDS[item], value)
            elif item.endswith("_time") and is_time(value):
                released[item] = self._time(value)
            elif item.endswith("_provenance"):
                released[item] = _without_reason(value)
            elif item in _SCHEMA:
                released[item] = value
            else:
                released[item] = self._beyond(value)
        return _without_dropped(released, record)

    def _host(self, host: Record, at: int) -> Record:
        node = str(host["node_id"])
        called = self._treated("node", node) or f"host-{at}"
        return {**self._part(host, called), "node_id": called}

    def _part(self, part: Record, node: str, device: str | None = None) -> Record:
        """Return a host, or a part of one, with its timelines renamed after its new name."""
        released: Record = {}
        for item, value in part.items():
            if item.endswith("_time") and is_time(value):
                released[item] = self._time(value)
            elif item == "uuid":
                released[item] = self._treated("node", value)
            elif item in ("accelerator", "storage"):
                several = isinstance(value, list)
                parts = [
                    self._part(each, node, str(at))
                    for at, each in enumerate(value if several else [value])
                ]
                released[item] = parts if several else parts[0]
            elif item.endswith("_provenance"):
                released[item] = _without_reason(value)
            elif isinstance(value, str) and "timelines/" in value:
                released[item] = self._uri(value, node, device)
            elif item in _PART_TEXTS or not isinstance(value, str):
                released[item] = value
            else:
                released[item] = self._beyond(value)
        return _without_dropped(released, part)

    def _treated(self, kind: str, value: Any) -> Any:
        if value is None or self.policy.keeps(kind):
            return value
        names = value if isinstance(value, list) else [value]
        self.hidden[kind].update(names)
        if getattr(self.policy, kind) == "drop":
            return None
        made = [self.pseudonym(kind, name) for name in names]
        return made if isinstance(value, list) else made[0]

    def _beyond(self, value: Any) -> Any:
        """Release an item that the schema does not know: numbers stay, texts may be names."""
        if isinstance(value, str):
            return self._treated("path" if value.startswith("/") else "other", value)
        if isinstance(value, dict):
            return {key: self._beyond(each) for key, each in value.items()}
        return [self._beyond(each) for each in value] if isinstance(value, list) else value

    def _time(self, text: str) -> str:
        return format_time(parse_time(text) + self._shift) if self._shift else text

    def _uri(self, uri: str, node: str, device: str | None) -> str:
        """Rename the place of a timeline; a device whose name is hidden gets its number."""
        old = parse_timeline_uri(uri)
        start, end = old.start + self._shift, old.end + self._shift
        if old.device is None or self.policy.keeps("node"):
            device = old.device
        return str(TimelineUri(old.cluster, old.jobid, node, old.item, start, end, device))


def _without_dropped(released: Record, given: Record) -> Record:
    """Leave out dropped items; what was null before stays, such as the limit of a job."""
    return {
        item: value for item, value in released.items() if value is not None or given[item] is None
    }


def _without_reason(provenance: Record) -> Record:
    """Leave out what a sensor said when it failed: it may name hosts and paths."""
    return {key: value for key, value in provenance.items() if key != "absent_reason"}
