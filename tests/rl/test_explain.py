"""An explanation finds what a network is known to decide by, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")
pytest.importorskip("captum")

from schedlab.errors import ParameterError, WorkloadError
from schedlab.rl.explain import (
    Effort,
    Explanation,
    GroupImportance,
    by_prediction_error,
    explain,
)
from schedlab.rl.model_file import TrainedModel
from schedlab.rl.observation_layout import JOB_FEATURES, ObservationLayout
from schedlab.rl.train import Training
from schedlab.workload.episodes import FixedEpisode, choose_episodes

pytestmark = pytest.mark.slow

Make = Callable[..., Any]

VISIBLE = 6
EPISODES: Mapping[str, Any] = {
    "jobs": 40,
    "transforms": ["set_run=random:0.5", "interarrival=0.01"],
}
FLAT = {"estimate": "actual", "observation": "proposal", "max_steps": 300}
EFFORT = Effort(episodes=4, states=40, baselines=2, seed=5)
slow = pytest.mark.slow


@pytest.fixture
def blank(small_training: Make, tmp_path: Path) -> Make:
    """A function that makes models whose parameters are all 0."""

    def make(**changes: Mapping[str, Any]) -> TrainedModel:
        config = small_training(episodes=EPISODES, **changes)
        model = Training(config, tmp_path, None).model()
        zeros = {name: np.zeros_like(each) for name, each in model.parameters.items()}
        return replace(model, parameters=zeros)

    return make


def flat_by(
    blank: Make, feature: str, sign: float = -1, algorithm: str = "maskable-ppo", **rules: Any
) -> TrainedModel:
    """Return a network that prefers small or large values of a feature.

    It has one tanh unit per visible job.
    """
    train = {"network": [VISIBLE], "algorithm": algorithm}
    model: TrainedModel = blank(environment={**FLAT, **rules}, train=train)
    columns = ObservationLayout.of(model.settings).group(feature).columns
    slots = np.arange(VISIBLE)
    model.parameters["mlp_extractor.policy_net.0.weight"][slots, columns] = 1
    model.parameters["action_net.weight"][slots, slots] = sign
    model.parameters["action_net.bias"][VISIBLE] = -10
    return model


def kernel_by(blank: Make, feature: str | None, visible_jobs: int = VISIBLE) -> TrainedModel:
    """Return a kernel network that prefers small values of one feature, or the first job."""
    environment = {"max_steps": 300, "visible_jobs": visible_jobs}
    model: TrainedModel = blank(environment=environment)
    model.parameters["mlp_extractor.wait_score.4.bias"][:] = -10
    if feature is None:
        return model
    place = JOB_FEATURES.index(feature)
    for layer, sign in ((0, 1), (2, 1), (4, 1), (6, -1)):
        weight = model.parameters[f"mlp_extractor.job_score.{layer}.weight"]
        weight[0, place if layer == 0 else 0] = sign
    return model


def explained(model: TrainedModel, **options: Any) -> Explanation:
    """Explain the model with little effort, on its own episodes."""
    return explain(model, model.config.all_episodes(Path()), EFFORT, **options)


def by_name(explanation: Explanation) -> dict[str, GroupImportance]:
    """Return the groups by name."""
    return {group.group: group for group in explanation.groups}


def assert_only(explanation: Explanation, group: str) -> None:
    """Check that gradients, shuffled decisions and shuffled episodes name this input alone."""
    for name, found in by_name(explanation).items():
        if name in ("all predictions", "position"):
            continue
        ours = float(name == group)
        for share in (found.score, found.lead):
            assert share is not None
            assert share.mean == pytest.approx(ours, abs=1e-6)
        assert (found.decisions.mean > 0.1) == ours
        if not ours:
            assert found.decisions.mean == 0
            assert found.episode_return == (0, 0, 0)
    assert explanation.rank_agreement == pytest.approx(1)
    assert explanation.completeness_error < 1e-3
    assert abs(explanation.randomised_agreement) < 0.5


@pytest.mark.parametrize(
    ("feature", "observation"),
    [
        ("job estimate", "proposal"),
        pytest.param("job request", "proposal", marks=slow),
        pytest.param("job nodes", "proposal", marks=slow),
        pytest.param("job nodes", "baseline", marks=slow),
    ],
)
def test_a_flat_network_by_one_feature(blank: Make, feature: str, observation: str) -> None:
    """Each of its decisions follows from that feature."""
    explanation = explained(flat_by(blank, feature, observation=observation))
    assert_only(explanation, feature)
    if feature == "job estimate":  # without ties, a job's position does not matter
        assert by_name(explanation)["position"].decisions.mean == 0
        assert explanation.answer.startswith("The policy uses the prediction: ")
    elif observation == "proposal":
        assert explanation.answer.startswith("The policy does not use the prediction: shuffled, ")
    else:
        assert explanation.answer == "The policy does not use the prediction: it does not see it."


def test_a_network_that_picks_without_a_mask(blank: Make) -> None:
    """The paper's agent may choose what does not fit; this one wants the widest job in any case."""
    model = flat_by(blank, "job nodes", 1, "ppo", mode="pick", reward="terminal")
    assert not model.agent().masked
    assert_only(explained(model), "job nodes")


