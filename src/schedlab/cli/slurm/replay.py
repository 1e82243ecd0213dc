"""schedlab slurm replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option, confirm

from schedlab.cli.console import AsJson, err, print_json, print_notes

if TYPE_CHECKING:
    from schedlab.slurm.bench import RealRun, Submission

EXAMPLES = (
    "schedlab slurm replay mysite --jobs 250 --out run-1 --yes",
    "schedlab slurm replay trace.swf --conf /etc/slurm-test/slurm.conf --out run-2",
    "schedlab slurm import run-1 --out replayed",
)

Skip = Annotated[int, Option(metavar="N", min=0, help="Leave out the first N submissions.")]
Jobs = Annotated[
    int | None, Option(metavar="N", min=1, help="Only the first N of the rest. Default: all.")
]


def replay(
    workload: Annotated[
        Path, Argument(metavar="WORKLOAD", help="A site folder with a history, or a workload file.")
    ],
    output: Annotated[Path, Option("--out", metavar="FOLDER", help="Folder for the dump.")],
    conf: Annotated[
        Path | None,
        Option(metavar="FILE", help="The slurm.conf of the cluster. Default: as Slurm finds it."),
    ] = None,
    skip: Skip = 0,
    jobs: Jobs = None,
    sample: Annotated[
        float,
        Option(
            metavar="S",
            min=1,
            max=86400,
            help="Seconds between samples of sprio, squeue --start and sshare.",
        ),
    ] = 30.0,
    most: Annotated[
        float,
        Option(
            metavar="S",
            min=1,
            max=31_536_000,
            help="Seconds after which unfinished jobs are cancelled.",
        ),
    ] = 86400.0,
    yes: Annotated[bool, Option("--yes", help="Submit without asking.")] = False,
    json: AsJson = False,
) -> None:
    """Submit a workload to a real Slurm as sleeping jobs, at its times, and collect a dump.

    This is for test clusters: the jobs hold real nodes. Root submits each job as its own user,
    where that user exists. Ctrl-C cancels what was submitted.
    """
    from schedlab.cli.progress import progress
    from schedlab.slurm.bench import RealRun, RunSettings
    from schedlab.slurm.real_slurm import RealSlurm

    wanted = submissions(workload, skip, jobs)
    slurm = RealSlurm.find(conf)
    run = RealRun(slurm, wanted, output, RunSettings(sample, most))
    cluster = slurm.config.get("ClusterName", "?")
    count = sum(len(each.rows) for each in wanted)
    span_s = wanted[-1].at_s
    question = f"Submit {count:,} sleeping jobs to cluster {cluster} within {span_s:,.0f} s?"
    if not yes and not confirm(question, err=True):
        print_notes(["nothing was submitted"], to_stderr=True)
        return
    try:
        with progress(f"replaying on {cluster}") as report:
            run.go(report)
    except KeyboardInterrupt:
        note = f"interrupted: the {len(run.ids):,} jobs that were submitted are cancelled"
        err().print(note, style="dim", soft_wrap=True)
        raise
    if json:
        print_json(
            {
                "cluster": cluster,
                "jobs": len(run.lines),
                "refused": run.refused,
                "left": run.left,
                "late_s": run.late_s,
                "folder": str(output),
            }
        )
    print_notes(_notes(run, wanted, output), to_stderr=json)


def submissions(path: Path, skip: int, jobs: int | None) -> list[Submission]:
    """Return the jobs of a site folder or of a workload file, as calls of sbatch."""
    from schedlab.errors import InputError
    from schedlab.slurm import read_site
    from schedlab.slurm.bench import submissions_of
    from schedlab.slurm.replay import history_of
    from schedlab.workload.readers import read_workload

    if path.is_dir():
        history = history_of(read_site(path))
        found = submissions_of(history.workload, history)
    else:
        found = submissions_of(read_workload(path))
    chosen = found[skip:][:jobs]
    if not chosen:
        raise InputError(f"{path}: has {len(found):,} jobs, expected more than {skip:,}")
    return [replace(each, at_s=each.at_s - chosen[0].at_s) for each in chosen]


def _notes(run: RealRun, submissions: list[Submission], output: Path) -> list[str]:
    notes = [
        f"submitted: {len(run.lines):,} jobs, the latest {run.late_s:.1f} s after its time",
    ]
    strange = {each.user for each in submissions if each.user} - run.users
    if strange:
        some = ", ".join(sorted(strange)[:3])
        notes.append(
            f"{len(strange):,} users are not known here ({some}); their jobs ran as those of the "
            "user who ran this"
        )
    if run.refused:
        notes.append(f"{len(run.refused):,} jobs were refused; the first: {run.refused[0]}")
    if run.left:
        notes.append(f"{len(run.left):,} jobs had not ended and were cancelled; see left.txt")
    return [*notes, f"written: {output}; go on with: schedlab slurm import {output} --out SITE"]
