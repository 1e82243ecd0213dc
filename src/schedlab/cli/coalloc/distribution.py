"""The options that let agents find the answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from schedlab.cli.console import new_table

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.coalloc import Solution, Solver


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Where to compute: in this process, or by agents that own the jobs."""

    agents: Annotated[
        int | None,
        Option(metavar="N", min=1, max=1024, help="Run dpop, wd or split by at most N agents."),
    ] = None
    transport: Annotated[
        str | None,
        Option(
            metavar="inprocess|tcp|ray",
            help="How agents communicate.",
            show_default="inprocess, where there are agents",
        ),
    ] = None
    owners: Annotated[
        str | None,
        Option(
            metavar="cluster|job",
            help="An agent owns the jobs of clusters, or single jobs.",
            show_default="cluster",
        ),
    ] = None
    at: Annotated[
        list[str] | None,
        Option(
            metavar="HOST:PORT",
            help="Address of a running coalloc agent; may be given several times.",
        ),
    ] = None
    if_lost: Annotated[
        str | None,
        Option(
            metavar="fail|drop|adopt",
            help="What happens to the jobs of a lost agent that cannot be replaced.",
            show_default="fail",
        ),
    ] = None
    privacy: Annotated[
        bool,
        Option("--privacy", help="Show what each agent learns about others' jobs."),
    ] = False

    @property
    def wanted(self) -> bool:
        """Whether to use agents: true if any of their options is given."""
        given = (self.agents, self.transport, self.owners, self.at, self.if_lost)
        return self.privacy or any(each is not None for each in given)

    @contextmanager
    def solver(self, text: str) -> Iterator[Solver | str]:
        """Yield the solver with this name, on agents if they are wanted."""
        from schedlab.coalloc import find_solver
        from schedlab.coalloc.agents import (
            OWNERS,
            Distributed,
            find_transport,
            require_message_passing,
        )
        from schedlab.errors import UnknownNameError

        made = find_solver(text)
        if not self.wanted:
            yield text
            return
        owners, at = self.owners or "cluster", self.at or []
        if owners not in OWNERS:
            raise UnknownNameError("kind of owner", owners, OWNERS)
        name = self.transport or ("tcp" if at else "inprocess")
        agents = self.agents or len(at) or None
        make = find_transport(name, at)
        with _connected(name):
            yield Distributed(
                require_message_passing(made), make, agents, owners, self.if_lost or "fail"
            )


@contextmanager
def _connected(transport: str) -> Iterator[None]:
    """Stay connected to Ray in the block, if Ray is the transport."""
    from importlib.util import find_spec

    if transport != "ray" or find_spec("ray") is None:
        yield
        return
    from schedlab.experiments.ray_connection import connected

    with connected(None):
        yield


def privacy_rows(found: Solution) -> list[dict[str, Any]]:
    """Return what each agent learnt, for JSON."""
    return [{**asdict(each), "share": each.share} for each in found.privacy]


def privacy_table(found: Solution) -> Table:
    """Return a table of what each agent learnt, also as a share of all that could be sent to it."""
    table = new_table(
        "agent",
        "own\njobs",
        "others'\nknown",
        "others'\nsummed",
        "others'\nunheard",
        "UTIL\ncells",
        "starts\nreceived",
        "bits,\nat most",
        "own bits\nrevealed",
    )
    for each in found.privacy:
        counts = (each.own_jobs, each.known, each.summed, each.unheard, each.cells, each.values)
        table.add_row(
            str(each.agent),
            *(f"{count:,}" for count in counts),
            f"{each.bits:,.0f} ({each.share:.0%})",
            f"{each.revealed:,.0f}/{each.own_bits:,.0f}",
        )
    return table
