"""The contract of a rule: what is wrong now."""

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
        subject: what it is about; of one kind and subject there is one alert at a time.
        text: one sentence for an operator.
        path: of the page of the service that tells more.
    """

    kind: str
    subject: str
    text: str
    path: str


@dataclass(frozen=True)
class RuleInput:
    """What a rule looks at.

    Args:
        connection: to the store.
        site: whose jobs and sensors they are.
        section: what is too much.
        now_s: the moment.
    """

    connection: Connection
    site: Site
    section: AlertsSection
    now_s: float


Rule = Callable[[RuleInput], Iterator[Alert]]
