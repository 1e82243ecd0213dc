"""Your own agent as a policy: in Python, and by a file beside its model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from schedlab.atomic import atomic_write
from schedlab.errors import ParameterError
from schedlab.policies.learned.agent_file import QUEUE
from schedlab.policies.learned.own_agent import CallableAgent, OwnAgent, check_sizes
from schedlab.policies.learned.policy import LearnedPolicy
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.batch import QueueBatch
from schedlab.rl.environments import environment_of
from schedlab.rl.queue_env import QueueEnv
from schedlab.sections import as_toml

Agent = Callable[..., Any]


def as_policy(
    agent: Any, env: Any, *, masked: bool | None = None, name: str = "own"
) -> LearnedPolicy:
    """Return a policy for ``simulate`` that decides as the agent does in the environment.

    Args:
        agent: a model of Stable-Baselines3, or a function from an observation (and, if it takes two
            arguments, a mask) to an action.
        env: where it learnt: ``schedlab/Queue-v0`` or a subclass, alone, in wrappers or in a
            vector; or its ``QueueSettings``.
        masked: whether a model takes only actions that make sense. Default: only if it learnt with
            masks or orders jobs.
        name: of the policy, for results.
    """
    settings, shows = _environment(env)
    found = _own(agent, settings, shows, masked)
    return LearnedPolicy(found.decider, settings, name, found.observe)


def _own(
    agent: Any, settings: QueueSettings, shows: QueueEnv | None, masked: bool | None
) -> OwnAgent:
    observe = None if shows is None else shows.observe
    network = getattr(agent, "policy", None)
    if network is None or not callable(getattr(agent, "predict", None)):
        if not callable(agent):
            raise ParameterError(
                f"the agent is a {type(agent).__name__}; must be a function or a model of "
                "Stable-Baselines3"
            )
        return OwnAgent(CallableAgent(agent), settings, observe)
    from schedlab.rl.sb3_model import sb3_agent  # loads torch

    seen, actions = network.observation_space.shape, int(network.action_space.n)
    shape = None if shows is None else shows.observation_space.shape
    check_sizes((tuple(seen), actions), settings, shape)
    return OwnAgent(sb3_agent(network, settings, masked), settings, observe)


def save_settings(path: str | Path, env: Any, **agent: Any) -> None:
    """Write the environment's settings as TOML, for a file beside a model that learnt in it.

    ``mine.toml`` beside ``mine.zip`` makes ``learned:mine.zip`` a policy.

    Args:
        path: of the file.
        env: as for ``as_policy``.
        agent: values for its section ``[agent]``: ``call``, ``model``, ``masked``.
    """
    settings, shows = _environment(env)
    made = {} if shows is None else {"id": _name_of(type(shows))}
    sections: dict[str, Any] = {"agent": agent} if agent else {}
    sections["environment"] = {**made, **environment_of(settings).document()}
    with atomic_write(path) as temporary:
        temporary.write_text(as_toml(sections), encoding="utf-8")


def _name_of(env: type) -> str:
    if env.__module__ == "__main__" or "." in env.__qualname__:
        raise ParameterError(
            f"{env.__qualname__} is in no module that others can import; put it into a file of its "
            f"own, or give its QueueSettings if it shows what {QUEUE} shows"
        )
    return f"{env.__module__}:{env.__qualname__}"


def _environment(env: Any) -> tuple[QueueSettings, QueueEnv | None]:
    """Return the rules, and the environment itself if it overrides ``observe``."""
    if isinstance(env, QueueSettings):
        return env, None
    for _ in range(_WRAPPERS):
        if isinstance(env, QueueEnv):
            own = type(env).observe is not QueueEnv.observe
            return env.settings, env if own else None
        batch = getattr(env, "batch", None)
        if isinstance(batch, QueueBatch):
            return batch.told_settings, None
        env = _inside(env)
    raise ParameterError(f"there is no {QUEUE} in the environment")


_WRAPPERS = 20


def _inside(env: Any) -> Any:
    """Return the environment inside a wrapper of Gymnasium or Stable-Baselines3."""
    for name in ("venv", "env"):
        if getattr(env, name, None) is not None:
            return getattr(env, name)
    inside = getattr(env, "envs", None)
    return inside[0] if inside else None
