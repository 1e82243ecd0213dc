"""Which reports are made automatically: ``[service.reports]`` of the site file."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.history.notify.section import check_address

PERIODS = ("week", "month")
FORMATS = ("html", "pdf")


@dataclass(frozen=True, kw_only=True)
class ReportsSection:
    """``[service.reports]``.

    Args:
        periods: periods that have a report: ``week``, ``month``.
        hour: hour of the day after a period at which its report is made, in the site's zone.
        email: addresses that get the report of the site.
        folder: where the reports of the site and of each group are written, if anywhere.
        formats: formats of these files and of e-mail attachments: ``html``, ``pdf``.
        users: whether users may ask for reports of their own by e-mail.
    """

    periods: tuple[str, ...] = PERIODS
    hour: int = 6
    email: tuple[str, ...] = ()
    folder: str | None = None
    formats: tuple[str, ...] = ("html",)
    users: bool = False

    def __post_init__(self) -> None:
        for key, allowed in (("periods", PERIODS), ("formats", FORMATS)):
            for each in getattr(self, key):
                if each not in allowed:
                    raise UnknownNameError(key, each, allowed)
        if self.hour > 23:
            raise ParameterError(f"hour is {self.hour}; must be from 0 to 23")
        for address in self.email:
            check_address("email", address)
