"""The picture of users: their accuracy against wait, delay and slowdown."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from schedlab.metrics import METRICS, incentive_points
from schedlab.sim import Schedule, simulate
from schedlab.viz import draw_incentive
from schedlab.viz.colours import STRONG
from schedlab.workload import generate


@pytest.fixture(scope="module")
def two_policies() -> list[Schedule]:
    """A crowded machine under one policy that reserves and one that does not."""
    workload = generate("aaic:load=2", 600, seed=1)
    return [simulate(workload, 256, policy) for policy in ("easy-one-reserved", "wrsa")]


def test_a_dot_per_user_and_the_line(two_policies: list[Schedule]) -> None:
    """Dots lie where the points are, in the policy's colour; the line falls from 1 to 1."""
    wait = draw_incentive(two_policies).axes[0]
    points = incentive_points(two_policies[0], "wait")
    dots = wait.collections[0]
    expected = np.column_stack([points["scaled"], points["wrsa"]])
    assert np.allclose(np.asarray(dots.get_offsets()), expected)
    assert np.asarray(dots.get_edgecolor())[0, :3] == pytest.approx(to_rgb(STRONG[0]))
    assert np.asarray(wait.lines[0].get_xydata()).tolist() == [[0, 1], [1, 0]]


def test_each_panel_tells_the_correlations(two_policies: list[Schedule]) -> None:
    """A policy that promises nothing has no late users and gets a dash."""
    wait, delay, _ = draw_incentive(two_policies).axes
    value = METRICS["incentive_wait"].value(two_policies[0])
    assert wait.texts[1].get_text() == f"{value:.2f}".replace("-", "−")
    assert [text.get_text() for text in delay.texts][-1] == "–"
