"""The picker of policies: an order of the queue and a way to backfill, each with one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from schedlab.errors import SchedlabError, UnknownNameError
from schedlab.history.web.simulations.policy_names import EVOLVED, check_policies, split_policy
from schedlab.policies import ALIASES, BACKFILLS, ORDERS
from schedlab.predict import PREDICTORS

ORDER_GROUPS: Mapping[str, tuple[str, ...]] = {
    "By arrival": ("fcfs", "lcfs"),
    "By requested time": ("sjf", "ljf"),
    "By size": ("snf", "lnf", "saf", "laf"),
    "By wait, time and size": ("wfp3", "unicef", "f1", "f2", "f3", "f4"),
    "By accuracy of requests": ("wrsa",),
}
"""Orders by what they compare; ``linear`` has no meaning without weights, and is given by name."""
GROUPED = tuple(name for names in ORDER_GROUPS.values() for name in names)


@dataclass(frozen=True)
class Control:
    """A control for a parameter of policies: a slider with a number field, or a list.

    Args:
        label: its name on the page.
        means: one line that explains it.
        usual: the value that holds if nothing is chosen.
        stops: the stops of the slider; the field takes any number.
        at_end: whether the slider ends with the usual value, beyond all stops.
        unit: the unit that follows the number in the policy's name.
        choices: the entries of the list: each a value and its label.
        least: the smallest number allowed.
    """

    label: str
    means: str
    usual: str
    stops: tuple[float, ...] = ()
    at_end: bool = False
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    least: float = 0

    @property
    def texts(self) -> list[str]:
        """The stops as the number field has them; the usual value leaves it empty."""
        found = [f"{each:g}" for each in self.stops]
        return [*found, ""] if self.at_end else found

    def place(self, text: str) -> int:
        """Return the place of the slider for the text in the field."""
        if text == "" and self.at_end:
            return len(self.stops)
        try:
            value = float(text or self.usual)
        except ValueError:
            return 0
        return min(range(len(self.stops)), key=lambda at: abs(self.stops[at] - value))


CONTROLS: Mapping[str, Control] = {
    "depth": Control(
        "Depth",
        "How many waiting jobs a pass considers.",
        "all",
        (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
        at_end=True,
        least=1,
    ),
    "predict": Control(
        "Run times are planned with",
        "A prediction in place of the request; jobs are killed at their request all the same.",
        "the request",
        choices=tuple((name, name) for name in PREDICTORS if name != "request"),
    ),
    "backfill": Control(
        "EASY tries candidates",
        "In which order jobs may jump ahead.",
        "in the order of the queue",
        choices=tuple((name, f"{name}: {ORDERS[name].sentence}") for name in GROUPED),
    ),
    "max_priority_gap": Control(
        "EASY: maximum priority gap",
        "Backfill only jobs whose score is within this of the head's.",
        "no limit",
        (0, 1, 10, 100, 1000, 10_000, 100_000),
        at_end=True,
    ),
    "reserve": Control(
        "A reservation holds",
        "Until its job starts. Conservative: only where plans are made again at every pass.",
        "what the job needs, of any nodes",
        choices=(("nodes", "certain nodes, whole"),),
    ),
    "rebuild": Control(
        "Conservative: plans",
        "Whether reservations are made again at every pass.",
        "move only earlier",
        choices=(("true", "are made again at every pass"),),
    ),
    "promises": Control(
        "Conservative: promises",
        "How many waiting jobs have one. Only with FCFS, and where jobs have whole nodes.",
        "all",
        (1, 2, 5, 10, 20, 50, 100),
        at_end=True,
        least=1,
    ),
    "alpha": Control(
        "One-reserved: longest job in a gap",
        "How many times as long as a gap a job may be to fill it; later plans move back.",
        "1.5",
        (1, 1.25, 1.5, 2, 3, 5),
        least=1,
    ),
    "reservation": Control(
        "Reserved: reservations",
        "What becomes of reservations between passes.",
        "are planned again at every pass",
        choices=(
            ("frozen", "are kept and started exactly then"),
            ("pinned", "are kept on named nodes (whole nodes only)"),
        ),
    ),
    "push": Control(
        "One-reserved, pinned: a displaced plan",
        "Where it goes, on its own nodes.",
        "moves behind the job, and pushes others",
        choices=(("hole", "moves into the next gap"),),
    ),
    "beta": Control(
        "WRSA: weight of the past",
        "How much a user's earlier requests count.",
        "0.3",
        (0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9),
    ),
    "ageing": Control(
        "WRSA: ageing, in days",
        "A wait this long weighs as much as full accuracy.",
        "never",
        (1, 2, 3, 7, 14, 30),
        at_end=True,
        unit="d",
        least=1,
    ),
}
"""The controls by the name of their parameter, in the order in which they are shown."""
COMMON = ("depth", "predict")
"""The parameters that all policies take; the others are shown below them."""


@dataclass(frozen=True)
class Picked:
    """The policies that are ticked and set in the picker.

    Args:
        orders: orders of the queue.
        backfills: ways to backfill; each is combined with each order.
        evolved: policies that decide by themselves.
        values: the texts in the fields of ``CONTROLS``, for those policies that take them.
        names: further policies, by their names.
    """

    orders: tuple[str, ...] = ()
    backfills: tuple[str, ...] = ()
    evolved: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def policies(self) -> list[str]:
        """Return the full names of the policies, checked."""
        for kind, given, known in (
            ("order", self.orders, GROUPED),
            ("way to backfill", self.backfills, BACKFILLS),
            ("policy", self.evolved, EVOLVED),
        ):
            for name in given:
                if name not in known:
                    raise UnknownNameError(kind, name, known)
        return check_policies([*self._combined(), *self.evolved, *self.names])

    def _combined(self) -> Iterator[str]:
        if not self.orders and not self.backfills:
            return
        for order, backfill in product(self.orders or ("fcfs",), self.backfills or ("none",)):
            takes = {*ORDERS[order].parameters, *BACKFILLS[backfill].parameters, "predict"}
            settings = ",".join(
                f"{key}={value}{CONTROLS[key].unit}"
                for key, value in self.values.items()
                if key in takes and value
            )
            name = order if backfill == "none" else f"{order}+{backfill}"
            yield f"{name}:{settings}" if settings else name


def picked_of(policies: Sequence[str]) -> Picked:
    """Return what to tick for these policies; if the picker cannot express them, their names."""
    evolved = tuple(name for name in policies if name in EVOLVED)
    others = tuple(name for name in policies if name not in EVOLVED)
    try:
        parts = [_split(name) for name in others]
        made = Picked(
            tuple(dict.fromkeys(order for order, _, _ in parts)),
            tuple(dict.fromkeys(backfill for _, backfill, _ in parts)),
            evolved,
            {key: value for *_, values in parts for key, value in values.items()},
        )
        is_said = set(made.policies()) == set(policies)
    except (SchedlabError, KeyError):
        is_said = False
    return made if is_said else Picked(evolved=evolved, names=others)


def _split(name: str) -> tuple[str, str, dict[str, str]]:
    base, values = split_policy(name)
    order, _, backfill = ALIASES.get(base, base).partition("+")
    own = {key: text.removesuffix(CONTROLS[key].unit) for key, text in values.items()}
    return order, backfill or "none", own
