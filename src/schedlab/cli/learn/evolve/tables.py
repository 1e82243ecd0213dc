"""The results that ``schedlab learn evolve`` shows at the end."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from schedlab.cli.console import heading, new_table, out

if TYPE_CHECKING:
    from rich.table import Table

    from schedlab.evolve import Evolved, Goal, HeldOutComparison


def show(done: Evolved) -> None:
    """Show the formulas, and the policy beside the rules in the held-out episodes."""
    comparison = done.comparison
    console = out()
    for part, formula in done.priority.formulas().items():
        console.print(heading(f"{part}: smallest first"), f"  {formula}", sep="\n", soft_wrap=True)
    if done.priority.max_priority_gap is not None:
        console.print(
            heading("held back"),
            f"  jobs more than {done.priority.max_priority_gap:g} behind the head of the queue",
            sep="\n",
        )
    episodes = f"{len(comparison.evolved)} held-out episodes"
    for goal in comparison.goals:
        unit = "" if goal.metric.unit == "1" else f" ({goal.metric.unit})"
        console.print("", heading(f"{goal.name}{unit}, mean of {episodes}"), sep="\n")
        console.print(_table(comparison, goal))


def _table(comparison: HeldOutComparison, goal: Goal) -> Table:
    table = new_table("policy", "mean", "evolved - it", "95 % interval")
    table.add_row("evolved", _number(comparison.means()[goal.name]), "", "")
    for rule in comparison.compared_rules(goal):
        interval = " to ".join(_number(bound) for bound in rule.interval)
        better = max(goal.sign * bound for bound in rule.interval) < 0
        numbers = _number(rule.mean), _number(rule.difference), interval
        table.add_row(rule.policy, *numbers, style="green" if better else "")
    return table


def _number(value: float) -> str:
    return f"{value:,.4g}"


def document(done: Evolved) -> dict[str, Any]:
    """Return the same results for programs."""
    comparison = done.comparison
    return {
        "policy": f"evolved:{done.path}",
        "formulas": done.priority.formulas(),
        "max_priority_gap": done.priority.max_priority_gap,
        "evolved": comparison.means(),
        "rules": {
            goal.name: [asdict(rule) for rule in comparison.compared_rules(goal)]
            for goal in comparison.goals
        },
    }
