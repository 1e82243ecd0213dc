"""How long Batsim's profiles run on hosts that are equal and never wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from schedlab.errors import InputError

Profile = Mapping[str, Any]


@dataclass(frozen=True)
class Demand:
    """What a profile asks of the machine."""

    run_s: float
    communicates: bool = False


@dataclass(frozen=True)
class Profiles:
    """The profiles of a workload, by name, and the speed of the hosts that execute them."""

    by_name: Mapping[str, Any]
    flops_per_s: float

    def demand(self, name: Any, hosts: float, within: tuple[Any, ...] = ()) -> Demand:
        """Return what the profile needs on its hosts; ``within`` names the profiles around it."""
        profile = self.by_name.get(str(name))
        if not isinstance(profile, dict):
            raise InputError(f"profile {name!r} is not defined")
        if name in within:
            raise InputError(f"profile {name!r} contains itself")
        kind = profile.get("type")
        if kind == "delay":
            return Demand(number(profile, "delay"))
        if kind == "composed":
            return self._composed(profile, hosts, (*within, name))
        if kind in _FLOPS:
            return Demand(_FLOPS[kind](profile, hosts) / self.flops_per_s, _communicates(profile))
        if kind in _NOT_KNOWN_BEFOREHAND:
            raise InputError(
                f"profile type is {kind!r}, whose run time depends on {_NOT_KNOWN_BEFOREHAND[kind]}"
            )
        allowed = ", ".join(("delay", "composed", *_FLOPS))
        raise InputError(f"profile type is {kind!r}; must be one of {allowed}")

    def _composed(self, profile: Profile, hosts: float, within: tuple[Any, ...]) -> Demand:
        names = profile.get("seq")
        if not isinstance(names, list):
            raise InputError(f"seq is {names!r}; must be a list of profiles")
        parts = [self.demand(name, hosts, within) for name in names]
        repeat = number({"repeat": 1, **profile}, "repeat")
        return Demand(
            repeat * sum(part.run_s for part in parts), any(part.communicates for part in parts)
        )


def number(of: Mapping[str, Any], key: str) -> float:
    """Return the value of that key, which must be a number."""
    return _as_number(of.get(key), key)


def _as_number(value: Any, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{key} is {value!r}; must be a number")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{key} is too large") from None


def _numbers(of: Mapping[str, Any], key: str) -> list[float]:
    values = of.get(key, [])
    if not isinstance(values, list):
        raise InputError(f"{key} is {values!r}; must be a list of numbers")
    return [_as_number(value, key) for value in values]


def _communicates(profile: Profile) -> bool:
    if isinstance(profile.get("com"), list):
        return any(amount > 0 for amount in _numbers(profile, "com"))
    return number({"com": 0, **profile}, "com") > 0


def _of_each_host(profile: Profile, hosts: float) -> float:
    return number(profile, "cpu")


def _of_all_hosts(profile: Profile, hosts: float) -> float:
    return number(profile, "cpu") / max(hosts, 1)


def _of_the_busiest_host(profile: Profile, hosts: float) -> float:
    return max(_numbers(profile, "cpu"), default=0.0)


_FLOPS: dict[str, Callable[[Profile, float], float]] = {
    "parallel_homogeneous": _of_each_host,
    "parallel_homogeneous_total": _of_all_hosts,
    "parallel": _of_the_busiest_host,
    "msg_par_hg": _of_each_host,
    "msg_par_hg_tot": _of_all_hosts,
    "msg_par": _of_the_busiest_host,
}
"""The work that decides how long a profile of that type runs; the last three are older names."""

_NOT_KNOWN_BEFOREHAND = {
    "usage_trace": "a trace of usage in another file",
    "smpi": "a trace of messages in another file",
    "parallel_homogeneous_pfs": "storage",
    "data_staging": "storage",
    "send": "the scheduler",
    "recv": "the scheduler",
}
