"""What a site wants of the loop: ``operate.toml`` in its folder; every key has a default."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedlab.errors import InputError, ParameterError
from schedlab.history.notify.section import MailSection, check_address, check_url
from schedlab.live.guards import Guards
from schedlab.live.peer import Bounds
from schedlab.policies import find_policy
from schedlab.sections import build, parse_toml, reject_unknown_keys
from schedlab.slurm.measures import Guard, Measure
from schedlab.units import parse_duration, require_whole

FILE = "operate.toml"
_TIMES = ("every", "round", "shadow", "watch", "history", "longest_wait")
_SHARES = ("wait_error", "least_gain", "tolerance", "account_loss", "least_same")


@dataclass(frozen=True, kw_only=True)
class OperateSettings:
    """The section ``[operate]``.

    Args:
        policies: policies to try in every round.
        generations: number of generations of a search for the weights of a linear order; 0 for
            no search.
        metric: the metric to minimise, in words.
        keep: bounds that a policy must keep in the test, in words.
        every: the length of one period of shadow and steering.
        round: how often to collect, learn and test again.
        shadow: how long a policy only says what it would do, before it may steer.
        watch: how long it steers before the effect is looked at.
        history: how far back jobs are collected.
        forks: number of futures of each look.
        phases: number of draws of the phases of slurmctld's loops in each replay.
        wait_error: the largest error of the twin's mean wait, as a share.
        least_jobs: the smallest number of jobs in a history from which anything can be learnt.
        least_gain: the metric must shrink by this share in the test.
        significant: whether the whole 95 % interval of the test must be below 0.
        tolerance: a policy is out if it lengthens the mean wait by more than this share, in the
            shadow or while it steers.
        gate: whether a person is asked before a policy steers.
        clamp: the largest change of a priority. Default: a tenth of the sum of the weights.
        changes: maximum number of changes in one period.
        longest_wait: a job that has waited longer is never moved back.
        account_loss: the largest share by which the forecast wait of an account may grow.
        least_same: the least share of jobs that the twin must have in the same state.
        webhook: gets every notice as JSON.
        email: addresses that get every notice; needs ``[mail]``.
        keep_rounds: number of rounds, with the present one, of which the collected data are kept;
            the log keeps what every round did.
        service: the site file of the history service, whose figures the weekly report has, and
            whose store gets a copy of the log; a relative path counts from the site folder.
        seed: seed of phases, candidates and futures.
    """

    policies: tuple[str, ...] = ("saf", "evolved:slowdown")
    generations: int = 8
    metric: str = "mean wait"
    keep: tuple[str, ...] = ("max wait < 125 %",)
    every: str = "60s"
    round: str = "7d"
    shadow: str = "1d"
    watch: str = "1d"
    history: str = "28d"
    forks: int = 20
    phases: int = 4
    wait_error: float = 0.2
    least_jobs: int = 100
    least_gain: float = 0.03
    significant: bool = True
    tolerance: float = 0.01
    gate: bool = True
    clamp: int | None = None
    changes: int = 100
    longest_wait: str = "2d"
    account_loss: float = 0.25
    least_same: float = 0.7
    webhook: str | None = None
    email: tuple[str, ...] = ()
    keep_rounds: int = 4
    service: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name in _TIMES:
            if self.seconds(name) < 2:
                raise ParameterError(f'{name} is "{getattr(self, name)}"; must be at least 2s')
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ParameterError(f"{name} is {getattr(self, name)}; must be from 0 to 1")
        least = {"generations": 0, "forks": 1, "phases": 1, "least_jobs": 1, "keep_rounds": 1}
        for name, smallest in least.items():
            require_whole(name, getattr(self, name), smallest)
        if not self.policies and not self.generations:
            raise ParameterError("no policies and no generations: there is nothing to try")
        for each in self.policies:
            find_policy(each)
        Measure.parse(self.metric)
        for each in self.keep:
            Guard.parse(each)
        if self.webhook is not None:
            check_url("webhook", self.webhook)
        for each in self.email:
            check_address("email", each)
        self.guards(Bounds(1))

    def seconds(self, name: str) -> float:
        """Return the time of a key in seconds."""
        try:
            return float(parse_duration(getattr(self, name)))
        except ParameterError as error:
            raise ParameterError(f"{name}: {error}") from None

    def guards(self, bounds: Bounds) -> Guards:
        """Return what steering may change, at a scheduler with these bounds."""
        return Guards.of(
            bounds,
            self.clamp,
            changes=self.changes,
            longest_wait_s=self.seconds("longest_wait"),
            account_loss=self.account_loss,
            least_same=self.least_same,
        )


def read_settings(folder: Path) -> tuple[OperateSettings, MailSection | None]:
    """Return what ``operate.toml`` in a site folder says; the defaults where there is none."""
    path = folder / FILE
    if not path.exists():
        return OperateSettings(), None
    try:
        document: dict[str, Any] = parse_toml(path, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    reject_unknown_keys(document, ("operate", "mail"), str(path))
    settings = build(OperateSettings, document.get("operate", {}), f"{path}: [operate]")
    mail = None
    if "mail" in document:
        mail = build(MailSection, document["mail"], f"{path}: [mail]")
    if settings.email and mail is None:
        raise InputError(f"{path}: email needs a section [mail] with server and sender")
    return settings, mail
