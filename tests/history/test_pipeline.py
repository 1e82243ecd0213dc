"""Jobs get from the sources of a site into its store, whatever goes wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.history.records import job
from tests.history.tiny_site import tiny_site, write_jobs, write_power

from schedlab.errors import PeerError
from schedlab.history import pipeline
from schedlab.history.gather import Readings, gather
from schedlab.history.pipeline import ingest, measure_due
from schedlab.history.schema import Fault, JobRecord
from schedlab.history.site import Site, read_site
from schedlab.history.sources import job_sources
from schedlab.history.store import JobQuery, Measurement, Store
from schedlab.history.store.tables import ingests


class Source:
    """A source that reports what the test gave it."""

    name = "source"
    cursor = ""

    def __init__(self, *found: JobRecord | Fault | Exception) -> None:
        self.found = found
        self.asked: list[str | None] = []

    def read(self, since: str | None = None) -> Iterator[JobRecord | Fault]:
        """Yield the records and faults in turn, and raise the errors."""
        self.asked.append(since)
        for each in self.found:
            if isinstance(each, Exception):
                raise each
            yield each
        self.cursor = f"{len(self.found)} rows"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.make(str(tmp_path / "history.db")) as made:
        yield made


def run(site: Site, store: Store) -> pipeline.Sensing:
    """Run one whole ingest of the site."""
    for source in job_sources(site):
        assert ingest(store, source, site=site).failure is None
    return measure_due(store, site)


def test_jobs_get_power_and_energy(store: Store, tmp_path: Path) -> None:
    """A job of 100 s on a node of 100 W takes 10 kJ; on both nodes, 30 kJ."""
    assert run(tiny_site(tmp_path), store).measured == 3
    joules = [each.energy.total_joule for each in store.jobs() if each.energy is not None]
    assert joules == pytest.approx([10_000.0, 30_000.0, 10_000.0])
    assert [each.maxpower_watt for each in store.jobs()] == pytest.approx([100.0, 300.0, 100.0])


def test_a_second_run_has_nothing_to_do(store: Store, tmp_path: Path) -> None:
    """Aggregates are computed once."""
    site = tiny_site(tmp_path)
    run(site, store)
    before = list(store.documents())
    assert run(site, store).measured == 0
    assert list(store.documents()) == before


def test_the_next_reading_goes_on_from_the_cursor(store: Store) -> None:
    """An ingest reads on from the cursor, unless everything is wanted again."""
    source = Source(job("1"))
    for from_start in (False, False, True):
        ingest(store, source, from_start=from_start)
    assert source.asked == [None, "1 rows", None]


def test_a_source_that_is_of_another_kind_now_is_read_anew(store: Store) -> None:
    """Rows that a wrong kind has read as faults must not count as read."""

    class Corrected(Source):
        """A source of another kind, which reads the row correctly."""

    ingest(store, Source(Fault("file:1", "has 45 fields")))
    corrected = Corrected(job("1"))
    assert ingest(store, corrected).added == 1
    assert corrected.asked == [None]


def test_a_broken_row_is_told_of_and_the_rest_goes_on(store: Store) -> None:
    """A fault costs one row."""
    outcome = ingest(store, Source(job("1"), Fault("file:2", "has 3 fields"), job("2")))
    assert (outcome.added, outcome.fault_count) == (2, 1)
    assert str(outcome.faults[0]) == "file:2: has 3 fields"


def test_a_source_that_breaks_off_keeps_what_was_read(store: Store) -> None:
    """The cursor stays where it was: the next run reads the rest, and nothing is lost."""
    outcome = ingest(store, Source(job("1"), PeerError("the database went away")))
    assert (outcome.added, outcome.failure) == (1, "the database went away")
    assert store.cursor("source") is None
    assert store.select(select(ingests.c.failure)) == [("the database went away",)]
    assert ingest(store, Source(job("1"), job("2"))).added == 1


def test_a_strange_node_is_told_of_and_the_job_kept(store: Store, tmp_path: Path) -> None:
    """The node may be new, or misspelt in the site file: the operator must know."""
    site = tiny_site(tmp_path)
    stray = job("9", per_host=[{"node_id": "x[7"}])
    outcome = ingest(store, Source(stray, job("8", cluster="two")), site=site)
    assert [str(each) for each in outcome.faults] == [
        "job 9: ran on x[7, which cluster one does not have",
        'job 8: unknown cluster "two"; known: one',
    ]
    assert outcome.added == 2
    assert measure_due(store, site).measured == 2


def test_two_jobs_on_an_unshared_node_are_told_of(store: Store, tmp_path: Path) -> None:
    """One of them did not run there, or the site file lacks [sharing]; both are kept."""
    outcome = ingest(store, Source(job("1"), job("2", queued_s=50)), site=tiny_site(tmp_path))
    (fault,) = outcome.faults
    assert str(fault).startswith("job 2: ran on n01 together with job 1")
    assert outcome.added == 2


def test_hosts_of_one_name_in_two_clusters_are_two(store: Store, tmp_path: Path) -> None:
    """Jobs on such hosts share no node: there is no fault, and each gets all its node's energy."""
    second = '[[cluster]]\nname = "two"\n[[cluster.nodes]]\nhosts = "n[01-02]"\n'
    site = tiny_site(tmp_path, second)
    assert not ingest(store, Source(job("1"), job("2", cluster="two")), site=site).faults
    site = tiny_site(tmp_path, second + '[sharing]\nshare_by = "cpu"\n')
    measure_due(store, site)
    joules = [each.energy.total_joule for each in store.jobs() if each.energy is not None]
    assert joules == pytest.approx([10_000.0, 10_000.0])