@pytest.mark.parametrize(
    "feature", ["nodes", *(pytest.param(name, marks=slow) for name in ("estimate", "wait"))]
)
def test_a_kernel_network_by_one_feature(blank: Make, feature: str) -> None:
    """The same holds for the network that sees features of jobs."""
    assert_only(explained(kernel_by(blank, feature)), f"job {feature}")


def test_a_network_by_position_alone(blank: Make) -> None:
    """A preference for the last job shows in the position and in no input."""
    model = blank(environment=FLAT, train={"network": [VISIBLE]})
    model.parameters["action_net.bias"][:] = [*range(VISIBLE), -10]
    groups = by_name(explained(model))
    assert groups["position"].decisions.mean > 0.1
    assert {name for name, group in groups.items() if group.decisions.mean > 0} == {"position"}
    assert all(math.isnan(group.score.mean) for group in groups.values() if group.score)


def test_first_come_first_served_never_departs_from_itself(blank: Make) -> None:
    """A network to which all jobs are equal takes the first, and there is no lead to explain."""
    explanation = explained(kernel_by(blank, None))
    assert explanation.departures == (0, 0, 0)
    assert all(group.lead is None for group in explanation.groups)


def test_the_estimate_may_come_from_another_predictor(blank: Make) -> None:
    """If it is the request itself, the answer says so."""
    explanation = explained(flat_by(blank, "job estimate"), estimate="request")
    assert "uses the prediction (here the request itself)" in explanation.answer


def test_the_same_seed_explains_the_same(blank: Make) -> None:
    """Situations, baselines and shuffles are all drawn from it."""
    model = flat_by(blank, "job nodes")
    assert explained(model) == explained(model)


def test_with_noise_and_predictors_fcfs_does_what_easy_does(blank: Make) -> None:
    """A network that takes the first job that the guard allows is EASY with every predictor."""
    model = kernel_by(blank, None, visible_jobs=EPISODES["jobs"])
    predictors = ("actual", "noisy:sigma=0.5", "noisy:sigma=2", "last-two", "request")
    found = by_prediction_error(
        model, model.config.all_episodes(Path()), EFFORT, predictors=predictors
    )
    learned, easy, sjf = found[:5], found[5:10], found[10:]
    assert [each.policy for each in (learned[0], easy[0], sjf[0])] == [
        "learned",
        "easy",
        "sjf+easy",
    ]
    for ours, theirs in zip(learned, easy, strict=True):
        assert ours.predictor == theirs.predictor
        assert ours.utilisation == pytest.approx(tuple(theirs.utilisation))
        assert ours.bounded_slowdown == pytest.approx(tuple(theirs.bounded_slowdown))
    errors = [each.relative_error.mean for each in easy]
    assert 0 == errors[0] < errors[1] < errors[2]
    assert easy[0].utilisation_change == (0, 0, 0)


def test_mistakes_are_told_in_a_sentence(blank: Make) -> None:
    """The error comes before anything is played."""
    with pytest.raises(ParameterError, match="episodes is 0; must be >= 1"):
        Effort(episodes=0)
    model = kernel_by(blank, None)
    alone = FixedEpisode(choose_episodes("lublin:nodes=8", 1).draw(np.random.default_rng(1)))
    with pytest.raises(WorkloadError, match="nothing to decide in these episodes"):
        explain(model, alone, EFFORT)
