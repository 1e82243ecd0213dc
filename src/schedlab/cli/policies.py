"""schedlab policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schedlab.cli.console import AsJson, new_table, out, print_json

if TYPE_CHECKING:
    from rich.table import Table

EXAMPLES = ("schedlab policies", "schedlab policies --json")

_SHOWN = "fcfs, sjf+easy, easy:depth=100, easy:backfill=sjf,predict=last-two"


def policies(json: AsJson = False) -> None:
    """List the policies: orders of the queue, ways to backfill, and their names."""
    if json:
        print_json(_every_policy())
        return
    from schedlab.policies.find import ALIASES
    from schedlab.policies.ready import READY

    references: list[str] = []
    aliases = ", ".join(f"{short} = {full}" for short, full in ALIASES.items())
    out().print(
        "A policy is ORDER or ORDER+BACKFILL, with parameters as :KEY=VALUE,...",
        f"Examples: {_SHOWN}",
        f"Aliases: {aliases}",
        "Your own class is package.module:Class in place of ORDER.",
        "A model that schedlab learn train or schedlab learn export has written is learned:FILE;",
        "learned:FILE:sample=SEED draws its actions by the network's probabilities.",
        "A priority that schedlab learn evolve has tuned is evolved:FILE.",
        "Ready to use:",
        *(f"  evolved:{name}  {sentence}" for name, sentence in READY.items()),
        "",
        _orders(references),
        "",
        _backfills(references),
        "",
        "Policies that stand alone, without an order or a way to backfill:",
        "",
        _standalone(references),
        "",
        "Every policy takes predict=PREDICTOR: the prediction plans, the request kills.",
        "Your own is package.module:Class.",
        "",
        _predictors(references),
        "",
        "--place chooses the nodes on which a job starts:",
        "",
        _places(),
        "",
        *(f"[{number}] {reference}" for number, reference in enumerate(references, 1)),
        sep="\n",
    )


def _every_policy() -> list[dict[str, object]]:
    from schedlab.policies import POLICIES

    return [
        {
            "policy": name,
            "sentence": entry.sentence,
            "reference": entry.reference,
            "parameters": {key: each.meaning for key, each in entry.parameters.items()},
        }
        for name, entry in POLICIES.items()
    ]


def _orders(references: list[str]) -> Table:
    from schedlab.policies import ORDERS

    table = new_table("order", "", "", text_columns=3)
    for name, entry in ORDERS.items():
        table.add_row(name, entry.sentence, _mark(entry.reference, references))
    return table


def _backfills(references: list[str]) -> Table:
    from schedlab.policies import BACKFILLS

    table = new_table("backfill", "", "", text_columns=3)
    for name, entry in BACKFILLS.items():
        table.add_row(name, entry.sentence, _mark(entry.reference, references))
        for key, parameter in entry.parameters.items():
            table.add_row("", f"{key}: {parameter.meaning}", style="dim")
    return table


def _standalone(references: list[str]) -> Table:
    from schedlab.policies import STANDALONE

    table = new_table("policy", "", "", text_columns=3)
    for name, entry in STANDALONE.items():
        table.add_row(name, entry.sentence, _mark(entry.reference, references))
        for key, parameter in entry.parameters.items():
            table.add_row("", f"{key}: {parameter.meaning}", style="dim")
    return table


def _predictors(references: list[str]) -> Table:
    from schedlab.predict import PREDICTORS

    table = new_table("predictor", "", "", text_columns=3)
    for name, entry in PREDICTORS.items():
        table.add_row(name, entry.sentence, _mark(entry.reference, references))
    return table


def _places() -> Table:
    from schedlab.sim.places import PLACES

    table = new_table("place", "", text_columns=2)
    for name, entry in PLACES.items():
        table.add_row(name, entry.sentence)
    return table


def _mark(reference: str, references: list[str]) -> str:
    """Return the numbers that the parts of a reference have in the list.

    New parts are added to the list.
    """
    parts = [part for part in reference.split("; ") if part != "textbook"]
    references += [part for part in parts if part not in references]
    return " ".join(f"[{references.index(part) + 1}]" for part in parts)
