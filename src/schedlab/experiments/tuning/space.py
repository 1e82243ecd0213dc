"""What is searched: the values of parameters of a training file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from schedlab.errors import InputError, ParameterError
from schedlab.rl import QueueSettings
from schedlab.rl.algorithms import ALGORITHM_SECTIONS
from schedlab.rl.environments import Settings
from schedlab.rl.train_section import TrainSection
from schedlab.sections import build, reject_unknown_keys, value_of

_SECTIONS: dict[str, type] = {"train": TrainSection, **ALGORITHM_SECTIONS}
_NOT_SEARCHED = {
    "seed": "every setting is trained with the seeds of [tune]",
    "steps": "every setting learns from the same number, that of the training file",
}

Setting = Mapping[str, Any]
"""A value for each parameter, by its key."""


@dataclass(frozen=True, kw_only=True)
class ParameterRange:
    """All numbers from ``low`` to ``high``; with ``log``, their logarithms are drawn evenly."""

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ParameterError(f"low is {self.low}; must be below high, {self.high}")
        if self.log and not self.low > 0:
            raise ParameterError(f"low is {self.low}; must be > 0 for a logarithm")


@dataclass(frozen=True)
class TunedParameter:
    """A key of a section of the training file, and the values it may take."""

    section: str
    key: str
    domain: tuple[Any, ...] | ParameterRange

    @property
    def where(self) -> str:
        """Its name in errors."""
        return f"[space.{self.section}] {self.key}"

    @property
    def values(self) -> tuple[Any, ...]:
        """The listed values."""
        assert not isinstance(self.domain, ParameterRange)
        return self.domain


@dataclass(frozen=True)
class Space:
    """The parameters to search; each combination is a setting, but not all can be trained."""

    parameters: tuple[TunedParameter, ...]

    def settings(self) -> Iterator[Setting]:
        """Yield all settings; the last parameter changes first."""
        keys = [each.key for each in self.parameters]
        for values in product(*(each.values for each in self.parameters)):
            yield dict(zip(keys, values, strict=True))

    def put(self, setting: Setting, document: dict[str, Any]) -> None:
        """Write the setting's values into the sections of a training."""
        for each in self.parameters:
            value = setting[each.key]
            document[each.section][each.key] = list(value) if isinstance(value, tuple) else value


def name_of(setting: Setting) -> str:
    """Write the setting as ``n_steps=512 network=[64, 64]``."""
    return " ".join(f"{key}={written(value)}" for key, value in setting.items())


def written(value: Any) -> str:
    """Return the value as the training file has it, without the quotes of a text."""
    return value if isinstance(value, str) else json.dumps(value)


def read_space(given: Any, environment: type[Settings] = QueueSettings) -> Space:
    """Read the space that ``[space.ppo]`` and its like describe for trainings in an environment."""
    if not isinstance(given, Mapping):
        raise InputError(f"[space] is {given!r}; must have sections of parameters")
    sections = {**_SECTIONS, "environment": environment}
    reject_unknown_keys(given, sections, "[space]")
    found = [
        _parameter(section, sections[section], key, values)
        for section, keys in given.items()
        for key, values in _keys(section, keys)
    ]
    if not found:
        raise InputError("[space] names no parameter; give values in [space.ppo]")
    return Space(tuple(found))


def _keys(section: str, keys: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(keys, Mapping):
        raise InputError(f"[space] {section} is {keys!r}; must be a section")
    yield from keys.items()


def _parameter(section: str, fields: type, key: str, given: Any) -> TunedParameter:
    where = f"[space.{section}]"
    if section == "train" and key in _NOT_SEARCHED:
        raise InputError(f"{where} {key} cannot be searched: {_NOT_SEARCHED[key]}")
    if isinstance(given, Mapping):
        drawn = build(ParameterRange, given, f"{where} {key}")
        low, high = (value_of(fields, key, given[end], where) for end in ("low", "high"))
        return TunedParameter(section, key, replace(drawn, low=low, high=high))
    if not isinstance(given, list) or not given:
        raise InputError(f"{where} {key} is {given!r}; must be a list of values, or low and high")
    values = tuple(value_of(fields, key, value, where) for value in given)
    for place, value in enumerate(values):
        if value in values[:place]:
            raise InputError(f"{where} {key} lists {written(value)} twice")
    return TunedParameter(section, key, values)
