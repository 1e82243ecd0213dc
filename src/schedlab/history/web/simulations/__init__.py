"""The work that is done in the background: each kind is a function of a task."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from schedlab.history.web.database import Database
from schedlab.history.web.settings import ServiceSettings
from schedlab.history.web.simulations.advice import advise
from schedlab.history.web.simulations.forecast import forecast_starts
from schedlab.history.web.simulations.gain import simulate_gain
from schedlab.history.web.simulations.machine import SiteMachines
from schedlab.history.web.simulations.status import count_store
from schedlab.history.web.simulations.twin import twin_what_if
from schedlab.history.web.simulations.what_if import what_if
from schedlab.history.web.tasks.runner import Simulation

ADVICE, GAIN, WHAT_IF, STATUS = "advice", "gain", "what-if", "status"
TWIN, FORECAST = "twin", "forecast"


def simulations(database: Database, settings: ServiceSettings) -> Mapping[str, Simulation]:
    """Return the functions by kind of task, over this store."""
    machines = SiteMachines(settings.site)
    return {
        ADVICE: partial(advise, database, machines),
        GAIN: partial(simulate_gain, database, machines),
        WHAT_IF: partial(what_if, database, machines),
        STATUS: partial(count_store, database),
        TWIN: partial(twin_what_if, settings.twin),
        FORECAST: partial(forecast_starts, database, machines, settings.twin),
    }
