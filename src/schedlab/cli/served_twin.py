"""The twin of a site folder as the service asks it: what-ifs, and forecasts of the present."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError
from schedlab.sim.forecast.start_forecast import HIGH, LOW, MIDDLE
from schedlab.slurm.dump.findings import ImportReport
from schedlab.slurm.dump.history import base_id, history_of
from schedlab.slurm.forecast import TwinForecaster
from schedlab.slurm.offered import OfferedTwin

_FORKS, _MOMENTS = 50, 20


class ServedTwin(OfferedTwin):
    """The configuration of the folder, with the jobs of the service's store for forecasts.

    Args:
        folder: the site folder from ``schedlab slurm import``, with a history.
    """

    def cluster(self) -> str:
        """Return the name of the cluster."""
        return self._site().parameters.cluster_name

    def forecast(
        self,
        records: Sequence[Mapping[str, Any]],
        now_s: int,
        tell: Callable[[int, int], None],
    ) -> dict[str, tuple[float, float, float]]:
        """Return when the jobs that wait will start, by their ids, in epoch seconds.

        Args:
            records: standard records of jobs that ended lately, and of those that run and wait.
            now_s: the time of that state, in epoch seconds.
            tell: called with the number of moments done, and their total.
        """
        try:
            history = history_of(records, {}, Path("history"), ImportReport())
            epoch_s = int(history.workload.header["UnixStartTime"][0])
            forecaster = TwinForecaster(replace(self._site(), history=history), forks=_FORKS)
            forecaster.learn_before(now_s - epoch_s, _MOMENTS, tell)
            made = forecaster.forecast(now_s - epoch_s)
        except InputError as error:
            raise ParameterError(str(error)) from None
        names = {base_id(str(each["jobid"])): str(each["jobid"]) for each in records}
        rows = (epoch_s + made.quantiles([LOW, MIDDLE, HIGH])).round().tolist()
        return {
            names[name]: (low, middle, high)
            for name, (low, middle, high) in zip(forecaster.names(made), rows, strict=True)
        }
