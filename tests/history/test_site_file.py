"""The site file: what it says, and the sentence for each mistake."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from schedlab.errors import InputError, SchedlabError
from schedlab.history.alerts_section import AlertsSection
from schedlab.history.factors import CarbonSection, CostSection
from schedlab.history.notify.section import MailSection
from schedlab.history.reports_section import ReportsSection
from schedlab.history.sensors import PRESETS, SENSORS, make_sensor_source
from schedlab.history.sensors.items import UNITS
from schedlab.history.service_section import OidcSection, ProxySection, ServiceSection
from schedlab.history.site import (
    SharingSection,
    Site,
    SiteSection,
    read_site,
)
from schedlab.history.storage_sections import ArchiveSection, ReleaseSection, StoreSection

SITE = """
[site]
name = "two halls"
time_zone = "Asia/Tokyo"

[[cluster]]
name = "old"

[[cluster.nodes]]
hosts = "o[01-04]"
cores = 16
memory = "64GiB"

[[cluster]]
name = "new"

[[cluster.nodes]]
hosts = "g[1-2]"
cores = 64
memory = "512GiB"
gpus = { A100 = 4 }

[[cluster.nodes]]
hosts = "c[1-8]"
cores = 64

[sharing]
share_by = "mem"
share_of = "node"

[carbon]
gram_per_kwh = 450
source = "the grid's operator, 2023"

[[job_source]]
kind = "slurm-sacct"
file = "sacct.txt"

[[sensor_source]]
name = "prom"
kind = "prometheus"
url = "http://localhost:9090"
presets = ["ipmi"]
clusters = ["new"]

[[sensor_source]]
name = "files"
kind = "csv"
files = "ipmi/{date:%Y%m%d}.csv"

[[sensor_source.item]]
name = "power_watt"
column = "watts"
unit = "W"
"""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Two clusters, one of which has a Prometheus."""
    return written(tmp_path, SITE)


def written(folder: Path, text: str) -> Site:
    """Write a site file with this text and return its site."""
    (folder / "site.toml").write_text(text)
    return read_site(folder / "site.toml")


def test_nodes_are_known_by_name(site: Site) -> None:
    """Each host of a host list has the properties of its group."""
    new = site.cluster("new")
    assert sorted(new.by_host) == ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "g1", "g2"]
    assert new.by_host["g2"].gpus == {"A100": 4}
    assert new.by_host["g2"].memory_bytes == 512 * 2**30
    assert new.by_host["c1"].gpu_count == 0


def test_sources_are_asked_in_the_order_of_the_file(site: Site) -> None:
    """The first source with an item of the cluster goes first; the others stand in for it."""
    new, old = (
        {item: [source.name for source in sources] for item, sources in found.items()}
        for found in (site.sensor_items("new"), site.sensor_items("old"))
    )
    assert new["power_watt"] == ["prom", "files"]
    assert new["fan_rpm"] == ["prom"]
    assert old == {"power_watt": ["files"]}


def test_a_record_without_a_cluster_is_of_the_only_one(site: Site, tmp_path: Path) -> None:
    """With two clusters, the cluster of such a record is unknown."""
    with pytest.raises(SchedlabError, match="unknown cluster"):
        site.cluster(None)
    one = written(tmp_path, '[site]\nname = "x"\n[[cluster]]\nname = "only"\n')
    assert one.cluster(None).name == "only"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[sharing]", "[shering]", 'unknown key or section of the site "shering"; did you mean'),
        ("cores = 16", "core = 16", r'\[\[cluster.nodes\]\] "core"; did you mean "cores"'),
        ("cores = 16", "cpus = 16", r"nodes\]\]: unknown key cpus; write cores"),
        ("o[01-04]", "o[01-", "host list"),
        ('"64GiB"', '"64 bananas"', "is not an amount of memory"),
        ("Asia/Tokyo", "Asia/Tokio", 'time_zone is "Asia/Tokio"'),
        ('by = "mem"', 'by = "memory"', 'did you mean "mem"'),
        ('share_of = "node"', 'share_of = "rack"', 'unknown share_of "rack"'),
        ("gram_per_kwh = 450", "gram_per_kwh = -1", "must be >= 0"),
        ('name = "new"', 'name = "old"', "two clusters have one name"),
        ('clusters = ["new"]', 'clusters = ["nwe"]', 'did you mean "new"'),
        ('presets = ["ipmi"]', 'presets = "ipmi"', "must be a list of texts"),
        ('kind = "csv"', 'kind = "cvs"', 'unknown kind of sensor source "cvs"; did you mean "csv"'),
        ('unit = "W"', 'unit = "degC"', r'\[\[item\]\] "power_watt": a gauge in degC cannot'),
        ('column = "watts"', "", "lacks the key column"),
        ("[[job_source]]", "[job_source]", r"write \[\[job_source\]\] with double brackets"),
        ('[[cluster]]\nname = "old"', "[[cluster]]", r"\[\[cluster\]\] lacks the key name"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    """The sentence names the file, the section and what is allowed."""
    assert old in SITE
    with pytest.raises(InputError, match=sentence) as caught:
        written(tmp_path, SITE.replace(old, new, 1))
    assert str(caught.value).startswith(str(tmp_path / "site.toml"))


def test_broken_toml_is_named_with_its_line(tmp_path: Path) -> None:
    """Editors can jump to a place that is written as file and line."""
    with pytest.raises(InputError, match=r"site.toml:2: not TOML"):
        written(tmp_path, '[site]\nname = "x\n')


def test_a_site_needs_a_name_and_a_cluster(tmp_path: Path) -> None:
    """A site without a cluster is refused."""
    with pytest.raises(InputError, match=r"has no \[cluster\]"):
        written(tmp_path, '[site]\nname = "x"\n')


def test_the_page_on_site_files_has_every_key() -> None:
    """The page lists every key of a site file, with kinds, units and presets."""
    page = (Path(__file__).parents[2] / "docs" / "formats" / "site-file.md").read_text()
    sections: list[Any] = [SiteSection, SharingSection, CarbonSection]
    sections += [StoreSection, ArchiveSection, ReleaseSection]
    sections += [ServiceSection, ProxySection, OidcSection, MailSection, AlertsSection]
    sections += [ReportsSection, CostSection]
    for source in SENSORS.values():
        sections += [source.source_section, source.item_section]
    keys = {field.name for section in sections for field in fields(section)}
    for name in keys | set(SENSORS) | set(PRESETS):
        assert f"`{name}`" in page, name
    for unit in UNITS:
        assert f"`{unit.removesuffix('/s')}`" in page or f"`{unit}`" in page, unit
    for preset in PRESETS:
        given = {"kind": "prometheus", "name": "p", "url": "u", "presets": [preset]}
        row = next(line for line in page.splitlines() if line.startswith(f"| `{preset}` |"))
        for item in make_sensor_source(given, Path()).items:
            assert f"`{item}`" in row
