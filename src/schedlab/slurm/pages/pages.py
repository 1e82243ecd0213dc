"""write_fidelity(), write_what_if() and write_proposal(): the pages from their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.atomic import replacing
from schedlab.slurm.fidelity import Fidelity
from schedlab.slurm.pages.facts import clock_of, facts_of, moment_of
from schedlab.slurm.pages.tables import (
    between,
    change_table,
    extremes,
    fidelity_table,
    guard_table,
    what_if_table,
)
from schedlab.slurm.periods import periods_of
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.what_if import WhatIf
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
) -> None:
    """Write one HTML file that sets the twin beside what happened.

    Args:
        site: that was replayed.
        found: the comparison.
        path: of the file.
        replays: how it was replayed: the number of phases, the seed and the like.
        not_replayed: what the site has and the twin does not do, a sentence each.
    """
    from schedlab.slurm.pages.figures import error_figure, over_time_figure, waits_figure

    require_bokeh()
    over_time, period = over_time_figure(found.waits, clock_of(site))
    figures = {
        "errors": error_figure(found.waits),
        "waits": waits_figure(found.waits),
        "over_time": over_time,
    }
    told = moment_of(site)
    _write(
        path,
        "fidelity.html",
        figures,
        title=f"{site.parameters.cluster_name}: the twin beside the real Slurm",
        found=found,
        every=found.rows[0],
        extremes=extremes,
        period=period,
        table=fidelity_table(found.rows),
        departures=_sentences([each.sentence(told) for each in found.departures]),
        not_replayed=_not_replayed(not_replayed),
        facts=facts_of(site, replays),
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
        site: as it is.
        found: the comparison.
        path: of the file.
        changes: what was changed, in words.
        replays: how it was replayed: the number of phases, the seed and the like.
        not_replayed: what the site has and the twin does not do, a sentence each.
    """
    require_bokeh()
    figures, period = _compared_figures(site, found)
    _write(
        path,
        "what_if.html",
        figures,
        title=f"{site.parameters.cluster_name}: what if",
        changes=changes,
        every=found.rows[0],
        between=between,
        unit=periods_of(site).unit,
        period=period,
        table=what_if_table(found.rows),
        not_replayed=_not_replayed(not_replayed),
        facts=facts_of(site, replays),
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
        site: as it is.
        found: what the search found.
        path: of the file.
        replays: how it was searched: generations, phases, seed and the like.
        not_replayed: what the site has and the twin does not do, a sentence each.
    """
    require_bokeh()
    figures, period = _compared_figures(site, WhatIf(found.rows, found.waits))
    name = "a proposal for slurm.conf" if found.is_better else "no change of slurm.conf"
    _write(
        path,
        "proposal.html",
        figures,
        title=f"{site.parameters.cluster_name}: {name}",
        found=found,
        verdict=_sentences([found.verdict])[0],
        between=between,
        period=period,
        changes=change_table(found),
        guards=guard_table(found),
        table=what_if_table(found.rows),
        losers=_sentences(found.losers),
        not_replayed=_not_replayed(not_replayed),
        facts=facts_of(site, replays),
    )


def _compared_figures(site: SlurmSite, found: WhatIf) -> tuple[dict[str, Any], str]:
    from schedlab.slurm.pages.figures import over_time_figure, waits_figure

    over_time, period = over_time_figure(found.waits, clock_of(site))
    return {"waits": waits_figure(found.waits), "over_time": over_time}, period


def _sentences(texts: Sequence[str]) -> list[str]:
    """The notes of a command as sentences: with a capital letter and a full stop."""
    return [f"{text[0].upper()}{text[1:].rstrip('.')}." for text in texts]


def _not_replayed(notes: Sequence[str]) -> list[str]:
    """The notes without what the heading says."""
    return [note.removeprefix("not replayed: ") for note in notes]


def _write(path: str | Path, template: str, figures: Mapping[str, Any], **parts: Any) -> None:
    page = render_page(template, figures, package=__package__, **parts)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
