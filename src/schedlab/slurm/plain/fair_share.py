"""Fair share: the past use of users, its decay, and the factors of users that follow from it.

Slurm adds the use of a job when it ends, and the use of running jobs every PriorityCalcPeriod. Then
a fair tree computes all factors again. The classic formula looks at accounts before the use of
running jobs is added, and at a user when the next priority of one of the user's jobs is computed;
see ``fair_tree.c`` and ``priority_multifactor.c`` of 22.05.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from schedlab.slurm.accounts import ROOT, Accounts, Association
from schedlab.slurm.parameters import PrioritySettings

LN_2 = 0.693
"""The value of ln 2 that Slurm uses."""


@dataclass(eq=False)
class AssociationShare:
    """An association in the tree, with its use and what the last pass computed from it."""

    association: Association
    parent: AssociationShare | None = None
    children: list[AssociationShare] = field(default_factory=list)
    usage: float = 0.0
    norm_shares: float = 0.0
    norm_usage: float = 0.0
    effective_usage: float = 0.0
    level_fs: float = math.inf
    factor: float = 1.0
    is_due: bool = False

    @property
    def is_user(self) -> bool:
        """Whether the association is a user's, under which jobs are submitted."""
        return self.association.user is not None

    @property
    def fair_parent(self) -> AssociationShare | None:
        """The account among whose children it competes, skipping those with Fairshare=parent."""
        above = self.parent
        while above is not None and above.association.shares_of_parent:
            above = above.parent
        return above


