"""The policies that the service simulates, by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from schedlab.errors import ParameterError, UnknownNameError
from schedlab.lookup import split_parameters
from schedlab.policies import POLICIES, STANDALONE, find_policy
from schedlab.policies.ready import READY
from schedlab.predict import PREDICTORS

MOST_POLICIES = 6
EVOLVED = {f"evolved:{name}": sentence for name, sentence in READY.items()}
OFFERED = (*(name for name in POLICIES if name not in STANDALONE), *EVOLVED)
"""All names, without parameters; those for jobs on several clusters are left out."""


def check_policies(names: Sequence[str]) -> list[str]:
    """Return the full names, each once.

    Only names in the tables are allowed: others could load any code or file on the machine.
    """
    for name in names:
        _require_known(name)
    chosen = list(dict.fromkeys(find_policy(name).name for name in names))
    if not 1 <= len(chosen) <= MOST_POLICIES:
        raise ParameterError(f"{len(chosen)} policies; choose from 1 to {MOST_POLICIES}")
    return chosen


def split_policy(text: str) -> tuple[str, dict[str, str]]:
    """Return the name before the parameters, and the parameters as texts."""
    name, *rest = re.split(r":(?=[^:/]*=)", text.strip(), maxsplit=1)
    return name, split_parameters(rest[0] if rest else "", f'policy "{text}"')


def _require_known(text: str) -> None:
    name, parameters = split_policy(text)
    if name not in OFFERED:
        raise UnknownNameError("policy", name, OFFERED)
    predictor = parameters.get("predict", "request")
    if predictor not in PREDICTORS:
        raise UnknownNameError("predictor", predictor, PREDICTORS)
