"""Settings proposed by Optuna's tree-structured Parzen estimator (Bergstra et al., 2011)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import optuna
from optuna.pruners import MedianPruner
from optuna.samplers import TPESampler
from optuna.trial import TrialState

from schedlab.errors import InputError, SchedlabError
from schedlab.experiments.tuning.config import Tuning
from schedlab.experiments.tuning.space import ParameterRange, Setting, TunedParameter, name_of
from schedlab.experiments.tuning.trainings import Trainings
from schedlab.experiments.tuning.trial import SearchResult, Trial

PATIENCE = 200
"""The search is given up after this number of proposals in a row that cannot be trained."""

Proposal = tuple[optuna.Trial, Setting]


def optuna_search(tuning: Tuning, trainings: Trainings) -> SearchResult:
    """Propose, train and learn from the scores, until there are enough trials.

    Proposals depend on the seed and on earlier scores only, not on which training finishes first:
    an interrupted search that is started again asks for the same trainings and finds them kept.
    """
    return _Search(tuning, trainings).run(tuning.about.trials or 0)


class _Search:
    def __init__(self, tuning: Tuning, trainings: Trainings) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        about = tuning.about
        self.tuning, self.trainings = tuning, trainings
        self.rungs = (*about.prune_at, tuning.training.train.steps)
        self.study = optuna.create_study(
            direction="maximize" if about.larger_is_better else "minimize",
            sampler=TPESampler(seed=about.seed, constant_liar=True),
            pruner=MedianPruner(),
        )
        self.trials: dict[str, Trial] = {}
        self.left_out: dict[str, str] = {}

    def run(self, count: int) -> SearchResult:
        about = self.tuning.about
        self.trainings.expect(count * about.runs * len(self.rungs))
        for begun in range(0, count, about.at_once):
            self._climb([self._propose() for _ in range(min(about.at_once, count - begun))])
        return SearchResult(list(self.trials.values()), self.left_out)

    def _propose(self) -> Proposal:
        """Return a setting that can be trained."""
        for _ in range(PATIENCE):
            trial = self.study.ask()
            setting = {each.key: _suggest(trial, each) for each in self.tuning.space.parameters}
            try:
                self.tuning.config(setting)
                return trial, setting
            except SchedlabError as error:
                reason = self.left_out[name_of(setting)] = str(error)
                self.study.tell(trial, state=TrialState.FAIL)
        raise InputError(f"none of {PATIENCE:,} proposed settings can be trained: {reason}")

    def _climb(self, proposals: list[Proposal]) -> None:
        """Train the proposals together, each only as long as it is worth it."""
        after = None
        for rung, steps in enumerate(self.rungs):
            trials = self.trainings.of([each for _, each in proposals], steps, after=after)
            after = steps
            going_on = []
            for proposal, trial in zip(proposals, trials, strict=True):
                if self._goes_on(proposal[0], trial):
                    going_on.append(proposal)
                else:
                    rungs_left = len(self.rungs) - 1 - rung
                    self.trainings.pass_over(rungs_left * self.tuning.about.runs)
            proposals = going_on

    def _goes_on(self, proposed: optuna.Trial, trial: Trial) -> bool:
        """Report the trial to Optuna; return whether to train it further."""
        if trial.mean is None:
            self.study.tell(proposed, state=TrialState.FAIL)
        elif trial.steps == self.rungs[-1]:
            self.study.tell(proposed, trial.mean)
        else:
            proposed.report(trial.mean, trial.steps)
            if not proposed.should_prune():
                return True
            self.study.tell(proposed, state=TrialState.PRUNED)
            trial = replace(trial, given_up=True)
        self._keep(trial)
        return False

    def _keep(self, trial: Trial) -> None:
        """Keep the trial; of a setting that was proposed twice, the one that went further."""
        name = name_of(trial.setting)
        before = self.trials.get(name)
        if before is None or before.steps < trial.steps:
            self.trials[name] = trial


def _suggest(trial: optuna.Trial, parameter: TunedParameter) -> Any:
    key, domain = parameter.key, parameter.domain
    if isinstance(domain, ParameterRange):
        if isinstance(domain.low, int):
            return trial.suggest_int(key, domain.low, int(domain.high), log=domain.log)
        drawn = trial.suggest_float(key, domain.low, domain.high, log=domain.log)
        # More digits could be neither read nor told apart.
        return min(max(float(f"{drawn:.4g}"), domain.low), domain.high)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in domain):
        # In order: what is good at 512 may well be good at 1024.
        return sorted(domain)[trial.suggest_int(key, 0, len(domain) - 1)]
    return domain[trial.suggest_categorical(key, range(len(domain)))]
