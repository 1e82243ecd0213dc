"""From a name such as ``sjf+easy:depth=100`` to a policy that runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from schedlab import _core
from schedlab.errors import ParameterError, UnknownNameError
from schedlab.lookup import import_object, require_callable, split_parameters
from schedlab.policies.backfills import BACKFILLS, BackfillEntry
from schedlab.policies.orders import ORDERS, native_order
from schedlab.policies.parameters import Parameter, Parameters, whole
from schedlab.policies.policy import CheckedOrder, ChosenPolicy, Order
from schedlab.policies.ready import READY, ready_policy
from schedlab.policies.standalone import STANDALONE
from schedlab.predict import PredictorLike, find_predictor

ALIASES = {
    "easy": "fcfs+easy",
    "conservative": "fcfs+conservative",
    "easy-one-reserved": "fcfs+one-reserved",
    "wrsabf-or": "wrsa+one-reserved",
    "wrsabf-ar": "wrsa+all-reserved",
}


@dataclass(frozen=True)
class PolicyFile:
    """The maker of a policy from a file, which is imported when needed, and its parameters."""

    make: str
    parameters: Parameters = field(default_factory=dict)


FROM_FILES = {
    "learned": PolicyFile(
        "schedlab.policies.learned:learned_policy",
        {"sample": Parameter(whole, "draw actions by the network's probabilities, by this seed")},
    ),
    "evolved": PolicyFile("schedlab.policies.evolved:evolved_policy"),
}
"""The policies whose name is the kind and a file, as in ``learned:FILE``."""

PolicyLike = str | _core.Policy | _core.Order | type[_core.Policy] | type[_core.Order]


def find_policy(
    policy: PolicyLike, *, depth: int | None = None, predict: PredictorLike | None = None
) -> ChosenPolicy:
    """Return the policy of that name, class or object.

    Args:
        policy: ``order[+backfill][:key=value,...]``, or ``package.module:Class`` in place of the
            order, or a name in ``STANDALONE`` with its parameters, or
            ``learned:FILE[:sample=SEED]``, ``evolved:FILE`` or ``evolved:NAME`` with a name in
            ``READY``, or a subclass or instance of ``Policy`` or ``Order``.
        depth: how many jobs a pass considers, unless the name says so itself.
        predict: the predictor of run times, unless the name has one.
    """
    if isinstance(policy, str):
        base, texts = _split(policy)
        predict = texts.pop("predict", predict)
        found = _from_text(base, texts, depth)
    else:
        found = _from_code(policy, "none", {}, depth)
    predictor = find_predictor("request" if predict is None else predict)
    if predictor.name == "request":
        return found
    joint = "," if found.parameters else ":"
    return replace(found, name=f"{found.name}{joint}predict={predictor.name}", predictor=predictor)


def with_file_in(folder: Path, policy: str) -> str:
    """Return the policy with its file, as in ``learned:FILE``, taken from the folder."""
    kind, colon, file = policy.partition(":")
    from_file = colon and kind in FROM_FILES and not _is_ready(kind, file)
    return f"{kind}:{folder / file}" if from_file else policy


def _is_ready(kind: str, name: str) -> bool:
    return kind == "evolved" and name in READY


def _from_text(base: str, parameters: dict[str, str], depth: int | None) -> ChosenPolicy:
    kind, colon, file = base.partition(":")
    if _is_ready(kind, file):
        return _from_code(ready_policy(file), "none", parameters, depth)
    if kind == "evolved" and not Path(file).suffix and not Path(file).exists():
        raise UnknownNameError("ready policy", file, READY)
    if colon and kind in FROM_FILES:
        known = FROM_FILES[kind].parameters
        own = {key: parameters.pop(key) for key in known if key in parameters}
        values = _parsed(base, own, known)
        made = import_object("policy", FROM_FILES[kind].make)(file, **values)
        return replace(_from_code(made, "none", parameters, depth), parameters=values)
    if base in STANDALONE:
        values = _parsed(base, parameters, STANDALONE[base].parameters)
        made = import_object("policy", STANDALONE[base].make)(**values)
        chosen = _from_code(made, "none", {}, depth, _full_name(base, parameters))
        return replace(chosen, parameters=values)
    order, _, backfill = ALIASES.get(base, base).partition("+")
    if ":" in order:
        return _from_code(
            import_object("policy", order), backfill or "none", parameters, depth, order
        )
    if order not in ORDERS or (backfill and backfill not in BACKFILLS):
        raise UnknownNameError("policy", base, known_names())
    make = partial(native_order, order)
    of_order = ORDERS[order].parameters
    return _backfilled(make, of_order, _recorded(base), backfill or "none", parameters, depth)


def _recorded(base: str) -> str:
    """Return the name for results: the alias of a combination, else the name as written."""
    shorter = {full: alias for alias, full in ALIASES.items()}
    return shorter.get(base, base)


def known_names() -> list[str]:
    """Return every name of the table, aliases first."""
    names = [*ALIASES, *ORDERS, *STANDALONE]
    return names + [f"{o}+{b}" for o in ORDERS for b in BACKFILLS if b != "none"]


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Return the name before the parameters, and the parameters as text."""
    name, *rest = re.split(r":(?=[^:/]*=)", text.strip(), maxsplit=1)
    parameters = split_parameters(rest[0] if rest else "", f'policy "{text}"')
    first = name.partition(":")[0].partition("+")[0]
    if ":" in name and (first in ORDERS or first in ALIASES or first in STANDALONE):
        raise ParameterError(
            f'policy "{text}": write parameters as {name.partition(":")[0]}:key=value'
        )
    return name, parameters


