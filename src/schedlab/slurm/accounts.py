"""Who may use how much: the tree of accounts and users, and the qualities of service.

Resources have Slurm's names in lower case (``cpu``, ``mem``, ``node``, ``billing``,
``gres/gpu:a100``, ``license/matlab``); memory is in MiB. None, or a missing name, means no limit.
Fields have Slurm's own names, as ``sacctmgr`` prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from schedlab.errors import PlatformError

ROOT = "root"
"""The account above all others."""


@dataclass(frozen=True)
class Association:
    """A user in an account, or the account itself, with its share and its limits.

    Args:
        account: the account that jobs name.
        user: the user; None for the account itself.
        partition: the only partition in which the association counts, if it has one.
        parent: the account above; None for ``root`` and for users.
        shares: its shares among its siblings, for fair share.
        shares_of_parent: whether it has no share of its own (``Fairshare=parent``).
        priority: its priority, which PriorityWeightAssoc weights.
        qos: the QOS that its jobs may have; empty if not given.
        default_qos: the QOS of a job that names none.
        usage: the use by its jobs before the history begins, as it counts at that moment.
    """

    account: str
    user: str | None = None
    partition: str | None = None
    parent: str | None = None
    shares: int = 1
    shares_of_parent: bool = False
    priority: int = 0
    qos: tuple[str, ...] = ()
    default_qos: str | None = None
    usage: float = 0.0
    grp_jobs: int | None = None
    grp_jobs_accrue: int | None = None
    grp_submit: int | None = None
    grp_wall_s: int | None = None
    grp_tres: dict[str, int] = field(default_factory=dict, hash=False)
    grp_tres_mins: dict[str, int] = field(default_factory=dict, hash=False)
    grp_tres_run_mins: dict[str, int] = field(default_factory=dict, hash=False)
    max_jobs: int | None = None
    max_jobs_accrue: int | None = None
    max_submit: int | None = None
    max_wall_s: int | None = None
    max_tres: dict[str, int] = field(default_factory=dict, hash=False)
    max_tres_per_node: dict[str, int] = field(default_factory=dict, hash=False)
    max_tres_mins: dict[str, int] = field(default_factory=dict, hash=False)
    min_prio_thresh: int | None = None

    @property
    def title(self) -> str:
        """The name of the association in error messages."""
        whose = f'account "{self.account}"'
        return whose if self.user is None else f'user "{self.user}" in {whose}'


@dataclass(frozen=True)
class Qos:
    """A quality of service; ``..._per_job`` is Slurm's MaxTRES, MaxTRESMins and MaxWall.

    Args:
        name: the name that jobs give.
        priority: its priority, which PriorityWeightQOS weights.
        preempt: the QOS whose jobs make room for jobs of this one.
        preempt_mode: how they make room; None means the mode of the cluster.
        grace_s: how long a preempted job has to end.
        flags: its flags, such as ``DenyOnLimit`` and ``NoReserve``.
        usage_factor: the factor by which the use of its jobs counts.
    """

    name: str
    priority: int = 0
    preempt: tuple[str, ...] = ()
    preempt_mode: str | None = None
    preempt_exempt_s: int | None = None
    grace_s: int = 0
    flags: tuple[str, ...] = ()
    usage_factor: float = 1.0
    usage_threshold: float | None = None
    limit_factor: float | None = None
    grp_jobs: int | None = None
    grp_jobs_accrue: int | None = None
    grp_submit: int | None = None
    grp_wall_s: int | None = None
    grp_tres: dict[str, int] = field(default_factory=dict, hash=False)
    grp_tres_mins: dict[str, int] = field(default_factory=dict, hash=False)
    grp_tres_run_mins: dict[str, int] = field(default_factory=dict, hash=False)
    max_jobs_per_account: int | None = None
    max_jobs_per_user: int | None = None
    max_jobs_accrue_per_account: int | None = None
    max_jobs_accrue_per_user: int | None = None
    max_submit_per_account: int | None = None
    max_submit_per_user: int | None = None
    max_tres_per_account: dict[str, int] = field(default_factory=dict, hash=False)
    max_tres_per_user: dict[str, int] = field(default_factory=dict, hash=False)
    max_tres_per_job: dict[str, int] = field(default_factory=dict, hash=False)
    max_tres_per_node: dict[str, int] = field(default_factory=dict, hash=False)
    max_tres_mins_per_job: dict[str, int] = field(default_factory=dict, hash=False)
    max_tres_run_mins_per_account: dict[str, int] = field(default_factory=dict, hash=False)
    max_tres_run_mins_per_user: dict[str, int] = field(default_factory=dict, hash=False)
    max_wall_s: int | None = None
    min_prio_thresh: int | None = None
    min_tres: dict[str, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class User:
    """A user, with the account of jobs that name none, and a level such as ``Administrator``."""

    name: str
    default_account: str | None = None
    admin_level: str | None = None


@dataclass(frozen=True)
class Accounts:
    """The associations, QOS and users of a cluster.

    Each account comes before the associations below it. Without associations every user may use
    everything: the site does not keep accounts.
    """

    associations: tuple[Association, ...] = ()
    qos: tuple[Qos, ...] = ()
    users: tuple[User, ...] = ()

    def __post_init__(self) -> None:
        accounts = {each.account for each in self.associations if each.user is None}
        for each in self.associations:
            if each.user is not None and each.account not in accounts:
                raise PlatformError(
                    f'{each.title}: the account has no association; add "{each.account}"'
                )
            if each.user is None and each.parent is not None and each.parent not in accounts:
                raise PlatformError(
                    f'{each.title}: its parent "{each.parent}" has no association; add it'
                )
        self._refuse_circles()
        for name in (name for each in self.qos for name in each.preempt):
            if name not in self.qos_by_name:
                raise PlatformError(f'QOS "{name}" is to be preempted, but is not described')

    @cached_property
    def qos_by_name(self) -> dict[str, Qos]:
        """The QOS by name."""
        return {each.name: each for each in self.qos}

    def above(self, association: Association) -> Iterator[Association]:
        """Yield the accounts above the association, the nearest first."""
        by_name = {each.account: each for each in self.associations if each.user is None}
        name = association.account if association.user is not None else association.parent
        while name is not None:
            yield by_name[name]
            name = by_name[name].parent

    def _refuse_circles(self) -> None:
        parents = {each.account: each.parent for each in self.associations if each.user is None}
        for account in parents:
            seen, name = {account}, parents[account]
            while name is not None:
                if name in seen:
                    raise PlatformError(f'account "{account}" is above itself')
                seen.add(name)
                name = parents[name]
