"""Start and kill an ingest again and again, then let one finish. Run by a test.

``python -m tests.history.killed_ingests SITE STORE KILLS SEED``
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from schedlab.history import pipeline
from schedlab.history.site import read_site
from schedlab.history.sources import job_sources
from schedlab.history.store import Store
from schedlab.history.store.database import connect, parse_url, writing
from schedlab.history.store.tables import metadata


def ingest(site_file: str, url: str) -> None:
    """Run one whole ingest, in small transactions."""
    pipeline.BATCH, pipeline.MEASURED_AT_ONCE = 20, 10
    site = read_site(site_file)
    with Store.open(url) as store, store.ingesting():
        for source in job_sources(site):
            pipeline.ingest(store, source, site=site)
        pipeline.measure_due(store, site)


def start(site_file: str, url: str) -> int:
    """Return the id of a forked ingest; without a fork, most would be killed during imports."""
    process = os.fork()
    if not process:
        ingest(site_file, url)
        os._exit(0)
    return process


def main(site_file: str, url: str, kills: int, seed: int) -> None:
    """Time an ingest, kill others after random shares of that time, and finish."""
    trial = Path(site_file).with_name("trial.db")
    Store.make(str(trial)).close()
    began = time.monotonic()
    os.waitpid(start(site_file, str(trial)), 0)
    whole_s = time.monotonic() - began
    draw, killed = random.Random(seed), 0
    while killed < kills:
        process = start(site_file, url)
        time.sleep(draw.uniform(0.0, 0.4) * whole_s)
        os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        if os.WIFSIGNALED(status):
            killed += 1
        else:
            forget(url)  # it ended before the kill, and a full store leaves nothing to break
    os.waitpid(start(site_file, url), 0)


def forget(url: str) -> None:
    """Empty the store."""
    engine = connect(parse_url(url))
    with writing(engine) as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    engine.dispose()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
