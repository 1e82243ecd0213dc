"""What viewers are shown of jobs: those who may see them, everything; the public, a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json

from schedlab.errors import ParameterError
from schedlab.history.pseudonyms import Release
from schedlab.history.store.queries import JobQuery

Record = dict[str, Any]

# The attributes of a query that are names, and their kinds in the policy of a release.
_NAMES = {"users": "user", "groups": "group", "nodes": "node", "tags": "tags"}

_PEOPLE = ("user", "group")


@dataclass(frozen=True)
class Shown:
    """Turns what the store has into what a viewer is shown.

    Args:
        release: the release for the public; None for viewers who see jobs as they are.
    """

    release: Release | None = None

    def record(self, document: str) -> Record:
        """Return the record in a document of the store, as it is shown."""
        record: Record = from_json(document)
        return record if self.release is None else self.release.apply(record)

    def document(self, document: str) -> bytes:
        """Return the record in a document of the store as JSON, as it is shown."""
        if self.release is None:
            return document.encode()
        return to_json(self.record(document))

    def name(self, kind: str, name: str | None) -> str | None:
        """Return the name shown for a user, group or node; None if such names are left out."""
        if name is None or self.release is None or self.release.policy.keeps(kind):
            return name
        is_dropped = getattr(self.release.policy, kind) == "drop"
        return None if is_dropped else self.release.pseudonym(kind, name)

    def check(self, query: JobQuery) -> None:
        """Refuse to search by names that are hidden: a hit would show whose job it is."""
        for attribute, kind in _NAMES.items():
            if getattr(query, attribute) and self.hides(kind):
                raise ParameterError(f"{kind}: is hidden from the public; log in to ask by it")

    def group(self, by: str, name: str | None) -> str | None:
        """Return the name shown for a group of jobs, by one of the keys of stats."""
        return self.name(by, name) if by in _PEOPLE else name

    def check_grouping(self, by: str) -> None:
        """Refuse to group by names that are left out: it would tell the jobs of one from others."""
        if self.group(by, "any") is None:
            raise ParameterError(f"by: {by} is hidden from the public; log in to ask by it")

    def hides(self, kind: str) -> bool:
        """Return whether names of that kind are not shown as they are."""
        return self.release is not None and not self.release.policy.keeps(kind)
