"""Results with better and worse predictions, to show how good predictions must be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.cli.console import cell, new_table, out, print_json, print_notes
from schedlab.cli.learn.explain.cells import percent, plain
from schedlab.cli.learn.explain.files import Files

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.rl.explain import Effort, PredictionOutcome
    from schedlab.rl.model_file import TrainedModel
    from schedlab.workload.episodes import Episodes


def by_error(
    model: TrainedModel,
    episodes: Episodes,
    effort: Effort,
    policies: Sequence[str] | None,
    files: Files,
    json: bool,
) -> None:
    """Let the model and the policies play with each predictor, and show their results."""
    from schedlab.cli.progress import progress
    from schedlab.rl.explain import by_prediction_error

    chosen: dict[str, Any] = {"policies": policies} if policies else {}
    with progress("playing") as report:
        found = by_prediction_error(model, episodes, effort, **chosen, progress=report)
    files.write_csv(found)
    if files.figure is not None:
        _draw(found, files.figure)
    if json:
        outcomes = [each.to_dict() for each in found]
        print_json({"outcomes": outcomes, "seed": effort.seed, "episodes": effort.episodes})
    else:
        for policy in dict.fromkeys(each.policy for each in found):
            out().print(_table(policy, found), "", sep="\n")
    unfinished = [each for each in found if each.share_started.mean < 1]
    notes = (
        f"{each.policy} with {each.predictor} started only "
        f"{100 * each.share_started.mean:.1f} % of the jobs"
        for each in unfinished
    )
    print_notes(notes, to_stderr=json)


def _draw(found: Sequence[PredictionOutcome], path: Path) -> None:
    """Draw the outcomes with the intervals of their differences to the truth, on the same jobs."""
    from schedlab.rl.explain.prediction_error import NOISE
    from schedlab.viz import ErrorPoint, draw_prediction_error, save_figure

    points = [
        ErrorPoint(
            each.policy,
            each.predictor,
            each.relative_error.mean,
            {
                "utilisation": each.utilisation.within(each.utilisation_change),
                "mean bounded slowdown": each.bounded_slowdown.within(each.bounded_slowdown_change),
            },
        )
        for each in found
    ]
    error = "mean absolute error / mean run time"
    save_figure(draw_prediction_error(points, NOISE, error=error), path)


def _table(policy: str, found: Sequence[PredictionOutcome]) -> Table:
    from schedlab.units import three_digits

    table = new_table(
        policy,
        "error",
        "rank",
        "utilisation,\n%",
        "to the\ntruth",
        "bounded\nslowdown",
        "to the\ntruth",
    )
    for each in (outcome for outcome in found if outcome.policy == policy):
        table.add_row(
            each.predictor,
            f"{100 * each.relative_error.mean:.0f} %",
            cell(each.rank_correlation.mean, "{:.2f}".format),
            f"{100 * each.utilisation.mean:.1f}",
            percent(each.utilisation_change),
            three_digits(each.bounded_slowdown.mean),
            plain(each.bounded_slowdown_change),
        )
    return table
