"""Simulations in the background: asked for by people, done by whichever worker is free."""

from schedlab.history.web.tasks.task import QueuedTask, State, TaskRequest

__all__ = ["QueuedTask", "State", "TaskRequest"]
