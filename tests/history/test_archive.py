"""Timelines that are copied before their source forgets them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.history.records import NOON_S
from tests.history.tiny_site import SITE, tiny_site

from schedlab.errors import SensorError
from schedlab.history.archive import archive_days
from schedlab.history.pipeline import ingest, measure_due
from schedlab.history.sensors.source import SensorRequest
from schedlab.history.site import read_site
from schedlab.history.sources import job_sources
from schedlab.history.store import Store

NEXT_DAY_S = NOON_S + 86_400
ARCHIVE = '[archive]\nfolder = "kept"\n'
FROM_ARCHIVE = SITE.split("[[sensor_source]]", maxsplit=1)[0] + (
    '[[sensor_source]]\nkind = "archive"\nname = "kept"\nfolder = "kept"\n'
    '[[sensor_source.item]]\nname = "power_watt"\nunit = "W"\n'
)


@pytest.fixture
def archived(tmp_path: Path) -> Path:
    """A folder in which the tiny site was ingested and archived."""
    site = tiny_site(tmp_path, ARCHIVE)
    with Store.make(str(tmp_path / "history.db")) as store:
        for source in job_sources(site):
            ingest(store, source, site=site)
        measure_due(store, site)
        done = archive_days(site, store, NEXT_DAY_S)
    assert done is not None
    assert done.files == 1
    return tmp_path


def test_an_archive_is_its_owners(archived: Path) -> None:
    """Only its owner may read the archive: it shows all users' jobs, minute by minute."""
    kept = archived / "kept"
    for path in (kept, *kept.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_an_archived_timeline_is_that_of_its_source(archived: Path) -> None:
    """Intervals, extremes and the name of the source are kept."""
    source = read_site(archived / "site.toml").sensor_sources[0]
    (archived / "archive.toml").write_text(FROM_ARCHIVE)
    kept = read_site(archived / "archive.toml").sensor_sources[0]
    request = SensorRequest({"n01": (), "n02": ()}, NOON_S, NOON_S + 600)
    before, after = source.read("power_watt", request), kept.read("power_watt", request)
    assert before.keys() == after.keys()
    for place, series in before.items():
        for column in ("start_s", "end_s", "mean", "least", "greatest"):
            assert np.array_equal(getattr(series, column), getattr(after[place], column))
        assert after[place].source == "meter"


def test_the_archive_stands_in_for_a_source_that_forgot(archived: Path) -> None:
    """Jobs ingested from the archive alone have the same energy."""
    (archived / "archive.toml").write_text(FROM_ARCHIVE)
    site = read_site(archived / "archive.toml")
    with (
        Store.open(str(archived / "history.db")) as before,
        Store.make(str(archived / "again.db")) as after,
    ):
        for source in job_sources(site):
            ingest(after, source, site=site)
        measure_due(after, site)
        assert [each.energy.total_joule for each in after.jobs() if each.energy] == [
            each.energy.total_joule for each in before.jobs() if each.energy
        ]


def test_a_day_is_archived_once_and_when_it_is_over(archived: Path) -> None:
    """The copy of a day that is not over would be cut off."""
    site = read_site(archived / "site.toml")
    with Store.open(str(archived / "history.db")) as store:
        again = archive_days(site, store, NEXT_DAY_S)
        assert again is not None
        assert again.files == 0
        for path in (archived / "kept").rglob("*.parquet"):
            path.unlink()
        today = archive_days(site, store, NOON_S + 3600)
        assert today is not None
        assert today.files == 0


def test_another_unit_is_refused(archived: Path) -> None:
    """Watts taken for kilowatts would be silently wrong."""
    (archived / "archive.toml").write_text(FROM_ARCHIVE.replace('unit = "W"', 'unit = "kW"'))
    kept = read_site(archived / "archive.toml").sensor_sources[0]
    with pytest.raises(SensorError, match="archived in W, not in kW"):
        kept.read("power_watt", SensorRequest({"n01": ()}, NOON_S, NOON_S + 600))


def test_hosts_of_one_name_in_two_clusters_have_their_own_timelines(archived: Path) -> None:
    """Each cluster has its own files, and reading those of one does not mix in the other."""
    (archived / "archive.toml").write_text(FROM_ARCHIVE)
    kept = read_site(archived / "archive.toml").sensor_sources[0]
    (first,) = (archived / "kept").rglob("*.parquet")
    second = Path(str(first).replace("cluster=one", "cluster=two"))
    second.parent.mkdir(parents=True)
    table = pl.read_parquet(first)
    table.with_columns(pl.col("mean", "minimum", "maximum") + 1000).write_parquet(second)
    watts = {
        cluster: kept.series("power_watt", "n01", None, NOON_S, NOON_S + 600, cluster=cluster).mean
        for cluster in ("one", "two")
    }
    assert np.all(watts["one"] == 100.0)
    assert np.all(watts["two"] == 1100.0)


def test_what_a_source_does_not_have_yet_is_asked_for_again(archived: Path) -> None:
    """A copy of yesterday's file may come tomorrow; after a week the day is not tried again."""
    site = read_site(archived / "site.toml")
    sound = (archived / "power.csv").read_text()
    shutil.rmtree(archived / "kept")
    with Store.open(str(archived / "history.db")) as store:

        def archive(now_s: float) -> tuple[int, tuple[str, ...]]:
            done = archive_days(site, store, now_s)
            assert done is not None
            return done.files, done.failures

        (archived / "power.csv").unlink()
        assert archive(NEXT_DAY_S) == (0, ())
        (archived / "power.csv").write_text(sound)
        assert archive(NEXT_DAY_S + 3600) == (1, ())
        shutil.rmtree(archived / "kept")
        (archived / "power.csv").unlink()
        assert [archive(NEXT_DAY_S + 8 * 86_400) for _ in range(2)] == [(1, ()), (0, ())]
