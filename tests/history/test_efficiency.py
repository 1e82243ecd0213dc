"""How much of its request a job used, and the sentence of advice on what to ask for instead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.history.records import NOON_S, job
from tests.history.tiny_site import tiny_site

from schedlab.errors import InputError
from schedlab.history.demo import MONTH, demo_schedule, store_demo
from schedlab.history.efficiency.judge import efficiency_of
from schedlab.history.efficiency.waste import summed, wasted
from schedlab.history.efficiency_section import EfficiencySection, Level
from schedlab.history.schema import JobRecord
from schedlab.history.schema.times import from_epoch
from schedlab.history.site import read_site
from schedlab.history.store import Store

GIB = 2**30
HOUR_S = 3_600


def ran(hours: float = 10, **items: Any) -> JobRecord:
    """Return a job of one node that waited an hour and ran ``hours`` of the 12 h it asked for."""
    start_s = NOON_S + HOUR_S
    times: dict[str, Any] = {
        "start_time": from_epoch(start_s),
        "end_time": from_epoch(start_s + int(HOUR_S * hours)),
        "req_walltime_sec": 12 * HOUR_S,
    }
    return job("1", **times | items)


def on_node(**means: float) -> list[dict[str, Any]]:
    """Return the one host of a job, with these measured aggregates."""
    return [{"node_id": "n01", **means}]


def with_gpus(*percents: float) -> dict[str, Any]:
    """Return the items of a job on one host whose GPUs had these mean utilisations."""
    devices = [{"utilization_percent_avg": each} for each in percents]
    request = {"num_host": 1, "accelerator": {"num_perhost": len(percents)}}
    return {"per_host": [{"node_id": "n01", "accelerator": devices}], "resource_req": request}


def memory(asked_gib: float, used_gib: float) -> dict[str, Any]:
    """Return the items of a job that asked for one amount of memory and used another."""
    request = {"num_host": 1, "mem_perhost_bytes": int(asked_gib * GIB)}
    return {"resource_req": request, "per_host": on_node(used_mem_bytes_max=used_gib * GIB)}


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        (
            ran(**memory(100, 2.5)),
            "It asked for 100 GiB on a node and used 2.50 GiB: ask for 4 GiB and wait less.",
        ),
        (ran(**memory(3, 2.5)), None),
        (ran(**memory(1, 0.1)), None),
        (
            ran(1, req_walltime_sec=48 * HOUR_S),
            "It asked for 2.00 d and ran 1.00 h: ask for 2.00 h and wait less.",
        ),
        (ran(1, req_walltime_sec=48 * HOUR_S, state="failed"), None),
        (ran(**with_gpus(0, 0)), "It did not use its 2 GPUs: ask for none and wait less."),
        (ran(**with_gpus(1)), "It asked for a GPU and did not use it: ask for none and wait less."),
        (
            ran(**with_gpus(80, 0, 0, 0)),
            "3 of its 4 GPUs were idle: ask for 1 and wait less.",
        ),
        (
            ran(**with_gpus(20, 20)),
            "Its GPUs were busy 20 % of the time: see whether data reach them fast enough, "
            "or ask for fewer.",
        ),
        (ran(**with_gpus(80, 70)), None),
        (
            ran(**with_gpus(90, 0)),
            "1 of its 2 GPUs was idle: ask for 1 and wait less.",
        ),
        (
            ran(
                usage={"cpu_sec": 10 * HOUR_S}, resource_req={"num_host": 1, "num_cpu_perhost": 16}
            ),
            "It asked for 16 CPUs on a node and kept 1 busy: ask for 2 and wait less.",
        ),
        (ran(0.1, **memory(100, 2.5)), None),
        (job(state="running", end_time=None), None),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_the_sentence_says_what_to_ask_for(record: JobRecord, sentence: str | None) -> None:
    """The advice is on the scarcest resource; jobs that use enough, are short or fail get none."""
    assert efficiency_of(record, None).advice == sentence


def test_a_job_that_did_not_wait_is_not_told_so() -> None:
    """A job that started at once would not have started sooner."""
    at_once = ran(**memory(100, 2.5), queue_time=from_epoch(NOON_S + HOUR_S))
    advice = efficiency_of(at_once, None).advice
    assert advice is not None
    assert advice.endswith("ask for 4 GiB.")


def test_shares_are_judged_by_the_site(tmp_path: Path) -> None:
    """Sensors take precedence over the accounting, and the site's thresholds apply."""
    site_file = tiny_site(tmp_path).path
    site_file.write_text(site_file.read_text() + "[efficiency]\ncpu = 0.4\n")
    site = read_site(site_file)
    record = ran(per_host=on_node(used_cpu_percent_avg=30.0), usage={"cpu_sec": 1.0})
    use = efficiency_of(record, site).use("cpu")
    assert use is not None
    assert (use.share, use.level, use.note) == (0.3, Level.POOR, "1.2 of 4 CPUs of a node")
    assert efficiency_of(record, tiny_site(tmp_path)).use("cpu").level is Level.FAIR  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("cpu = 1.5", "cpu is 1.5; must be from 0 to 1"),
        ("shortest_s = -1", "shortest_s is -1"),
        ("gpus = 0.5", 'did you mean "gpu"'),
    ],
)
def test_a_wrong_threshold_is_told_with_its_place(tmp_path: Path, line: str, told: str) -> None:
    """The error names the key and what is allowed."""
    site_file = tiny_site(tmp_path).path
    site_file.write_text(site_file.read_text() + f"[efficiency]\n{line}\n")
    with pytest.raises(InputError, match=told):
        read_site(site_file)


