"""The effect of each group of inputs on the decisions and on their results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schedlab.cli.console import heading, new_table, out, print_json, print_notes
from schedlab.cli.learn.explain.cells import percent, plain
from schedlab.cli.learn.explain.files import Files

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.rl.explain import Effort, Estimate, Explanation
    from schedlab.rl.model_file import TrainedModel
    from schedlab.workload.episodes import Episodes


def by_input(
    model: TrainedModel,
    episodes: Episodes,
    effort: Effort,
    predict: str | None,
    files: Files,
    json: bool,
) -> None:
    """Explain the model, and show it."""
    from schedlab.cli.progress import progress
    from schedlab.rl.explain import explain as run

    with progress("explaining") as report:
        found = run(model, episodes, effort, estimate=predict, progress=report)
    files.write_csv(found.groups)
    if files.figure is not None:
        _draw(found, files.figure)
    if json:
        print_json({**found.to_dict(), "seed": effort.seed, "episodes": effort.episodes})
    else:
        out().print(heading(found.answer), "", _table(found), "", sep="\n")
    print_notes(_checks(found), to_stderr=json)


def _draw(found: Explanation, path: Path) -> None:
    from schedlab.rl.explain.importance import PREDICTION
    from schedlab.rl.observation_layout import PREDICTED
    from schedlab.viz import draw_importance, save_figure

    groups = found.groups
    measures: dict[str, list[Estimate | None]] = {
        "gradients: share\nin the score, %": [each.score for each in groups],
        "in the lead\nover FCFS, %": [each.lead for each in groups],
        "shuffled: decisions\nchanged, %": [each.decisions for each in groups],
        "change of\nthe return": [each.episode_return for each in groups],
    }
    names = [each.group for each in groups]
    marked = {*PREDICTED, PREDICTION}
    save_figure(
        draw_importance(
            names, measures, marked=marked, mark="made of predictions, alone or with something else"
        ),
        path,
    )


def _table(found: Explanation) -> Table:
    table = new_table(
        "group of inputs",
        "share\nin the\nscore, %",
        "in the\nlead over\nFCFS, %",
        "decisions\nchanged,\n%",
        "change\nof the\nreturn",
        "of the\nutili-\nsation, %",
    )
    for each in found.groups:
        table.add_row(
            each.group,
            *(percent(share) for share in (each.score, each.lead, each.decisions)),
            plain(each.episode_return),
            percent(each.utilisation),
        )
    return table


def _checks(found: Explanation) -> list[str]:
    from schedlab.units import three_digits

    departs, completeness = found.departures.told(100, " %"), 100 * found.completeness_error
    return [
        f"of {found.states:,} situations, FCFS would choose otherwise in {departs}",
        f"return {found.results['return'].told()}; ± and 95 % are by episode",
        f"check: gradients add up to within {three_digits(completeness)} % of what they explain",
        f"check: gradients and shuffling rank the inputs alike by {found.rank_agreement:.2f}",
        "check: networks with shuffled parameters are explained alike by "
        f"{found.randomised_agreement:.2f}",
    ]
