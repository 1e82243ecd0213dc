"""The options that select jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from typer import Option

from schedlab.errors import ParameterError

if TYPE_CHECKING:
    from schedlab.history.store import JobQuery

_JOBS = "Which jobs"


@dataclass(frozen=True, kw_only=True)
class Choosing:
    """A selection of the jobs that match all given options."""

    user: Annotated[
        list[str], Option(metavar="NAME", help="Only jobs of this user.", rich_help_panel=_JOBS)
    ] = field(default_factory=list)
    group: Annotated[
        list[str], Option(metavar="NAME", help="Only jobs of this group.", rich_help_panel=_JOBS)
    ] = field(default_factory=list)
    node: Annotated[
        list[str],
        Option(metavar="NAME", help="Only jobs that used this node.", rich_help_panel=_JOBS),
    ] = field(default_factory=list)
    state: Annotated[
        list[str], Option(metavar="STATE", help="Only jobs in this state.", rich_help_panel=_JOBS)
    ] = field(default_factory=list)
    cluster: Annotated[
        list[str], Option(metavar="NAME", help="Only jobs of this cluster.", rich_help_panel=_JOBS)
    ] = field(default_factory=list)
    since: Annotated[
        str | None,
        Option(
            "--from",
            metavar="TIME",
            help="Jobs that ran then or later; 2026-01-05 or 2026-01-05T12:00+09:00, UTC "
            "without a zone.",
            rich_help_panel=_JOBS,
        ),
    ] = None
    until: Annotated[
        str | None,
        Option("--until", metavar="TIME", help="Jobs that started before.", rich_help_panel=_JOBS),
    ] = None
    limit: Annotated[
        int | None,
        Option(metavar="N", min=1, help="Only the first N submitted.", rich_help_panel=_JOBS),
    ] = None

    def query(self, jobids: tuple[str, ...] = (), *, most: int | None = None) -> JobQuery:
        """Return the query for the store, for at most ``most`` jobs unless --limit is given."""
        from schedlab.errors import UnknownNameError
        from schedlab.history.schema import JobState
        from schedlab.history.store import JobQuery

        for state in self.state:
            if state not in set(JobState):
                raise UnknownNameError("state", state, list(JobState))
        return JobQuery(
            jobids=jobids,
            clusters=tuple(self.cluster),
            users=tuple(self.user),
            groups=tuple(self.group),
            nodes=tuple(self.node),
            states=tuple(self.state),
            ran_from_s=epoch_s("--from", self.since),
            ran_to_s=epoch_s("--until", self.until),
            limit=self.limit or most,
        )


def epoch_s(option: str, text: str | None) -> int | None:
    """Return the moment that an option names, in UTC unless it names a zone."""
    if text is None:
        return None
    from schedlab.history.schema.times import parse_moment

    try:
        return int(parse_moment(text).timestamp())
    except ParameterError as error:
        raise ParameterError(f"{option} {error}") from None