@pytest.mark.parametrize(
    ("share", "level"),
    [(0.0, Level.POOR), (0.25, Level.FAIR), (0.5, Level.GOOD), (1.0, Level.GOOD)],
)
def test_levels_follow_the_threshold(share: float, level: Level) -> None:
    """Below the threshold is poor, below twice as much fair; a job of a minute is not judged."""
    section = EfficiencySection(cpu=0.25)
    assert section.levels({"cpu": share}, 3_600)["cpu"] is level
    assert section.levels({"cpu": share}, 60)["cpu"] is None
    assert section.levels({"cpu": None}, 3_600)["cpu"] is None


def test_busy_gpus_excuse_idle_cpus() -> None:
    """Most training jobs wait for their GPUs, so their idle CPUs are not judged."""
    section = EfficiencySection()
    assert section.levels({"cpu": 0.1, "gpu": 0.9}, 3_600)["cpu"] is None
    assert section.levels({"cpu": 0.1, "gpu": 0.1}, 3_600)["cpu"] is Level.POOR


@pytest.mark.parametrize(("exclusive", "share"), [(True, 0.25), (False, 0.5)])
def test_energy_is_of_what_busy_nodes_draw(tmp_path: Path, exclusive: bool, share: float) -> None:
    """The share is of a busy node, or of the job's half of one; a level needs a threshold."""
    path = tiny_site(tmp_path).path
    text = path.read_text().replace("cores = 4", "cores = 4\npower = { idle_w = 50, busy_w = 400 }")
    path.write_text(text)
    used: dict[str, Any] = {"total_joule": 100.0 * 10 * HOUR_S}
    record = ran(
        10,
        energy=used,
        exclusive=exclusive,
        resource_req={"num_host": 1, "num_cpu_perhost": 2},
    )
    use = efficiency_of(record, read_site(path)).use("energy")
    assert use is not None
    assert use.share == pytest.approx(share)
    assert use.level is None
    path.write_text(f"{text}[efficiency]\nenergy = 0.3\n")
    judged = efficiency_of(record, read_site(path)).use("energy")
    assert judged is not None
    assert judged.level is (Level.POOR if exclusive else Level.FAIR)


def test_waste_is_what_was_held_and_idle() -> None:
    """A node is as busy as the busier of its CPUs and GPUs; without measurements it is not idle."""
    measured = ran(10, **with_gpus(60, 20), state="completed")
    found = [wasted(1, measured, None), wasted(2, ran(10, per_host=on_node()), None)]
    total = summed(each for each in found if each is not None)
    assert (total.jobs, total.node_h, total.gpu_h) == (2, 20.0, 20.0)
    assert total.idle_node_h == pytest.approx(6.0)
    assert total.idle_gpu_h == pytest.approx(4.0 + 8.0)
    assert total.idle_share == pytest.approx(0.3)
    assert wasted(3, job(state="running", end_time=None), None) is None


def test_the_wasteful_miniature_site_has_something_to_show(tmp_path: Path) -> None:
    """The site has unused memory, an idle GPU, and jobs of a source that fell silent."""
    extent = replace(MONTH, jobs=60)
    site = store_demo(tmp_path / "site", extent=extent)
    with Store.open(site.store.located(site.path.parent)) as store:
        records = list(store.jobs())
    told = [efficiency_of(record, site).advice or "" for record in records]
    assert any("asked for 56.0 GiB" in each for each in told)
    assert any("GPUs was idle" in each or "GPUs were idle" in each for each in told)
    assert {each.cluster for each in records} == {"mini", "old"}


@pytest.mark.slow
def test_a_month_is_a_month() -> None:
    """The last job of the served miniature site ends after 28 to 40 days."""
    schedule = demo_schedule(1, MONTH)
    assert 28 * 86_400 < schedule.end_s.max() < 40 * 86_400
