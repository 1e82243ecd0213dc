"""The contract of a rule, which finds what is wrong now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection

from schedlab.history.alerts_section import AlertsSection
from schedlab.history.site import Site

HOUR_S = 3_600
DAY_S = 86_400


@dataclass(frozen=True)
class Alert:
    """Something that is wrong.

    Args:
        kind: the rule that found it.
        subject: what it is about; each kind and subject has at most one alert at a time.
        text: one sentence for an operator.
        path: path of the service's page with details.
    """

    kind: str
    subject: str
    text: str
    path: str


@dataclass(frozen=True)
class RuleInput:
    """The input of a rule.

    Args:
        connection: connection to the store.
        site: site whose jobs and sensors are watched.
        section: limits from the site file.
        now_s: the present, in epoch seconds.
    """

    connection: Connection
    site: Site
    section: AlertsSection
    now_s: float


Rule = Callable[[RuleInput], Iterator[Alert]]
