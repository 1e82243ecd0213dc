"""The file that makes a policy of an agent: the agent, and its environment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError, SchedlabError
from schedlab.lookup import import_object, is_import_path, require_callable
from schedlab.policies.learned.own_agent import CallableAgent, Observe, OwnAgent
from schedlab.policies.learned.settings import QueueSettings
from schedlab.sections import build, parse_toml, reject_unknown_keys
from schedlab.workload.readers import Source

SUFFIX = ".toml"
QUEUE = "schedlab/Queue-v0"
SB3 = "schedlab.rl.sb3_model:read_sb3"
"""The reader of a Stable-Baselines3 model: loaded by name, since it needs an extra."""


@dataclass(frozen=True, kw_only=True)
class AgentSection:
    """The section ``[agent]`` of an agent's file.

    Args:
        call: ``package.module:function``, from an observation (and a mask) to an action.
        model: a file that ``model.save()`` of Stable-Baselines3 wrote, beside this one.
        masked: whether only actions that make sense are taken; by default where the agent learnt
            with masks or orders jobs.
    """

    call: str | None = None
    model: str | None = None
    masked: bool | None = None


@dataclass(frozen=True)
class AgentFile:
    """The content of an agent's file."""

    path: Path
    agent: AgentSection
    settings: QueueSettings
    shows: Any
    """The environment, if it shows something other than the settings' observation."""

    @property
    def observe(self) -> Observe | None:
        """The function that makes what the agent sees; None for the settings' observation."""
        return None if self.shows is None else self.shows.observe

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape of what ``observe`` makes; None without it."""
        return None if self.shows is None else self.shows.observation_space.shape


def read_agent_file(path: str | Path) -> AgentFile:
    """Return what a TOML file says of an agent and its environment."""
    source = Source.load(path)
    document = parse_toml(path, source.decoded())
    try:
        reject_unknown_keys(document, ("agent", "environment"), "the agent's file")
        if "environment" not in document:
            raise InputError("there is no section [environment]")
        agent = build(AgentSection, document.get("agent", {}), "[agent]")
        settings, shows = _environment(document["environment"])
    except SchedlabError as error:
        raise InputError.at(path, None, str(error)) from None
    return AgentFile(source.path, agent, settings, shows)


def _environment(given: Any) -> tuple[QueueSettings, Any]:
    rest = dict(given) if isinstance(given, dict) else given
    name = rest.pop("id", QUEUE) if isinstance(rest, dict) else QUEUE
    settings = build(QueueSettings, rest, "[environment]")
    if settings.scaled and settings.time_scale_s is None:
        raise InputError(
            "[environment] lacks the key time_scale_s, which counts as 1 among the times that the "
            "agent sees; schedlab.rl.save_settings(path, env) writes it"
        )
    if name == QUEUE:
        return settings, None
    if not is_import_path(str(name)):
        raise InputError(f'[environment] id is "{name}"; must be "{QUEUE}" or package.module:Class')
    made = import_object("environment", name)
    if not callable(getattr(made, "observe", None)):
        raise ParameterError(f'environment "{name}" has no observe(); must be a QueueEnv')
    return settings, made(**rest)


def read_agent(path: str | Path) -> OwnAgent:
    """Return the agent of a TOML file: the function or the model that it names."""
    file = read_agent_file(path)
    call, model = file.agent.call, file.agent.model
    if (call is None) == (model is None):
        raise InputError(f"{path}: [agent] must say either call or model")
    if model is not None:
        made: OwnAgent = import_object("policy", SB3)(file.path.parent / model, file)
        return made
    try:
        found = import_object("agent", str(call))
        if isinstance(found, type):
            require_callable("agent", str(call), found)
            found = found()
        if not callable(found):
            raise ParameterError(f'agent "{call}" is a {type(found).__name__}; must be a function')
    except SchedlabError as error:
        raise InputError(f"{path}: {error}") from None
    return OwnAgent(CallableAgent(found), file.settings, file.observe)
