"""Train every setting of the space, as in the paper's protocol."""

from __future__ import annotations

from schedlab.errors import InputError, SchedlabError
from schedlab.experiments.tuning.config import Tuning
from schedlab.experiments.tuning.space import Setting, name_of, written
from schedlab.experiments.tuning.trainings import Trainings
from schedlab.experiments.tuning.trial import SearchResult


def grid_search(tuning: Tuning, trainings: Trainings) -> SearchResult:
    """Train the settings that can be trained, and leave out the others."""
    possible, left_out = _split(tuning)
    trainings.expect(len(possible) * tuning.about.runs)
    return SearchResult(trainings.of(possible, tuning.training.train.steps), left_out)


def possible_settings(tuning: Tuning) -> list[Setting]:
    """Return the settings that can be trained."""
    return _split(tuning)[0]


def _split(tuning: Tuning) -> tuple[list[Setting], dict[str, str]]:
    possible, impossible, reasons = list[Setting](), list[Setting](), list[str]()
    for setting in tuning.space.settings():
        try:
            tuning.config(setting)
            possible.append(setting)
        except SchedlabError as error:
            impossible.append(setting)
            reasons.append(str(error))
    for parameter in tuning.space.parameters:
        used = {each[parameter.key] for each in possible}
        for setting, reason in zip(impossible, reasons, strict=True):
            value = setting[parameter.key]
            if value not in used:
                raise InputError(
                    f"{parameter.where} = {written(value)} is never possible: {reason}"
                )
    return possible, dict(zip(map(name_of, impossible), reasons, strict=True))
