"""The equations of ACER against plain loops, automatic differentiation and known properties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch
from torch import Tensor

from schedlab.rl.acer.loss import Behaviour, acer_loss
from schedlab.rl.acer.policy import expected_values
from schedlab.rl.acer.policy_gradient import LEAST, policy_gradient, within_trust_region
from schedlab.rl.acer.retrace import retrace
from schedlab.rl.ppo_loss import log_probabilities, taken

C, ENT_COEF, GAMMA = 1.5, 0.1, 0.9

few = settings(max_examples=30, deadline=None)


@dataclass(frozen=True)
class Case:
    """A segment of one environment with a policy, its average and action values, all random."""

    log_probs: Tensor
    averaged: Tensor
    behaviour: Tensor
    q: Tensor
    actions: Tensor
    rewards: Tensor
    ended: Tensor

    @property
    def values(self) -> Tensor:
        """The values of the situations."""
        return expected_values(self.log_probs, self.q)

    @property
    def steps(self) -> int:
        """The number of steps."""
        return len(self.rewards)

    def targets(self) -> Tensor:
        """Return the targets of Retrace."""
        log_ratios = taken(self.log_probs[:-1] - self.behaviour, self.actions)
        q_taken = taken(self.q[:-1], self.actions)
        return retrace(*(self.rewards, self.ended, q_taken, self.values, log_ratios), gamma=GAMMA)

    def direction(self) -> Tensor:
        """Return the direction for the probabilities, before any trust region."""
        return policy_gradient(
            *(self.log_probs[:-1], self.behaviour, self.actions, self.targets()),
            *(self.q[:-1], self.values[:-1]),
            c=C,
            ent_coef=ENT_COEF,
        )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw up to six steps and four actions; behaviours may be far from the policy."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    steps, actions = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    spread = draw(st.floats(0.1, 3))

    def log_probs(count: int) -> Tensor:
        return torch.from_numpy(random.normal(0, spread, (count, 1, actions))).log_softmax(-1)

    return Case(
        log_probs=log_probs(steps + 1),
        averaged=log_probs(steps),
        behaviour=log_probs(steps),
        q=torch.from_numpy(random.normal(0, 2, (steps + 1, 1, actions))),
        actions=torch.from_numpy(random.integers(actions, size=(steps, 1))),
        rewards=torch.from_numpy(random.normal(0, 1, (steps, 1))),
        ended=torch.from_numpy((random.random((steps, 1)) < 0.3).astype(float)),
    )


def kept_share(probs: Tensor) -> Tensor:
    """Return what is left of a quotient by a probability, as no divisor is below LEAST."""
    return (probs.detach() / LEAST).clamp(max=1)


def expanded_retrace(case: Case, step: int) -> float:
    """Return the target as a sum over all later steps, weight by weight, as in Munos et al."""
    q, values = case.q[:, 0], case.values[:, 0]
    target, weight = float(q[step, case.actions[step, 0]]), 1.0
    for later in range(step, case.steps):
        action = int(case.actions[later, 0])
        if later > step:
            ratio = float(
                (case.log_probs[later, 0, action] - case.behaviour[later, 0, action]).exp()
            )
            weight *= GAMMA * min(1.0, ratio)
        to_come = 0.0 if case.ended[later, 0] else GAMMA * float(values[later + 1])
        error = float(case.rewards[later, 0]) + to_come - float(q[later, action])
        target += weight * error
        if case.ended[later, 0]:
            break
    return target


@few
@given(cases())
def test_retrace_is_the_weighted_sum_of_later_errors(case: Case) -> None:
    """The recursion from the end and the sum from the beginning are two sides of one equation."""
    expected = [expanded_retrace(case, step) for step in range(case.steps)]
    np.testing.assert_allclose(case.targets()[:, 0], expected, rtol=1e-9, atol=1e-9)


def test_retrace_of_its_own_policy_is_the_return_of_many_steps() -> None:
    """If values are those of the actions taken, nothing is left but rewards and the last value."""
    rewards, ended = torch.tensor([[1.0], [2.0], [4.0]]), torch.zeros(3, 1)
    values = torch.tensor([[7.0], [8.0], [9.0], [10.0]])
    targets = retrace(rewards, ended, values[:-1], values, torch.zeros(3, 1), gamma=0.5)
    assert targets[:, 0].tolist() == [1 + 0.5 * (2 + 0.5 * (4 + 5)), 2 + 0.5 * (4 + 5), 4 + 5]


def test_nothing_comes_back_from_beyond_an_episode_s_end() -> None:
    """What follows in the segment belongs to another episode."""
    rewards, ended = torch.tensor([[1.0], [2.0], [100.0]]), torch.tensor([[0.0], [1.0], [0.0]])
    values = torch.zeros(4, 1)
    targets = retrace(rewards, ended, torch.zeros(3, 1), values, torch.zeros(3, 1), gamma=1.0)
    assert targets[:, 0].tolist() == [3.0, 2.0, 100.0]


@few
@given(cases())
def test_the_policy_gradient_is_the_derivative_of_the_paper_s_objective(case: Case) -> None:
    """Torch differentiates the objective, written with ratios, weights and logarithms."""
    probs = case.log_probs[:-1].exp().requires_grad_()
    behaviour, q, values = case.behaviour.exp(), case.q[:-1], case.values[:-1]
    ratios = (probs / behaviour).detach()
    advantages = case.targets() - values
    truncated = taken(ratios, case.actions).clamp(max=C)
    objective = (truncated * taken(probs.log(), case.actions) * advantages).sum()
    correction = (1 - C / ratios).clamp(min=0) * probs.detach()
    objective = objective + (correction * probs.log() * (q - values.unsqueeze(-1))).sum()
    (pushes,) = torch.autograd.grad(objective, probs)
    (entropy,) = torch.autograd.grad(-ENT_COEF * (probs * probs.log()).sum(), probs)
    expected = pushes * kept_share(probs) + entropy
    np.testing.assert_allclose(case.direction(), expected, rtol=1e-8, atol=1e-8)


@few
@given(cases())
def test_truncation_and_correction_make_up_the_whole_gradient(case: Case) -> None:
    """Over all possible actions, with their values as targets, ``c`` has no effect.

    The result is the gradient of the expected value under the policy.
    """
    log_probs, q, values = case.log_probs[:-1], case.q[:-1], case.values[:-1]
    expected = torch.zeros_like(log_probs)
    for action in range(q.shape[-1]):
        actions = torch.full_like(case.actions, action)
        direction = policy_gradient(
            *(log_probs, case.behaviour, actions, taken(q, actions), q, values),
            c=C,
            ent_coef=0.0,
        )
        expected += taken(case.behaviour.exp(), actions).unsqueeze(-1) * direction
    # Each direction contains the correction, whichever action was taken.
    whole = (q - values.unsqueeze(-1)) * kept_share(log_probs.exp())
    np.testing.assert_allclose(expected, whole, rtol=1e-6, atol=1e-6)


@few
@given(cases(), st.floats(0, 2))
def test_the_trust_region_projects_onto_a_half_space(case: Case, delta: float) -> None:
    """Within it nothing changes; outside, the direction goes to its border along the normal."""
    log_probs, direction = case.log_probs[:-1], case.direction()
    probs = log_probs.exp().requires_grad_()
    averaged = case.averaged.exp()
    divergence = (averaged * (case.averaged - probs.log())).sum()
    normal = torch.autograd.grad(divergence, probs)[0] * kept_share(probs)
    kept = within_trust_region(direction, log_probs, case.averaged, delta=delta)
    for before, after, along in zip(direction[:, 0], kept[:, 0], normal[:, 0], strict=True):
        if float(before @ along) <= delta:
            assert torch.equal(before, after)
        else:
            assert float(after @ along) == pytest.approx(delta, rel=1e-6, abs=1e-6)
            shortened = float((before - after) @ along) / float(along @ along)
            np.testing.assert_allclose(before - after, shortened * along, rtol=1e-6, atol=1e-6)


@few
@given(cases(), st.integers(0, 2**32))
def test_no_other_direction_in_the_trust_region_is_nearer(case: Case, seed: int) -> None:
    """The projection is the closest allowed point."""
    log_probs, direction = case.log_probs[:-1], case.direction()
    kept = within_trust_region(direction, log_probs, case.averaged, delta=0.1)
    normal = -case.averaged.exp() / log_probs.exp() * kept_share(log_probs.exp())
    others = kept + torch.from_numpy(np.random.default_rng(seed).normal(size=kept.shape))
    allowed = (others * normal).sum(-1) <= 0.1
    farther = (others - direction).norm(dim=-1) >= (kept - direction).norm(dim=-1) - 1e-9
    assert bool((farther | ~allowed).all())


@few
@given(st.integers(0, 2**32), st.floats(0, 200), st.booleans())
def test_no_probability_is_too_small(seed: int, spread: float, masked: bool) -> None:
    """Actions that are masked, or almost impossible now or before, leave everything finite."""
    random, shape = np.random.default_rng(seed), (4, 2, 5)
    mask = torch.ones(shape, dtype=torch.bool)
    mask[..., 1:] = torch.from_numpy(random.random((4, 2, 4)) < (0.5 if masked else 2))

    def scores() -> Tensor:
        return torch.from_numpy(random.normal(0, spread, shape).astype(np.float32))

    now = scores().requires_grad_()
    q = scores().requires_grad_()
    then = log_probabilities(scores(), mask)[:-1]
    actions = torch.distributions.Categorical(logits=then).sample()
    done = Behaviour(actions, torch.ones(3, 2), torch.zeros(3, 2), then)
    averaged = log_probabilities(scores(), mask)[:-1]
    loss = acer_loss(
        log_probabilities(now, mask),
        *(q, averaged, done),
        gamma=1.0,
        c=10.0,
        delta=1.0,
        ent_coef=0.01,
        q_coef=0.5,
    )
    loss.total.backward()
    assert now.grad is not None
    assert q.grad is not None
    assert bool(torch.isfinite(loss.total))
    assert bool(torch.isfinite(now.grad).all() & torch.isfinite(q.grad).all())
    assert bool((now.grad[~mask] == 0).all())
