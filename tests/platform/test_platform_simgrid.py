"""Platforms of SimGrid, as Batsim takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedlab.errors import InputError
from schedlab.platform import Platform, read_platform

FRAME = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="AS0" routing="Full">
{}
</zone>
</platform>
"""
EQUAL = """\
<host id="master_host" speed="98.095Mf"/>
<host id="Jupiter" speed="76.296Mf"/>
<host id="Fafard" speed="0.076296Gf"/>
<link id="6" bandwidth="41.279125MBps" latency="59.904us" state_file="never"/>
<route src="Jupiter" dst="Fafard"><link_ctn id="6"/></route>"""
CLUSTER = '<cluster id="c" prefix="a" suffix=".fr" radical="{}" speed="1Gf" core="4" lat="0"/>'
SLOWER = '<cabinet id="d" prefix="b" suffix="" radical="0-3" speed="900Mf" core="4" lat="0"/>'


def written(folder: Path, hosts: str) -> Path:
    """Write a platform file with these elements, the first in line 5, and return its path."""
    path = folder / "machine.xml"
    path.write_text(hosts if hosts.startswith("<?xml") else FRAME.format(hosts), encoding="utf-8")
    return path


def test_hosts_are_counted_but_for_the_master(tmp_path: Path) -> None:
    """Batsim itself runs on the master host; a speed may be written in different ways."""
    platform = read_platform(written(tmp_path, EQUAL))
    assert platform == Platform.homogeneous(2, name="machine", cores=1)


@pytest.mark.parametrize(("radical", "nodes"), [("0-511", 512), ("3", 1), ("0-3, 7,9-10", 7)])
def test_a_cluster_numbers_its_hosts(tmp_path: Path, radical: str, nodes: int) -> None:
    """The radical is a list of numbers and ranges, both ends included."""
    platform = read_platform(written(tmp_path, CLUSTER.format(radical)))
    assert platform.nodes == nodes
    assert platform.groups[0].type.cores == 4


def test_the_master_may_be_of_another_name_or_in_a_cluster(tmp_path: Path) -> None:
    """Batsim's option -m names the master; a role marks it without a name."""
    path = written(tmp_path, CLUSTER.format("0-9"))
    assert read_platform(path, master_host="a3.fr").nodes == 9
    role = '<host id="boss" speed="9Gf"><prop id="role" value="{}"/></host>'
    for what in ("master", "storage"):
        hosts = CLUSTER.format("0-9") + role.format(what)
        assert read_platform(written(tmp_path, hosts)).nodes == 10


def test_the_power_state_at_the_beginning_counts(tmp_path: Path) -> None:
    """Hosts list a speed per state."""
    hosts = '<host id="a" speed="1Gf,2Gf" pstate="1"/><host id="b" speed="2Gf, 5Gf"/>'
    assert read_platform(written(tmp_path, hosts)).nodes == 2


@pytest.mark.parametrize(
    ("hosts", "line", "reason"),
    [
        (CLUSTER.format("0-9") + "\n" + SLOWER, 6, 'cabinet "d": has 9e.08 flop/s, but cluster'),
        (EQUAL.replace("0.076296Gf", "48Mf"), 7, 'host "Fafard": has 4.8e.07 flop/s'),
        (
            EQUAL.replace('id="Fafard"', 'id="Fafard" core="2"'),
            7,
            "has 2 cores, but host in line 6",
        ),
        (EQUAL.replace("76.296Mf", "fast"), 6, "speed is 'fast'; must be like 1.5Gf"),
        ('<host id="a"/>', 5, "speed is ''"),
        ('<host id="a" speed="1f" pstate="1"/>', 5, "pstate is '1'; must be 0 to 0"),
        ('<host id="a" speed="1f" core="0"/>', 5, "core is '0'; must be >= 1"),
        ('<host id="a" speed="1f" speed_file="x"/>', 5, "speed or state changes"),
        (CLUSTER.format("9-0"), 5, "radical is '9-0'; must be like 0-9,12"),
        (CLUSTER.format(""), 5, "radical is ''"),
        (CLUSTER.format("0-99999999999"), 5, "at most 16,777,216 nodes"),
        ('<include file="more.xml"/>', 5, "parts in other files are not read"),
        ('<peer id="p" speed="1Gf"/>', 5, "write it as a host"),
        ('<host id="a" speed="1Gf">', 6, "not XML: mismatched tag"),
        ("<?xml version='1.0'?>\n<jobs/>", 2, "no platform of SimGrid"),
        (
            "<?xml version='1.0'?>\n<!DOCTYPE platform [\n<!ENTITY a 'b'>]><platform/>",
            3,
            "declares an entity",
        ),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(
    tmp_path: Path, hosts: str, line: int, reason: str
) -> None:
    """A machine of unequal hosts is another problem; it is not made equal silently."""
    path = written(tmp_path, hosts)
    with pytest.raises(InputError, match=reason) as error:
        read_platform(path)
    assert str(error.value).startswith(f"{path}:{line}: ")


def test_a_file_without_hosts(tmp_path: Path) -> None:
    """A master alone runs nothing."""
    with pytest.raises(InputError, match="no hosts that run jobs"):
        read_platform(written(tmp_path, '<host id="master_host" speed="1Gf"/>'))
