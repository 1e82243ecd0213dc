"""Simulations in the background: asked for by people, done by whichever worker is free."""

from schedlab.history.web.tasks.task import Asked, State, Task

__all__ = ["Asked", "State", "Task"]
