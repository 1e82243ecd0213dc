"""What another configuration of Slurm would have done, by the twin of the site."""

from __future__ import annotations

from typing import Any

from schedlab.errors import ParameterError
from schedlab.history.web.tasks.runner import Progress
from schedlab.history.web.tasks.task import QueuedTask
from schedlab.history.web.twin import Twin, TwinSettings


def twin_what_if(twin: Twin | None, task: QueuedTask, progress: Progress) -> Any:
    """Let the twin replay the history, with Slurm as it is and as changed."""
    if twin is None:
        raise ParameterError("the site has no twin of its Slurm any more")
    asked = TwinSettings.of(task.parameters)
    return twin.what_if(asked.changes, asked.nodes, asked.phases, asked.seed, progress)
