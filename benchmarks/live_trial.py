"""Put trials on real clusters together: ``python -m benchmarks.live_trial TRIAL.json ...``.

Each file is what ``schedlab live trial --json`` printed, beside the folder of its runs, which has
the same name. Trials of one policy on several workloads count as replicas of one trial. The twin
rehearses the jobs of every run without steering, as a prediction. Writes
docs/design/live-trial.json, and prints its tables.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from schedlab import __version__
from schedlab.cli.accounting import sacct_records
from schedlab.live.guards import Guards
from schedlab.live.rehearsal import rehearse
from schedlab.live.slurm.peer import default_clamp
from schedlab.live.trial import TrialRun, effects_of
from schedlab.policies import find_policy
from schedlab.slurm.dump.importing import import_dump
from schedlab.slurm.replay import phases_of, replay_all
from schedlab.slurm.what_if import compare_replays

FIGURES = Path(__file__).parents[1] / "docs" / "design" / "live-trial.json"
PHASES = 8
TITLES = {
    "mean_wait_s": "mean wait, s",
    "median_wait_s": "median wait, s",
    "p95_wait_s": "95th percentile of waits, s",
    "longest_wait_s": "longest wait, s",
    "mean_slowdown": "mean bounded slowdown",
    "makespan_s": "makespan, s",
    "requests": "requests to slurmctld",
    "requests_s": "time slurmctld took for them, s",
}


def rehearsed(folder: Path, policy: str, every_s: float) -> float:
    """Return the change of the mean wait that the twin expects, from a run without steering."""
    site, _ = import_dump(folder, sacct_records)
    drawn = phases_of(site, PHASES)
    guards = Guards(default_clamp(site))
    chosen = find_policy(policy)
    steered = [rehearse(site, chosen, guards, each, every_s).replay for each in drawn]
    return compare_replays(site, replay_all(site, drawn), steered).rows[0].difference


def joined(paths: list[Path]) -> Iterator[dict[str, Any]]:
    """Yield one trial for each policy."""
    by_policy: Mapping[str, list[Path]] = defaultdict(list)
    for path in paths:
        by_policy[json.loads(path.read_text())["policy"]].append(path)
    for policy, own in by_policy.items():
        runs: list[TrialRun] = []
        wishes: list[float] = []
        rehearsals: list[float] = []
        for path in own:
            told = json.loads(path.read_text())
            first = max((run.replica for run in runs), default=0)
            for row in told["runs"]:
                run = TrialRun(**row)
                if run.arm == "off":
                    folder = path.with_suffix("") / f"run-{run.replica:02d}-off"
                    rehearsals.append(rehearsed(folder, policy, told["every_s"]))
                runs.append(replace(run, replica=first + run.replica))
            wishes += told["predicted"]["by_shadow"]
        yield {
            "policy": policy,
            "workloads": len(own),
            "jobs": [json.loads(path.read_text())["jobs"] for path in own],
            "every_s": json.loads(own[0].read_text())["every_s"],
            "effects": [asdict(each) for each in effects_of(runs)],
            "predicted": {
                "by_wishes_of_shadows": wishes,
                "by_rehearsals": rehearsals,
                "phases": PHASES,
            },
            "lost": sum(run.lost for run in runs),
            "refused": _refused(own),
            "changes": float(np.mean([run.changes for run in runs if run.arm == "steer"])),
            "load": float(np.mean([run.load for run in runs])),
            "runs": [asdict(run) for run in runs],
        }


def _refused(paths: list[Path]) -> float:
    """Return the share of looks in which a guard forbade all changes."""
    files = [file for path in paths for file in path.with_suffix("").glob("*/steer.jsonl")]
    lines = [line for file in files for line in file.read_text().splitlines() if line[-1:] == "}"]
    steps = [step for step in map(json.loads, lines) if "advice" in step]
    return float(np.mean([bool(step["advice"]["refused"]) for step in steps]))


def table(document: Mapping[str, Any]) -> str:
    """Return all trials in Markdown."""
    parts = []
    for trial in document["trials"]:
        replicas = trial["effects"][0]["replicas"]
        title = f"### {trial['policy']}, {replicas} replicas on {trial['workloads']} workloads"
        parts += [title, "\n".join(_lines(trial)), _expected(trial)]
    return "\n\n".join(parts)


def _lines(trial: Mapping[str, Any]) -> Iterator[str]:
    effects = {(each["metric"], *each["arms"]): each for each in trial["effects"]}
    yield "| | off | shadow | steered | steered beside shadow | 95 % | less in |"
    yield "|---|---|---|---|---|---|---|"
    for metric, title in TITLES.items():
        of = effects[metric, "shadow", "steer"]
        off = effects[metric, "off", "steer"]["means"][0]
        low, high = of["interval"]
        yield (
            f"| {title} | {off:,.1f} | {of['means'][0]:,.1f} | {of['means'][1]:,.1f} | "
            f"{of['change']:+.1%} | {low:+.1%} to {high:+.1%} | {of['less']} of {of['replicas']} |"
        )


def _expected(trial: Mapping[str, Any]) -> str:
    """Return what the twin had predicted, in a sentence."""
    told = trial["predicted"]
    wishes, rehearsals = (
        float(np.mean(told[key])) for key in ("by_wishes_of_shadows", "by_rehearsals")
    )
    return (
        f"The twin predicted {wishes:+.1%} of the mean wait from the changes that shadow mode "
        f"noted, and {rehearsals:+.1%} in rehearsals of the runs without steering. "
        f"In {trial['refused']:.0%} of the looks a guard forbade all changes. "
        f"{trial['lost']} jobs were lost."
    )


def main() -> None:
    """Read the trials, put them together, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trials", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=FIGURES)
    given = parser.parse_args()
    trials = list(joined(given.trials))
    document = {"schedlab": __version__, "trials": trials}
    given.out.write_text(json.dumps(document, indent=1) + "\n")
    print(table(document))


if __name__ == "__main__":
    main()
