"""Changes of a configuration, written as in slurm.conf: ``PriorityWeightAge=1000``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, replace
from difflib import get_close_matches
from typing import Any

from schedlab.errors import ParameterError
from schedlab.slurm.dump.values import KINDS
from schedlab.slurm.option import options_of
from schedlab.slurm.parameters import SECTIONS
from schedlab.slurm.replayed import REPLAYED
from schedlab.slurm.scheduling import WITHIN
from schedlab.slurm.site import SlurmSite
from schedlab.slurm.written import written


def changed_site(site: SlurmSite, changes: Iterable[str]) -> SlurmSite:
    """Return the site with other parameters.

    Args:
        site: the present site.
        changes: texts such as ``SchedulerParameters.bf_interval=60`` or ``PriorityWeightAge=1000``.
    """
    parameters = site.parameters
    for change in changes:
        section, field, value = _parse(change)
        changed = replace(getattr(parameters, section), **{field.name: value})
        parameters = replace(parameters, **{section: changed})
    return replace(site, parameters=parameters)


def present_values(site: SlurmSite) -> dict[str, Any]:
    """Return all parameters that can be changed, by the names that ``--set`` takes."""
    return {
        name: getattr(getattr(site.parameters, section), field.name)
        for name, (section, field) in _settable().items()
        if field.name in REPLAYED[section]
    }


def present_text(site: SlurmSite, name: str) -> str:
    """Return the present value of a parameter as slurm.conf has it."""
    _, section, field = parameter_named(name)
    return written(field.metadata["kind"], getattr(getattr(site.parameters, section), field.name))


def changes_told(site: SlurmSite, changes: Iterable[str]) -> list[str]:
    """Return the changes with the present values: ``PriorityWeightAge=1000 instead of 50``."""
    told = []
    for change in changes:
        name, _, text = change.partition("=")
        now = present_text(site, name) or "nothing"
        told.append(f"{parameter_named(name)[0]}={text.strip()} instead of {now}")
    return told


def parameter_named(name: str) -> tuple[str, str, Field[Any]]:
    """Return the full name, section and field of a parameter.

    Raise ParameterError if the twin does not know or does not use it.
    """
    known = {each.lower(): each for each in _settable()}
    found = known.get(name.strip().lower()) or known.get(f"{WITHIN}.{name.strip()}".lower())
    if found is None:
        near = get_close_matches(name.lower(), known, n=3, cutoff=0.5)
        meant = ", ".join(known[each] for each in near) or "see slurm.toml of the site"
        raise ParameterError(f'no parameter "{name}" of the twin; near: {meant}')
    section, field = _settable()[found]
    if field.name not in REPLAYED[section]:
        raise ParameterError(f"{found} is not replayed by the twin: no difference would show")
    return found, section, field


def _parse(change: str) -> tuple[str, Field[Any], Any]:
    name, equals, text = change.partition("=")
    if not equals:
        raise ParameterError(f'"{change}" has no =; write for example PriorityWeightAge=1000')
    found, section, field = parameter_named(name)
    try:
        return section, field, KINDS[field.metadata["kind"]](text.strip())
    except ParameterError as error:
        raise ParameterError(f"{found} {error}") from None


def _settable() -> dict[str, tuple[str, Field[Any]]]:
    found: dict[str, tuple[str, Field[Any]]] = {}
    for section, kind in SECTIONS.items():
        for prefix in ("", WITHIN):
            for field in options_of(kind, prefix).values():
                name = field.metadata["slurm"]
                found[f"{prefix}.{name}" if prefix else name] = (section, field)
    found.pop("BOOT_TIME", None)
    return found
