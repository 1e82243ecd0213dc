"""The table of rules."""

from __future__ import annotations

from collections.abc import Mapping

from schedlab.history.alerts.alert import Rule
from schedlab.history.alerts.coverage import fallen_coverage
from schedlab.history.alerts.idle_gpu import idle_gpus
from schedlab.history.alerts.queue import grown_queues
from schedlab.history.alerts.source_lag import lagging_sources

RULES: Mapping[str, Rule] = {
    "source-lag": lagging_sources,
    "coverage": fallen_coverage,
    "idle-gpu": idle_gpus,
    "queue": grown_queues,
}
"""The rules, by the kinds of alerts that they find."""