def test_a_sensor_that_is_down_costs_its_items_only(store: Store, tmp_path: Path) -> None:
    """The job is stored with the reason, and measured when the sensor is back."""
    site = tiny_site(tmp_path)
    sound = (tmp_path / "power.csv").read_text()
    (tmp_path / "power.csv").write_text("<html>503 Service Unavailable</html>\n")
    sensing = run(site, store)
    assert (sensing.measured, sensing.failed) == (0, 3)
    assert list(sensing.reasons.values()) == [3], "nobody is asked twice in one run"
    (first, *_) = store.jobs()
    provenance = first.per_host[0].timelines["power_watt"].provenance  # type: ignore[index]
    assert provenance is not None
    assert "power.csv" in str(provenance.absent_reason)
    (tmp_path / "power.csv").write_text(sound)
    assert run(site, store).measured == 3
    assert all(each.energy for each in store.jobs())


def test_after_many_failures_the_rest_is_left_for_later(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An ingest must not wait a thousand times for a server that hangs."""
    monkeypatch.setattr(pipeline, "PATIENCE", 2)
    site = tiny_site(tmp_path)
    (tmp_path / "power.csv").write_text("<html>503 Service Unavailable</html>\n")
    sensing = run(site, store)
    assert (sensing.failed, sensing.left) == (2, 1)
    assert store.count(JobQuery(measurements=(Measurement.DUE,))) == 1


def test_old_failures_do_not_keep_new_jobs_from_being_measured(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Jobs for which a sensor always fails are tried last."""
    monkeypatch.setattr(pipeline, "PATIENCE", 2)
    site = tiny_site(tmp_path)
    sound = (tmp_path / "power.csv").read_text()
    (tmp_path / "power.csv").write_text("<html>503 Service Unavailable</html>\n")
    run(site, store)
    (tmp_path / "power.csv").write_text(sound)
    asked = []

    def listening(record: JobRecord, site: Site) -> Readings:
        asked.append(record.jobid)
        return gather(record, site)

    monkeypatch.setattr(pipeline, "gather", listening)
    assert run(site, store).measured == 3
    assert asked[0] == "3"


def test_a_late_neighbour_changes_what_a_job_is_charged(store: Store, tmp_path: Path) -> None:
    """On a shared node of 100 W, a job alone gets all; beside an equal neighbour, it gets half."""
    site = tiny_site(tmp_path, '[sharing]\nshare_by = "cpu"\n')
    write_jobs(tmp_path, [job("1")])
    run(site, store)
    write_jobs(tmp_path, [job("1"), job("2")])
    run(site, store)
    joules = [each.energy.total_joule for each in store.jobs() if each.energy is not None]
    assert joules == pytest.approx([5_000.0, 5_000.0])


def test_the_order_of_arrival_does_not_matter(tmp_path: Path) -> None:
    """Whatever was ingested first, the same jobs make the same history."""
    site = tiny_site(tmp_path, '[sharing]\nshare_by = "cpu"\n')
    jobs = [job("1"), job("2", queued_s=30), job("3", queued_s=60)]
    histories = []
    for order in (jobs, jobs[::-1]):
        with Store.make(str(tmp_path / f"{order[0].jobid}.db")) as store:
            for each in order:
                ingest(store, Source(each), site=site, from_start=True)
                measure_due(store, site)
            histories.append(list(store.documents()))
    assert histories[0] == histories[1]


def test_two_sources_must_not_have_one_name(tmp_path: Path) -> None:
    """The store remembers under its name how far a source was read."""
    again = '[[job_source]]\nkind = "standard"\nname = "scheduler"\nfile = "more.jsonl"\n'
    tiny_site(tmp_path, again)
    with pytest.raises(Exception, match='two job sources are called "scheduler"'):
        job_sources(read_site(tmp_path / "site.toml"))


def test_gaps_show_in_the_coverage(store: Store, tmp_path: Path) -> None:
    """A job ran 100 s from 12:00:10 and the samples end at 12:01, so 50 s are covered."""
    site = tiny_site(tmp_path)
    write_power(tmp_path, {"n01": 100.0, "n02": 200.0}, minutes=1)
    run(site, store)
    first = next(store.jobs())
    timeline = first.per_host[0].timelines["power_watt"]  # type: ignore[index]
    assert timeline.avg == 100.0
    assert timeline.provenance is not None
    assert timeline.provenance.coverage == 0.5
