"""schedlab evolve."""

from schedlab.cli.evolve.command import EXAMPLES, evolve

__all__ = ["EXAMPLES", "evolve"]
