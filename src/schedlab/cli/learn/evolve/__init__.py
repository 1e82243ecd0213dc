"""schedlab learn evolve."""

from schedlab.cli.learn.evolve.command import EXAMPLES, evolve

__all__ = ["EXAMPLES", "evolve"]
