"""What becomes of each kind of name in a release."""

from __future__ import annotations

from dataclasses import dataclass, fields

from schedlab.errors import UnknownNameError

TREATMENTS = ("keep", "pseudonym", "drop")


@dataclass(frozen=True, kw_only=True)
class PseudonymPolicy:
    """``keep``, ``pseudonym`` or ``drop`` for each kind of name.

    Args:
        user: ``user_identifier``.
        group: ``accounting_group``.
        node: names of nodes and devices; where they are dropped, a job's nodes are numbered.
        job_name: ``job_name``.
        application: ``application``.
        tags: ``tags``.
        path: texts that begin with ``/`` in items beyond the schema.
        other: all other texts in items beyond the schema, and comments.
    """

    user: str = "pseudonym"
    group: str = "pseudonym"
    node: str = "pseudonym"
    job_name: str = "drop"
    application: str = "keep"
    tags: str = "drop"
    path: str = "drop"
    other: str = "drop"

    def __post_init__(self) -> None:
        for each in fields(PseudonymPolicy):
            if getattr(self, each.name) not in TREATMENTS:
                raise UnknownNameError(f"{each.name}:", getattr(self, each.name), TREATMENTS)

    def keeps(self, kind: str) -> bool:
        """Return whether names of that kind stay as they are."""
        return bool(getattr(self, kind) == "keep")
