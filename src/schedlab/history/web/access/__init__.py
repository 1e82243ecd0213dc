"""Viewers: who sends a request, and which jobs they may see."""

from schedlab.history.web.access.viewer import Role, Scope, Viewer
from schedlab.history.web.access.visible import (
    countable,
    visible,
    visible_of_few,
    visible_parts,
)

__all__ = [
    "Role",
    "Scope",
    "Viewer",
    "countable",
    "visible",
    "visible_of_few",
    "visible_parts",
]
