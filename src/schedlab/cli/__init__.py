"""The command line: ``schedlab``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; whatever takes time to load is loaded here, so that Ctrl-C is met."""
    try:
        from schedlab.cli.app import app

        app(prog_name="schedlab")
    except KeyboardInterrupt:
        print("schedlab: interrupted", file=sys.stderr)
        sys.exit(130)
