"""A GPU idles for hours in a running job."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select

from schedlab.errors import UnknownNameError
from schedlab.history.alerts.alert import HOUR_S, Alert, RuleInput
from schedlab.history.efficiency.job import IDLE
from schedlab.history.gather import read_item, with_devices
from schedlab.history.schema.job import JobRecord, JobState
from schedlab.history.sensors.resample import coverage, mean
from schedlab.history.sensors.source import SensorRequest
from schedlab.history.store.tables import UNFINISHED, jobs
from schedlab.units import short_duration

_ITEM = "accelerator.utilization_percent"
_MOST_JOBS = 500
_SEEN = 0.5
"""A GPU that was seen for a smaller share of the time is not judged."""


def idle_gpus(look: RuleInput) -> Iterator[Alert]:
    """Yield an alert for each running job with GPUs that did next to nothing in the last hours."""
    if not any(_ITEM in source.items for source in look.site.sensor_sources):
        return
    began_s = int(look.now_s - look.section.idle_gpu_h * HOUR_S)
    running = select(jobs.c.id, jobs.c.record).where(
        UNFINISHED, jobs.c.state == JobState.RUNNING, jobs.c.start_s <= began_s
    )
    longest = running.order_by(jobs.c.start_s, jobs.c.id).limit(_MOST_JOBS)
    for key, text in look.connection.execute(longest).all():
        record = JobRecord.model_validate_json(text)
        held, idle = _measured(look, record, began_s)
        if idle:
            yield _alert(look, key, record, held, idle)


def _measured(look: RuleInput, record: JobRecord, from_s: float) -> tuple[int, list[str]]:
    """Return the number of GPUs that were seen, and the places of the idle ones."""
    try:
        cluster = look.site.cluster(record.cluster)
    except UnknownNameError:
        return 0, []
    hosts = with_devices(record, cluster)
    sources = look.site.sensor_items(cluster.name).get(_ITEM, [])
    times = SensorRequest({}, from_s, look.now_s, record.jobid, cluster.name)
    found = read_item(_ITEM, sources, times, hosts).found
    seen = {
        place: each.series
        for place, each in found.items()
        if coverage(each.series, from_s, look.now_s) >= _SEEN
    }
    idle = [
        f"{place.host} GPU {place.device}"
        for place, series in sorted(seen.items())
        if mean(series, from_s, look.now_s) < 100 * IDLE
    ]
    return len(seen), idle


def _alert(look: RuleInput, key: int, record: JobRecord, held: int, idle: list[str]) -> Alert:
    hours = short_duration(look.section.idle_gpu_h * HOUR_S)
    who = f" of {record.user_identifier}" if record.user_identifier else ""
    where = ", ".join(idle[:4]) + (", …" if len(idle) > 4 else "")
    text = (
        f"Job {record.jobid}{who} on {record.cluster}: {len(idle)} of its {held} GPUs "
        f"{'was' if len(idle) == 1 else 'were'} idle in the last {hours} ({where})."
    )
    return Alert("idle-gpu", f"{record.cluster} {record.jobid}", text, f"/jobs/{key}")