class FairShare:
    """The tree of associations over time; times are whole seconds.

    Args:
        accounts: the associations.
        settings: half life, period and formula.
        start_s: when slurmctld began to count.
    """

    def __init__(self, accounts: Accounts, settings: PrioritySettings, start_s: int) -> None:
        self.settings = settings
        self.last_pass_s = start_s
        self.shares = [AssociationShare(each) for each in accounts.associations]
        self._by_name = {
            (each.account, each.user): share
            for each, share in zip(accounts.associations, self.shares, strict=True)
        }
        self._link()
        if self.shares:
            self._norm_shares()
        self._users = [each for each in self.shares if each.is_user]
        if any(each.association.usage for each in self.shares):
            self._begin_with_usage(start_s)

    def of(self, account: str, user: str | None) -> AssociationShare:
        """Return the share of a user in an account, or of the account."""
        return self._by_name[account, user]

    def factor(self, account: str, user: str) -> float:
        """Return the factor of a user in an account; 0 without such an association."""
        share = self._by_name.get((account, user))
        if share is None:
            return 0.0
        if share.is_due:
            self._classic(share)
        return share.factor

    def charge_user(
        self, account: str, user: str, billing: float, start_s: int, end_s: int
    ) -> None:
        """Add the use of a job; ignored without such an association."""
        if (share := self._by_name.get((account, user))) is not None:
            self.charge(share, billing, start_s, end_s)

    def charge(self, share: AssociationShare, billing: float, start_s: int, end_s: int) -> None:
        """Add the use of a job that has ended, as far as no pass has added it yet."""
        seconds = end_s - max(start_s, self.last_pass_s)
        if seconds <= 0:
            return
        self._add(share, billing * seconds * self._decay**seconds)

    def begin_pass(self, now_s: int) -> None:
        """Decay past use; the caller then charges running jobs with ``charge`` up to now."""
        forgotten = self._decay ** (now_s - self.last_pass_s)
        for each in self.shares:
            each.usage *= forgotten
        if self.shares and not self.settings.is_fair_tree:
            self._classic_accounts()

    def end_pass(self, now_s: int) -> None:
        """Compute the factors of all users of a fair tree."""
        self.last_pass_s = now_s
        if self.shares and self.settings.is_fair_tree:
            self._fair_tree()

    def _begin_with_usage(self, start_s: int) -> None:
        for each in self._users:
            self._add(each, each.association.usage)
        self.begin_pass(start_s)
        self.end_pass(start_s)

    def _add(self, share: AssociationShare, used: float) -> None:
        above: AssociationShare | None = share
        while above is not None:
            above.usage += used
            above = above.parent

    @property
    def _decay(self) -> float:
        half_life_s = self.settings.decay_half_life_s
        return 1 - LN_2 / half_life_s if half_life_s else 1.0

    @property
    def _root(self) -> AssociationShare:
        return self.of(ROOT, None)

    def _link(self) -> None:
        accounts = {each.association.account: each for each in self.shares if not each.is_user}
        for each in self.shares:
            own = each.association
            above = own.account if own.user is not None else own.parent
            if above is None and own.account != ROOT:
                above = ROOT
            if above is not None:
                each.parent = accounts[above]
        for each in self.shares:
            rival = each.parent if each.is_user else each.fair_parent
            if rival is not None and (each.is_user or not each.association.shares_of_parent):
                rival.children.append(each)

    def _norm_shares(self) -> None:
        """Compute each share among its siblings; in the classic formula among all associations."""
        self._root.norm_shares = 0.0 if self.settings.is_fair_tree else 1.0
        waiting = [self._root]
        for above in waiting:
            total = sum(each.association.shares for each in above.children)
            for each in above.children:
                own = each.association.shares / total if total else 0.0
                each.norm_shares = own if self.settings.is_fair_tree else own * above.norm_shares
                waiting.append(each)

    def _fair_tree(self) -> None:
        all_usage = self._root.usage
        for each in self.shares:
            above = each.fair_parent
            among = above.usage if above is not None else 0.0
            each.norm_usage = each.usage / all_usage if all_usage else 0.0
            each.effective_usage = each.usage / among if among else 0.0
            if each.association.shares_of_parent:
                each.level_fs = math.inf  # all such users of an account tie
            elif each.association.shares == 0:
                each.level_fs = 0.0
            elif each.effective_usage == 0:
                each.level_fs = math.inf
            else:
                each.level_fs = each.norm_shares / each.effective_usage
        Ranking(len(self._users)).rank(self._root.children, tied=False)

    def _classic_accounts(self) -> None:
        """Compute the use of accounts, from the root down; that of users is computed on demand."""
        self._root.effective_usage = 1.0
        waiting = [self._root]
        for above in waiting:
            for each in above.children:
                each.is_due = each.is_user
                if not each.is_user:
                    self._classic(each)
                    waiting.append(each)

    def _classic(self, share: AssociationShare) -> None:
        """Compute the effective use and the factor; an account must have been computed before."""
        share.is_due = False
        all_usage, above = self._root.usage, share.fair_parent or self._root
        share.norm_usage = share.effective_usage = share.usage / all_usage if all_usage else 0.0
        if share.association.shares_of_parent:
            share.effective_usage = above.effective_usage
        elif above is not self._root:
            total = sum(each.association.shares for each in above.children)
            rest = above.effective_usage - share.norm_usage
            own = rest * share.association.shares / total if total else -share.norm_usage
            share.effective_usage += own
        share.factor = 0.0
        if share.norm_shares > 0:
            dampening = self.settings.fairshare_dampening_factor
            share.factor = 2.0 ** (-(share.effective_usage / share.norm_shares) / dampening)


@dataclass
class Ranking:
    """The ranks that a fair tree gives to users, from the best down; users that tie share one.

    Args:
        users: number of users.
    """

    users: int

    def __post_init__(self) -> None:
        self.next_rank = self.shared_rank = self.users

    def rank(self, siblings: list[AssociationShare], *, tied: bool) -> None:
        """Set the factors of the users among and below these siblings.

        Args:
            siblings: users and accounts with one parent.
            tied: whether the first of them ties with the user ranked last.
        """
        # Users come before accounts with the same value.
        ranked = sorted(siblings, key=lambda each: (-each.level_fs, not each.is_user))
        before: float | None = None
        place = 0
        while place < len(ranked):
            own = ranked[place]
            ties = tied if place == 0 else own.level_fs == before
            if own.is_user:
                if not ties:
                    self.shared_rank = self.next_rank
                own.factor = self.shared_rank / self.users
                self.next_rank -= 1
                place += 1
            else:
                # The children of accounts that tie compete as if they had one account.
                equal = [each for each in ranked[place:] if each.level_fs == own.level_fs]
                self.rank([child for each in equal for child in each.children], tied=ties)
                place += len(equal)
            before = own.level_fs
