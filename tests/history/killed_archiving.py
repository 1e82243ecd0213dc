"""Archive in processes that are killed at random times, then once to the end. Run by a test.

``python -m tests.history.killed_archiving STORE FOLDER BEFORE_S KILLS SEED``
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from schedlab.history.job_archive import move
from schedlab.history.store import Store


def archive(url: str, folder: str, before_s: int) -> None:
    """Move all old jobs, a few at a time."""
    move.PART = 5
    with Store.open(url) as store, store.ingesting():
        move.move_jobs(store, Path(folder), before_s)


def main(url: str, folder: str, before_s: int, kills: int, seed: int) -> None:
    """Kill archiving processes after random times, most of them within a step, and then finish."""
    import duckdb as duckdb  # here, or each of the forked processes would take long to load it
    import pyarrow.parquet as parquet

    assert parquet is not None
    draw = random.Random(seed)
    for _ in range(kills):
        process = os.fork()
        if not process:
            archive(url, folder, before_s)
            os._exit(0)
        time.sleep(draw.uniform(0.0, 0.25))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    archive(url, folder, before_s)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
