"""An evolved priority as a teacher."""

from __future__ import annotations

from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schedlab.errors import ParameterError
from schedlab.policies.evolved import Priority
from schedlab.policies.features import Weights, formula
from schedlab.policies.learned.agent import Actions, Masks, Observations
from schedlab.policies.learned.settings import QueueSettings
from schedlab.rl.observation_layout import ObservationLayout


class Teacher:
    """Chooses as an evolved priority does: the head by one order, backfilled jobs by the other.

    The teacher sees the machine again after each start, while the policy scores all jobs once per
    instant. With a weight on the earliest start (``log_start_in``) the two therefore sometimes
    differ after the first start in an instant.
    """

    def __init__(self, priority: Priority, settings: QueueSettings, time_scale_s: float) -> None:
        """Take the rules of the environments that it plays, and the time that they show as 1."""
        if (settings.mode, settings.observation) != ("order+guard", "jobs"):
            raise ParameterError(
                'a teacher needs mode = "order+guard" and observation = "jobs" in [environment]; '
                f'they are "{settings.mode}" and "{settings.observation}"'
            )
        self._layout, self._nodes = ObservationLayout.of(settings), settings.nodes
        self._unit = np.log1p(time_scale_s if settings.scaled else 1.0)
        self._head, self._backfill = map(_compiled, (priority.head, priority.backfill))
        self._gap = np.inf if priority.max_priority_gap is None else priority.max_priority_gap

    def choose(self, observation: Observations, mask: Masks) -> Actions:
        """Choose the allowed job with the smallest score, among equals the first; else wait."""
        jobs = self._jobs(observation)
        has_head = observation[:, self._column("head chosen")] > 0
        in_queue = _scores(self._head, jobs)
        scores = np.where(has_head, _scores(self._backfill, jobs), in_queue)
        legal = (mask[:, : scores.shape[1]] != 0) & ~(
            has_head & self._far_behind(observation, in_queue)
        )
        best: Actions = np.where(legal, scores, np.inf).argmin(axis=1)
        return np.where(legal.any(axis=1), best, scores.shape[1])

    def _far_behind(
        self, observation: Observations, scores: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Return the jobs too far behind the head, which is the first waiting job."""
        waits = observation[:, self._column("job nodes")] > 0
        head = np.where(waits, scores, np.inf).min(axis=1, keepdims=True)
        beyond: NDArray[np.bool_] = scores > head + self._gap
        return beyond

    def _jobs(self, observation: Observations) -> dict[str, Any]:
        """Return the inputs of the features, as they were before the environment scaled them."""

        def seconds(feature: str) -> NDArray[np.float64]:
            logarithms = observation[:, self._column(f"job {feature}")].astype(float)
            times: NDArray[np.float64] = np.rint(np.expm1(logarithms * self._unit))
            return times

        nodes = np.rint(observation[:, self._column("job nodes")].astype(float) * self._nodes)
        return {
            "N": self._nodes,
            "nodes": np.maximum(nodes, 1),
            "wait_s": seconds("wait"),
            "start_in_s": seconds("earliest start"),
            "request_s": np.maximum(seconds("request"), 1),
            "estimate_s": np.maximum(seconds("estimate"), 1),
        }

    def _column(self, name: str) -> NDArray[np.intp]:
        return self._layout.group(name).columns


def _compiled(weights: Weights) -> CodeType:
    return compile(formula(weights), "<formula>", "eval")


def _scores(code: CodeType, jobs: dict[str, Any]) -> NDArray[np.float64]:
    """Return one score per row and visible job; the code has only expressions of this package."""
    scores = eval(code, {"log10": np.log10}, jobs)
    return np.broadcast_to(scores, jobs["nodes"].shape)
