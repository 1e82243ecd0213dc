"""Models that Stable-Baselines3 saved, as agents."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import gymnasium
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy
from stable_baselines3.common.save_util import load_from_zip_file
from stable_baselines3.dqn.policies import DQNPolicy
from torch import Tensor

from schedlab.errors import InputError
from schedlab.policies.learned import Model
from schedlab.policies.learned.agent import GreedyAgent, Observations
from schedlab.policies.learned.agent_file import SUFFIX, AgentFile, read_agent_file
from schedlab.policies.learned.own_agent import OwnAgent, check_sizes
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.agent import few_threads
from schedlab.rl.model_file import read_model
from schedlab.rl.networks import action_scores
from schedlab.rl.tensor_archive import FOREIGN
from schedlab.workload.readers import Source

_KNOWN = (ActorCriticPolicy, MaskableActorCriticPolicy, DQNPolicy)


class Sb3Agent(GreedyAgent):
    """Decides greedily by a network of Stable-Baselines3: PPO, A2C, MaskablePPO, TRPO or DQN."""

    def __init__(self, policy: BasePolicy, *, masked: bool) -> None:
        super().__init__(masked=masked)
        self.policy = policy

    def scores(self, observation: Observations) -> Observations:
        """Return one score per row and action."""
        with torch.inference_mode(), few_threads(len(observation)):
            seen = torch.from_numpy(observation).to(self.policy.device)
            return _scores(self.policy, seen).cpu().numpy()


def _scores(policy: BasePolicy, seen: Tensor) -> Tensor:
    if isinstance(policy, DQNPolicy):
        values: Tensor = policy.q_net(seen)
        return values
    return action_scores(policy, seen)  # type: ignore[arg-type]


def sb3_agent(policy: BasePolicy, settings: QueueSettings, masked: bool | None) -> Sb3Agent:
    """Return a network's agent; by default masked if it learnt with masks or orders jobs."""
    if not isinstance(policy, _KNOWN) or isinstance(policy, RecurrentActorCriticPolicy):
        raise InputError(
            f"its policy is a {type(policy).__name__}; must be one of PPO, A2C, MaskablePPO, TRPO "
            "or DQN: call any other from a function of your own"
        )
    policy.set_training_mode(False)
    if masked is None:
        # Where an agent orders jobs, an action against the mask starts none.
        masked = isinstance(policy, MaskableActorCriticPolicy) or settings.mode != "pick"
    return Sb3Agent(policy, masked=masked)


def read_zip(path: str | Path) -> Model:
    """Return the model of a file: of ``schedlab learn train``, or of Stable-Baselines3."""
    source = Source.load(path)
    if not is_sb3(source):
        return read_model(path)
    beside = source.path.with_suffix(SUFFIX)
    if not beside.exists():
        raise InputError(
            f"{path}: is a model of Stable-Baselines3, which does not say what its network sees; "
            f"write the environment's settings beside it, to {beside.name}, with "
            "schedlab.rl.save_settings(path, env)"
        )
    return read_sb3(source.path, read_agent_file(beside))


def is_sb3(source: Source) -> bool:
    """Return whether ``model.save()`` wrote the file."""
    try:
        with zipfile.ZipFile(BytesIO(source.raw)) as archive:
            return FOREIGN in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False  # read_model says what is wrong with it


def read_sb3(path: Path, file: AgentFile) -> OwnAgent:
    """Return the agent of a file of Stable-Baselines3; reading it may run its author's code."""
    source = Source.load(path)
    if not is_sb3(source):
        raise InputError(f"{path}: is not a model of Stable-Baselines3")
    policy = _policy(source)
    seen, actions = policy.observation_space, policy.action_space
    try:
        if not isinstance(actions, gymnasium.spaces.Discrete):
            raise InputError(f"its actions are {actions}; must be numbers")
        check_sizes((tuple(seen.shape or ()), int(actions.n)), file.settings, file.shape)
        agent = sb3_agent(policy, file.settings, file.agent.masked)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return OwnAgent(agent, file.settings, file.observe)


def _policy(source: Source) -> BasePolicy:
    """Build the network as the file describes it, and give it the file's parameters."""
    try:
        saved: Any = load_from_zip_file(BytesIO(source.raw), device="cpu")
        data, parameters, _ = saved
        keywords: dict[str, Any] = dict(data.get("policy_kwargs") or {})
        if data.get("use_sde"):
            keywords["use_sde"] = True
        policy: BasePolicy = data["policy_class"](
            data["observation_space"], data["action_space"], lambda _: 0.0, **keywords
        )
        policy.load_state_dict(parameters["policy"])
    except InputError:
        raise
    except Exception as error:  # classes named in the file may raise any error
        reason = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise InputError(
            f"{source.path}: its network cannot be built as it was: {reason}"
        ) from None
    return policy
