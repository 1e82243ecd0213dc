"""What a job waits for: ``--dependency``, as Slurm reads it."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.errors import WorkloadError

KINDS = ("after", "afterok", "afternotok", "afterany", "aftercorr", "singleton", "afterburstbuffer")


@dataclass(frozen=True, slots=True)
class SlurmCondition:
    """One condition on a job, an array or a task: ``afterok:1063_3``; singleton names none."""

    kind: str
    on: str = ""
    delay_s: int = 0


@dataclass(frozen=True, slots=True)
class JobConditions:
    """All conditions of a job; with ``?`` between them one is enough."""

    each: tuple[SlurmCondition, ...] = ()
    one_will_do: bool = False


def parse_conditions(text: str) -> JobConditions:
    """Read ``afterok:12:13+5,singleton`` or ``afterok:12?afterany:13``."""
    found = []
    for part in text.replace("?", ",").split(",") if text else ():
        kind, *others = part.split(":")
        if kind not in KINDS:
            known = ", ".join(KINDS)
            raise WorkloadError(f'dependency is "{text}": no kind "{kind}"; known: {known}')
        if kind == "singleton":
            found.append(SlurmCondition(kind))
        for other in others:
            name, _, minutes = other.partition("+")
            found.append(SlurmCondition(kind, name, 60 * int(minutes or 0)))
    return JobConditions(tuple(found), "?" in text)
