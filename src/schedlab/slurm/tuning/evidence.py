"""The files of a proposal: a diff of slurm.conf, and its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from schedlab.atomic import atomic_write
from schedlab.errors import OutputError
from schedlab.slurm.tuning.knobs import Knob
from schedlab.slurm.tuning.proposal import Proposal, TuneSettings
from schedlab.version import __version__

DIFF, PAGE, FIGURES, RECORD = "slurm.conf.diff", "proposal.md", "proposal.json", "search.json"


def evidence_folder(folder: Path) -> None:
    """Make the folder if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None


def write_evidence(
    folder: Path,
    found: Proposal,
    knobs: Sequence[Knob],
    settings: TuneSettings,
    not_replayed: Sequence[str],
) -> list[Path]:
    """Write the files, and return their paths; without a proposal there is no diff."""
    document = found.as_json() | {
        "knobs": [asdict(each) for each in knobs],
        "settings": asdict(settings),
        "not_replayed": list(not_replayed),
        "version": __version__,
    }
    texts = {PAGE: _page(found, not_replayed), FIGURES: json.dumps(document, indent=1) + "\n"}
    if found.is_better:
        texts[DIFF] = found.diff
    else:
        (folder / DIFF).unlink(missing_ok=True)
    for name, text in texts.items():
        with atomic_write(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def _page(found: Proposal, not_replayed: Iterable[str]) -> str:
    interval = ""
    if found.interval is not None:
        interval = f", 95 % interval {found.interval[0]:+.1%} to {found.interval[1]:+.1%}"
    lines = [
        "# A proposal for slurm.conf" if found.is_better else "# No change of slurm.conf",
        "",
        f"{found.verdict[0].upper()}{found.verdict[1:]}.",
        "",
        f"- Metric: {found.metric}, {found.before:,.1f} now and {found.after:,.1f} as searched "
        f"({found.difference:+.1%}{interval}).",
        f"- Searched on the first {found.learned} {found.unit}s of the history "
        f"({found.settings_tried} settings, {found.gain_learned:+.1%} there), tested on the other "
        f"{found.tested}, under other phases of slurmctld's loops.",
        *(
            f"- Guard {each.guard}: {each.present:,.1f} now, {each.proposed:,.1f} as searched, "
            f"bound {each.bound:,.1f}: {'held' if each.holds else 'broken'}."
            for each in found.guards
        ),
        *(f"- Waits longer: {each}." for each in found.losers),
        *(f"- {each[0].upper()}{each[1:]}." for each in not_replayed),
    ]
    if found.changes:
        lines += ["", "| parameter | now | searched |", "|---|---|---|"]
        lines += [
            f"| {name} | {found.present[name]} | {value} |" for name, value in found.changes.items()
        ]
    lines += [
        "",
        "Mean waits on the periods of the test, in seconds:",
        "",
        "| jobs of | jobs | now | changed | difference |",
        "|---|---|---|---|---|",
        *(
            f"| {row.group} | {row.jobs:,} | {row.before_s.mean:,.0f} | {row.after_s.mean:,.0f} | "
            f"{row.difference:+.1%} |"
            for row in found.rows
        ),
    ]
    if found.is_better:
        lines += ["", "```diff", *found.diff.splitlines(), "```"]
    return "\n".join(lines) + "\n"
