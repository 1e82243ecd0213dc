"""An agent of your own, with the rules of the environment in which it decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab import _core
from schedlab.errors import InputError, PolicyError
from schedlab.policies.learned.agent import Actions, Decider, Masks, Observations
from schedlab.policies.learned.settings import QueueSettings
from schedlab.policies.policy import View

Observe = Callable[[View, NDArray[np.float32]], Any]
"""A function from a view and the settings' observation to what an agent sees."""


@dataclass(frozen=True)
class OwnAgent:
    """An agent, its rules and what it sees.

    Args:
        decider: chooses the actions.
        settings: the rules, with the scale of time.
        observe: makes what it sees in place of the settings' observation, if anything.
    """

    decider: Decider
    settings: QueueSettings
    observe: Observe | None = None

    def agent(self) -> Decider:
        """Return the agent."""
        return self.decider


class CallableAgent:
    """Asks a function for one action per situation, with the mask if it takes two arguments."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call, self._wants_mask = call, _takes_two(call)

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Return one action per row, each checked."""
        return np.array([self._one(*row) for row in zip(observation, mask, strict=True)])

    def _one(self, observation: NDArray[np.float32], mask: NDArray[np.uint8]) -> int:
        given = (observation, mask != 0) if self._wants_mask else (observation,)
        answer = np.asarray(self._call(*given))
        if answer.size != 1 or answer.dtype.kind not in "iu":
            raise PolicyError(
                f"the agent answered {_short(answer)}; must be the number of an action"
            )
        action = int(answer.reshape(()))
        if not 0 <= action < len(mask):
            raise PolicyError(f"the agent chose action {action}; must be from 0 to {len(mask) - 1}")
        return action


def _short(answer: NDArray[Any]) -> str:
    return str(answer.tolist()) if answer.size == 1 else f"an array of shape {answer.shape}"


def _takes_two(call: Callable[..., Any]) -> bool:
    """Return whether the function has a place for the mask, after the observation."""
    try:
        parameters = signature(call).parameters.values()
    except ValueError:  # native code may have no signature
        return False
    places = [each for each in parameters if each.kind in _PLACES and each.default is each.empty]
    return len(places) > 1


_PLACES = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def numbers_and_actions(settings: QueueSettings) -> tuple[int, int]:
    """Return how many numbers an agent sees by these rules, and how many actions it has."""
    passes = _core.QueuePasses(settings.options(settings.time_scale_s or 1.0))
    return passes.observation_size, passes.actions


def check_sizes(
    found: tuple[Any, int], settings: QueueSettings, shape: tuple[int, ...] | None = None
) -> None:
    """Refuse a network that does not fit the observation and the actions of the environment.

    Args:
        found: the shape of what the network sees, and how many actions it has.
        settings: the rules of the environment.
        shape: what the environment shows, where that is not the settings' observation.
    """
    numbers, actions = numbers_and_actions(settings)
    must = (shape or (numbers,), actions)
    if found != must:
        raise InputError(
            f"its network takes {_numbers(found[0])} and has {found[1]:,} actions; "
            f"the environment shows {_numbers(must[0])} and has {must[1]:,}"
        )


def _numbers(shape: tuple[int, ...]) -> str:
    return " x ".join(f"{each:,}" for each in shape) + " numbers"
