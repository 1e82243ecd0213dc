"""schedlab live trial."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, confirm

from schedlab.cli.console import AsJson, new_table, out, print_json, print_notes
from schedlab.cli.live.options import Clamp, Conf, Every, Forks, Policy, period_s
from schedlab.cli.slurm.fidelity import Phases, Seed
from schedlab.cli.slurm.replay import Jobs, Skip

if TYPE_CHECKING:
    from schedlab.live.trial import LiveTrial, TrialEffect

EXAMPLES = (
    "schedlab live trial jobs.swf --site mysite --policy saf --replicas 10 --out trial-saf",
    "schedlab live trial mysite --site mysite --policy f1 --jobs 99 --arms off,steer --out t",
)


def trial(
    workload: Annotated[
        Path, Argument(metavar="WORKLOAD", help="A site folder with a history, or a workload file.")
    ],
    site: Annotated[
        Path, Option(metavar="SITE", help="The site folder of the cluster: schedlab slurm import.")
    ],
    policy: Policy,
    output: Annotated[Path, Option("--out", metavar="FOLDER", help="Folder for the runs.")],
    replicas: Annotated[
        int, Option(metavar="N", min=1, max=1000, help="Number of runs of each arm.")
    ] = 10,
    arms: Annotated[
        str,
        Option(metavar="A,A,...", help="Two or three of: off, shadow (looks only), steer."),
    ] = "off,shadow,steer",
    skip: Skip = 0,
    jobs: Jobs = None,
    conf: Conf = None,
    every: Every = "10s",
    forks: Forks = 5,
    clamp: Clamp = None,
    phases: Phases = 8,
    seed: Seed = 0,
    yes: Annotated[bool, Option("--yes", help="Submit without asking.")] = False,
    json: AsJson = False,
) -> None:
    """Try a steering policy on a real Slurm: the same jobs with and without it, in random order.

    This is for test clusters: the jobs sleep, and nothing else may run. A shadow looks as steering
    does and changes nothing, so that only the changed priorities differ. The result also shows what
    the twin predicts from the changes that the shadows logged. An interrupted trial continues
    where it stopped.
    """
    from schedlab.cli.progress import progress
    from schedlab.cli.slurm.replay import submissions
    from schedlab.errors import InputError
    from schedlab.live.trial import ARMS, LiveTrial, effects_of
    from schedlab.slurm.real_slurm import RealSlurm

    every_s = period_s(every)
    if not site.is_dir():
        raise InputError(f"{site}: no such folder")
    chosen = arms.split(",")
    if len(chosen) < 2 or len({*chosen} & {*ARMS}) < len(chosen):
        raise InputError(f"--arms {arms}: expected two or three of {', '.join(ARMS)}")
    options = ["--forks", str(forks), "--seed", str(seed)]
    options += ["--clamp", str(clamp)] if clamp is not None else []
    made = LiveTrial(
        slurm=RealSlurm.find(conf),
        submissions=submissions(workload, skip, jobs),
        site=site,
        folder=output,
        policy=policy,
        every_s=every_s,
        replicas=replicas,
        arms=chosen,
        seed=seed,
        options=options,
    )
    left = len(chosen) * replicas - len(made.runs())
    question = f"Run {len(made.submissions):,} sleeping jobs {left:,} times on this cluster?"
    if left > 0 and not yes and not confirm(question, err=True):
        print_notes(["nothing was submitted"], to_stderr=True)
        return
    with progress("trial") as report:
        made.go(report)
    effects = effects_of(made.runs())
    predicted = _predicted(made, phases, seed)
    if json:
        print_json(
            {
                "policy": policy,
                "every_s": every_s,
                "seed": seed,
                "jobs": len(made.submissions),
                "effects": [asdict(each) for each in effects],
                "predicted": predicted,
                "runs": [asdict(each) for each in made.runs()],
            }
        )
        return
    _show(policy, effects, predicted)


def _predicted(trial: LiveTrial, phases: int, seed: int) -> dict[str, Any]:
    """Return the change of the mean wait that the twin predicts from each shadow's changes."""
    import numpy as np

    from schedlab.cli.accounting import sacct_records
    from schedlab.live.ledger import read_ledger
    from schedlab.live.score import steered_site
    from schedlab.slurm.dump.importing import import_dump
    from schedlab.slurm.replay import phases_of, replay_all
    from schedlab.slurm.what_if import compare_replays

    found = []
    for run in trial.runs():
        log = trial.folder_of(run.replica, run.arm) / "shadow.log"
        if run.arm != "shadow" or not log.exists():
            continue
        site, _ = import_dump(log.parent, sacct_records)
        other, _ = steered_site(site, read_ledger(log))
        drawn = phases_of(site, phases, seed)
        rows = compare_replays(site, replay_all(site, drawn), replay_all(other, drawn)).rows
        found.append(rows[0].difference)
    mean = float(np.mean(found)) if found else None
    return {"mean_wait": mean, "by_shadow": found, "phases": phases}


def _show(policy: str, effects: list[TrialEffect], predicted: dict[str, Any]) -> None:
    table = new_table("metric", "from", "", "to", "", "change", "95 %", "less in")
    for each in effects:
        interval = each.interval
        table.add_row(
            each.metric.removesuffix("_s").replace("_", " "),
            each.arms[0],
            f"{each.means[0]:,.1f}",
            each.arms[1].replace("steer", policy),
            f"{each.means[1]:,.1f}",
            f"{each.change:+.1%}",
            "–" if interval is None else f"{interval[0]:+.1%} to {interval[1]:+.1%}",
            f"{each.less} of {each.replicas}",
        )
    out().print(table)
    notes = ["times in s; requests: what slurmctld served, and how long it took for them"]
    if predicted["mean_wait"] is not None:
        notes.append(
            f"predicted by the twin from the changes of {len(predicted['by_shadow'])} shadows: "
            f"mean wait {predicted['mean_wait']:+.1%}"
        )
    print_notes(notes, to_stderr=False)
