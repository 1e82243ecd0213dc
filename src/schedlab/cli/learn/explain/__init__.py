"""schedlab learn explain: the inputs by which a learned policy decides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from schedlab.cli.console import AsJson, print_notes
from schedlab.cli.learn.explain.files import Files
from schedlab.cli.learn.explain.played import Played
from schedlab.errors import MissingExtraError, ParameterError

EXAMPLES = (
    "schedlab learn explain out/small/model.zip",
    "schedlab learn explain model.zip --workload wl1 --jobs-per-episode 99 --transform set_run=0.5",
    "schedlab learn explain model.zip --figure explanation.png --csv explanation.csv",
    "schedlab learn explain model.zip --error-sweep --policy sjf+easy --figure errors.png",
)

_ERROR_SWEEP = "Sweep over prediction errors"


def explain(
    model: Annotated[
        Path, Argument(metavar="MODEL.zip", help="A model that schedlab learn train has written.")
    ],
    played: Played,
    files: Files,
    states: Annotated[
        int,
        Option(
            metavar="N",
            min=1,
            max=10_000_000,
            help="Number of situations to explain, over all episodes.",
        ),
    ] = 200,
    predictor: Annotated[
        str | None,
        Option(
            metavar="P",
            help="Predictor of run times, such as last-two.",
            show_default="as in the training",
        ),
    ] = None,
    error_sweep: Annotated[
        bool,
        Option(
            "--error-sweep",
            help="Instead: utilisation and slowdown as a function of the error of predictions, "
            "from the truth with growing noise and by several predictors.",
            rich_help_panel=_ERROR_SWEEP,
        ),
    ] = False,
    policy: Annotated[
        list[str] | None,
        Option(
            metavar="P",
            help="A policy beside the model; may be given several times.",
            show_default="easy and sjf+easy",
            rich_help_panel=_ERROR_SWEEP,
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Explain which inputs a learned policy uses, and whether it uses the prediction.

    The methods are integrated gradients and shuffling of groups of inputs, in single decisions and
    in whole episodes.
    """
    if error_sweep and predictor is not None:
        raise ParameterError("--predictor and --error-sweep exclude each other")
    if policy and not error_sweep:
        raise ParameterError("--policy needs --error-sweep")
    files.check()
    _require_packages()
    from schedlab.cli.learn.explain.by_error import by_error
    from schedlab.cli.learn.explain.by_input import by_input
    from schedlab.policies.learned.document import naming
    from schedlab.rl.model_file import read_model

    found = read_model(model)
    with naming(model):
        found.config.require_queue()
    episodes, effort = played.open(found), played.effort(found, states)
    if error_sweep:
        by_error(found, episodes, effort, policy, files, json)
    else:
        by_input(found, episodes, effort, predictor, files, json)
    print_notes((f"written: {path}" for path in files.written()), to_stderr=json)


def _require_packages() -> None:
    from importlib.util import find_spec

    for package in ("torch", "stable_baselines3", "sb3_contrib", "captum", "matplotlib"):
        if find_spec(package) is None:
            raise MissingExtraError(package, "explain")
