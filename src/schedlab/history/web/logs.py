"""Where the service's log goes."""

from __future__ import annotations

import logging

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def log_to_stderr() -> None:
    """Log what the service does, and what others warn of."""
    logging.basicConfig(level=logging.WARNING, format=_FORMAT)
    logging.getLogger("schedlab").setLevel(logging.INFO)
