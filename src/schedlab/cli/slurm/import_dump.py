"""schedlab slurm import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from schedlab.cli.accounting import sacct_records
from schedlab.cli.console import AsJson, print_json, print_notes

if TYPE_CHECKING:
    from schedlab.slurm import SlurmSite
    from schedlab.slurm.dump.findings import ImportReport

EXAMPLES = (
    "schedlab slurm import slurm-dump --out mysite",
    "schedlab slurm import slurm-dump --out mysite --slurm-version 24.11 --skip-unknown",
)


def import_dump(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="The dump: slurm.conf, sacct, ...")],
    out: Annotated[Path, Option("--out", metavar="SITE", help="The site folder to write.")],
    slurm_version: Annotated[
        str | None,
        Option(
            metavar="V",
            help="Slurm version whose defaults count, such as 24.11. Default: as in the dump.",
        ),
    ] = None,
    skip_unknown: Annotated[
        bool, Option("--skip-unknown", help="Skip jobs of partitions that are not described.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Make a site folder from a dump: machine, accounts, parameters and history.

    The folder's import.md says for every parameter that was read whether it is modelled, harmless
    or not modelled, and what that means.
    """
    from schedlab.slurm.dump.importing import import_dump as make

    if out.resolve() == folder.resolve():
        from schedlab.errors import ParameterError

        raise ParameterError(f"--out is {out}, the dump itself; write to another folder")
    site, report = make(folder, sacct_records, version=slurm_version, skip_unknown=skip_unknown)
    _write(site, report, out, folder)
    if json:
        print_json({"site": str(out), **_summary(site), **report.to_dict()})
    else:
        print_notes(_notes(site, report, out), to_stderr=False)


def import_folder(folder: Path, out: Path) -> None:
    """Make a site folder of a dump, for programs: jobs of unknown partitions are left out."""
    from schedlab.slurm.dump.importing import import_dump as make

    site, report = make(folder, sacct_records, skip_unknown=True)
    _write(site, report, out, folder)


def _write(site: SlurmSite, report: ImportReport, out: Path, folder: Path) -> None:
    import json

    from schedlab.atomic import atomic_write
    from schedlab.slurm import write_site

    write_site(site, out)
    with atomic_write(out / "import.md") as temporary:
        text = report.to_markdown(f"What became of {folder.name}")
        temporary.write_text(text, encoding="utf-8")
    with atomic_write(out / "import.json") as temporary:
        temporary.write_text(json.dumps(report.to_dict(), indent=1) + "\n", encoding="utf-8")


def _summary(site: SlurmSite) -> dict[str, int]:
    return {
        "nodes": site.machine.nodes,
        "partitions": len(site.partitions),
        "associations": len(site.accounts.associations),
        "qos": len(site.accounts.qos),
        "jobs": 0 if site.history is None else len(site.history.workload),
    }


def _notes(site: SlurmSite, report: ImportReport, out: Path) -> list[str]:
    had = ", ".join(f"{count:,} {name}" for name, count in _summary(site).items())
    counts = ", ".join(f"{count} {verdict}" for verdict, count in report.counts().items())
    return [
        f"{site.parameters.cluster_name}, Slurm {site.parameters.version}: {had}",
        *report.remarks,
        *(
            f"not modelled: {each.name}={each.value} ({each.where}): {each.meaning}"
            for each in report.findings
            if each.verdict == "not modelled"
        ),
        f"parameters: {counts}; see {out / 'import.md'}",
        f"written: {out}",
    ]