def _from_code(
    found: Any, backfill: str, parameters: dict[str, str], depth: int | None, name: str = ""
) -> ChosenPolicy:
    if isinstance(found, type):
        require_callable("policy", name or found.__name__, found)
    made = found() if isinstance(found, type) else found
    name = name or getattr(made, "name", type(made).__name__)
    if isinstance(made, _core.Order):
        full = name if backfill == "none" else f"{name}+{backfill}"
        order = CheckedOrder(made) if isinstance(made, Order) else made
        return _backfilled(lambda: order, {}, full, backfill, parameters, depth)
    if not isinstance(made, _core.Policy):
        raise ParameterError(
            f'policy "{name}" is a {type(made).__name__}; must be a Policy or Order'
        )
    if backfill != "none" or parameters or depth is not None:
        raise ParameterError(f'policy "{name}" decides by itself: it takes no backfill or depth')
    return ChosenPolicy(name, made)


def _backfilled(
    make_order: Callable[..., _core.Order],
    of_order: Parameters,
    name: str,
    backfill: str,
    texts: dict[str, str],
    depth: int | None,
) -> ChosenPolicy:
    if backfill not in BACKFILLS:
        raise UnknownNameError("way to backfill", backfill, BACKFILLS)
    entry = BACKFILLS[backfill]
    if depth is not None:
        texts = {"depth": str(depth), **texts}
    values = _parsed(name, texts, {**of_order, **entry.parameters})
    _require_order_for(values, name, entry)
    order = make_order(**{key: values[key] for key in values if key in of_order})
    settings = {key: values[key] for key in values if key in entry.parameters}
    return ChosenPolicy(_full_name(name, texts), entry.build(order, **settings), values)


def _require_order_for(values: dict[str, Any], name: str, entry: BackfillEntry) -> None:
    order = ALIASES.get(name, name).partition("+")[0]
    for key in values:
        if key in entry.fcfs_only and order != "fcfs":
            raise ParameterError(f'policy "{name}": {key} is for the order fcfs; omit it')


def _full_name(name: str, texts: dict[str, str]) -> str:
    suffix = ",".join(f"{key}={text}" for key, text in texts.items())
    return f"{name}:{suffix}" if suffix else name


def _parsed(name: str, texts: dict[str, str], known: Parameters) -> dict[str, Any]:
    values = {}
    for key, text in texts.items():
        if key not in known:
            raise UnknownNameError(f"parameter of {name}:", key, known)
        try:
            values[key] = known[key].parse(text)
        except ParameterError as error:
            raise ParameterError(f'policy "{name}": {key} is {error}') from None
    return values
