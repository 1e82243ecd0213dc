"""Forecast when waiting jobs will start, by simulating what may happen many times."""

from schedlab.sim.forecast.forecaster import Forecaster
from schedlab.sim.forecast.start_forecast import FORECAST_LEVELS, StartForecast

__all__ = ["FORECAST_LEVELS", "Forecaster", "StartForecast"]
