"""Past use of users at the start of a history, computed from what ``sshare`` shows at its end."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from schedlab.errors import InputError
from schedlab.slurm.dump.findings import ImportReport
from schedlab.slurm.dump.shown import read_table
from schedlab.slurm.plain.fair_share import LN_2
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.use import Owner, decay_rate, last_moment, use_of_jobs

MOST_HALF_LIVES = 6
"""After this number of half lives 1.6 % of a use is left, too little to compute it back."""


def with_usage(site: SlurmSite, path: Path, report: ImportReport) -> SlurmSite:
    """Return the site with what its users had used before the history begins.

    The use by jobs of the history is subtracted from the use at its end. The rest is scaled up by
    what has decayed since the history begins.
    """
    if site.history is None or not len(site.history.details):
        return site
    begin_s, end_s = site.history.begin_s, last_moment(site)
    rate = decay_rate(site)
    if rate * (end_s - begin_s) > MOST_HALF_LIVES * LN_2:
        report.note(
            f"{path.name}: the history is longer than {MOST_HALF_LIVES} half lives of fair share; "
            "what users had used before it is forgotten at its end, and not known."
        )
        return site
    left = _read(path)
    for owner, used in use_of_jobs(site, begin_s, end_s).items():
        left[owner] = left.get(owner, 0.0) - used
    grown = math.exp(rate * (end_s - begin_s))
    associations = tuple(
        replace(each, usage=max(0.0, left.get((each.account, each.user), 0.0) * grown))
        if each.user is not None
        else each
        for each in site.accounts.associations
    )
    return replace(site, accounts=replace(site.accounts, associations=associations))


def _read(path: Path) -> dict[Owner, float]:
    found: dict[Owner, float] = {}
    for where, row in read_table(path, "account", "user", "rawusage"):
        try:
            used = float(row["rawusage"] or 0)
        except ValueError:
            used = -1.0
        if not 0 <= used < math.inf:
            raise InputError(f"{where}: RawUsage is {row['rawusage']!r}; must be a number from 0")
        if row["user"].strip():
            found[row["account"].strip(), row["user"].strip()] = used
    return found
