"""write_fidelity(), write_what_if() and write_proposal(): the pages from their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.atomic import atomic_write
from schedlab.slurm.fidelity import Fidelity, FidelityRow
from schedlab.slurm.pages.facts import clock_of, facts_of, moment_of
from schedlab.slurm.pages.tables import (
    between,
    change_table,
    extremes,
    fidelity_table,
    guard_table,
    replica_table,
    what_if_table,
)
from schedlab.slurm.periods import periods_of
from schedlab.slurm.replicas import ReplicaRow
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.waits import JobWaits
from schedlab.slurm.what_if import WhatIf, WhatIfRow
from schedlab.viz.page import render_page, require_bokeh

if TYPE_CHECKING:
    from schedlab.slurm.tuning.proposal import Proposal


def write_fidelity(
    site: SlurmSite,
    found: Fidelity,
    path: str | Path,
    *,
    replays: Mapping[str, object],
    not_replayed: Sequence[str] = (),
    replicas: Sequence[ReplicaRow] = (),
) -> None:
    """Write one HTML file that compares the twin with what happened.

    Args:
        site: the site that was replayed.
        found: the comparison.
        path: path of the file.
        replays: how it was replayed: the number of phases, the seed and the like.
        not_replayed: what the site uses and the twin does not replay, a sentence each.
        replicas: other real runs of the same jobs.
    """
    require_bokeh()
    from schedlab.slurm.pages.figures import error_figure

    told = moment_of(site)
    _TwinPage(site, found.rows, found.waits, replays, not_replayed).write(
        path,
        "fidelity.html",
        "the twin beside the real Slurm",
        figures={"errors": error_figure(found.waits)},
        found=found,
        extremes=extremes,
        table=fidelity_table(found.rows),
        replicas=replica_table(found, replicas),
        departures=_sentences([each.sentence(told) for each in found.departures]),
    )


def write_what_if(
    site: SlurmSite,
    found: WhatIf,
    path: str | Path,
    *,
    changes: Sequence[str],
    replays: Mapping[str, object],
    not_replayed: Sequence[str] = (),
) -> None:
    """Write one HTML file that says what a change would have done.

    Args:
        site: the present site.
        found: the comparison.
        path: path of the file.
        changes: what was changed, in words.
        replays: how it was replayed: the number of phases, the seed and the like.
        not_replayed: what the site uses and the twin does not replay, a sentence each.
    """
    require_bokeh()
    _TwinPage(site, found.rows, found.waits, replays, not_replayed).write(
        path,
        "what_if.html",
        "what if",
        changes=changes,
        between=between,
        unit=periods_of(site).unit,
        table=what_if_table(found.rows),
    )


def write_proposal(
    site: SlurmSite,
    found: Proposal,
    path: str | Path,
    *,
    replays: Mapping[str, object],
    not_replayed: Sequence[str] = (),
) -> None:
    """Write one HTML file with a proposal for slurm.conf and its evidence.

    Args:
        site: the present site.
        found: the result of the search.
        path: path of the file.
        replays: how it was searched: generations, phases, seed and the like.
        not_replayed: what the site uses and the twin does not replay, a sentence each.
    """
    require_bokeh()
    name = "a proposal for slurm.conf" if found.is_better else "no change of slurm.conf"
    _TwinPage(site, found.rows, found.waits, replays, not_replayed).write(
        path,
        "proposal.html",
        name,
        found=found,
        verdict=_sentences([found.verdict])[0],
        between=between,
        changes=change_table(found),
        guards=guard_table(found),
        table=what_if_table(found.rows),
        losers=_sentences(found.losers),
    )


@dataclass(frozen=True)
class _TwinPage:
    """The parts that all pages have: waits as figures, what was not replayed, and the facts."""

    site: SlurmSite
    rows: Sequence[FidelityRow | WhatIfRow]
    waits: JobWaits
    replays: Mapping[str, object]
    not_replayed: Sequence[str]

    def write(
        self,
        path: str | Path,
        template: str,
        name: str,
        figures: Mapping[str, Any] | None = None,
        **parts: Any,
    ) -> None:
        """Write the page; ``figures`` and ``parts`` are its own."""
        from schedlab.slurm.pages.figures import over_time_figure, waits_figure

        over_time, period = over_time_figure(self.waits, clock_of(self.site))
        page = render_page(
            template,
            {**(figures or {}), "waits": waits_figure(self.waits), "over_time": over_time},
            package=__package__,
            title=f"{self.site.parameters.cluster_name}: {name}",
            every=self.rows[0],
            period=period,
            not_replayed=[each.removeprefix("not replayed: ") for each in self.not_replayed],
            facts=facts_of(self.site, self.replays),
            **parts,
        )
        with atomic_write(path) as temporary:
            temporary.write_text(page, encoding="utf-8")


def _sentences(texts: Sequence[str]) -> list[str]:
    """Return the notes of a command as sentences: with a capital letter and a full stop."""
    return [f"{text[0].upper()}{text[1:].rstrip('.')}." for text in texts]
