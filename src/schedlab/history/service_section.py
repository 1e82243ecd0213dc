"""How a site's history is served: ``[service]`` of the site file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from ipaddress import ip_network
from typing import Any

from schedlab.errors import InputError, ParameterError
from schedlab.history.alerts_section import AlertsSection
from schedlab.history.factors import CostSection, Factors, read_factors
from schedlab.history.notify.section import MailSection, check_url
from schedlab.history.reports_section import ReportsSection
from schedlab.sections import build

_MOST_HOURS, _LONGEST_WINDOW_S = 87_660, 7 * 86400
"""Ten years, and a week: longer is a mistake, and too long for the clocks of some libraries."""


@dataclass(frozen=True, kw_only=True)
class ProxySection:
    """``[service.proxy]``: the reverse proxy in front of the service.

    Args:
        addresses: addresses of the proxy, or networks such as ``10.0.0.0/24``; its headers about a
            client's address and protocol (``X-Forwarded-For``, ``X-Forwarded-Proto``) are trusted.
        user_header: the header in which the proxy names the user it has logged in; without it, no
            header logs a user in.
    """

    addresses: tuple[str, ...]
    user_header: str | None = None

    def __post_init__(self) -> None:
        for each in self.addresses:
            try:
                ip_network(each)
            except ValueError as error:
                raise ParameterError(f"addresses: {error}") from None


@dataclass(frozen=True, kw_only=True)
class OidcSection:
    """``[service.oidc]``: logging in at an OpenID Connect provider.

    Args:
        issuer: the provider's address, below which it publishes its description.
        client_id: the id by which the provider knows this service.
        client_secret_file: the file with the secret that goes with it.
        label: what the button on the login page says.
        scopes: scopes that the provider is asked for.
        user_claim: the claim with the user's name, as jobs have it.
        groups_claim: the claim with the user's groups.
        admin_groups: groups whose members are administrators.
        support_groups: groups whose members see every job.
        manager_prefix: a group with this prefix makes its members managers of the accounting group
            that the rest of its name gives.
    """

    issuer: str
    client_id: str
    client_secret_file: str
    label: str = "single sign-on"
    scopes: str = "openid profile"
    user_claim: str = "preferred_username"
    groups_claim: str = "groups"
    admin_groups: tuple[str, ...] = ()
    support_groups: tuple[str, ...] = ()
    manager_prefix: str | None = None


@dataclass(frozen=True, kw_only=True)
class ServiceSection:
    """``[service]``.

    Args:
        prefix: the path under which a proxy shows the service, such as ``/history``.
        url: how people reach the service, with the prefix; links in messages begin with it.
        public: whether visitors see anonymised jobs, as ``[release]`` says.
        session_hours: hours after which users must log in again.
        login_failures: how many wrong passwords for one account from one address are answered.
        login_window_s: the time window in seconds.
        proxy: the reverse proxy in front, if any.
        oidc: the provider at which users log in, if any.
        mail: the server by which e-mail is sent, if any.
        alerts: what is watched; nothing if it is left out.
        reports: the reports that are made automatically; none if it is left out.
        cost: what use costs, over time; not shown if it is left out.
    """

    prefix: str = ""
    url: str | None = None
    public: bool = False
    session_hours: float = 12.0
    login_failures: int = 5
    login_window_s: int = 300
    proxy: ProxySection | None = None
    oidc: OidcSection | None = None
    mail: MailSection | None = None
    alerts: AlertsSection | None = None
    reports: ReportsSection | None = None
    cost: Factors[CostSection] | None = None

    def __post_init__(self) -> None:
        check_prefix(self.prefix)
        if self.url is not None:
            check_url("url", self.url)
        for key in ("session_hours", "login_failures", "login_window_s"):
            if getattr(self, key) <= 0:
                raise ParameterError(f"{key} is {getattr(self, key):g}; must be > 0")
        for key, most in (("session_hours", _MOST_HOURS), ("login_window_s", _LONGEST_WINDOW_S)):
            if getattr(self, key) > most:
                raise ParameterError(f"{key} is {getattr(self, key):g}; must be <= {most}")


def check_prefix(prefix: str) -> None:
    """Refuse a prefix that cannot stand between the host name and the service's paths."""
    if prefix and (not prefix.startswith("/") or prefix.endswith("/") or "//" in prefix):
        raise ParameterError(f'prefix is "{prefix}"; must look like /history')


def read_service(given: Any) -> ServiceSection:
    """Read ``[service]`` with the sections below it."""
    if not isinstance(given, Mapping):
        return build(ServiceSection, given, "[service]")
    below: dict[str, type] = {
        "proxy": ProxySection,
        "oidc": OidcSection,
        "mail": MailSection,
        "alerts": AlertsSection,
        "reports": ReportsSection,
    }
    parts: dict[str, Any] = {
        name: build(section, given[name], f"[service.{name}]")
        for name, section in below.items()
        if name in given
    }
    if "cost" in given:
        parts["cost"] = read_factors(CostSection, given["cost"], "service.cost")
    own = {key: value for key, value in given.items() if key not in (*below, "cost")}
    service = replace(build(ServiceSection, own, "[service]"), **parts)
    _require_mail(service)
    return service


def _require_mail(service: ServiceSection) -> None:
    if service.mail is not None:
        return
    for name in ("alerts", "reports"):
        section = getattr(service, name)
        if section is not None and section.email:
            told = "email needs [service.mail], which says by which server"
            raise InputError(f"[service.{name}]: {told}")
    if service.reports is not None and service.reports.users:
        raise InputError("[service.reports]: users needs [service.mail]")
