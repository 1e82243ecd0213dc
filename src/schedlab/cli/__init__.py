"""The command line: ``schedlab``."""

from __future__ import annotations

import sys

from schedlab.cli.signals import INTERRUPTED, ending, meet_signals


def main() -> None:
    """Run the command line; slow imports are here, so that Ctrl-C is handled during them."""
    try:
        meet_signals()
        from schedlab.cli.app import app

        app(prog_name="schedlab")
    except KeyboardInterrupt:
        print(f"schedlab: {ending()}", file=sys.stderr)
        sys.exit(INTERRUPTED)
