"""Values and lines as Slurm writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from schedlab.errors import InputError, ParameterError
from schedlab.slurm.dump.accounts import AccountBook, read_account_script
from schedlab.slurm.dump.conf import read_conf
from schedlab.slurm.dump.findings import ImportReport
from schedlab.slurm.dump.nodes import natural_order, nodes_of
from schedlab.slurm.dump.values import KINDS, amounts, megabytes, minutes, weights

DUMP = """\
# To edit this file start with a cluster line
Cluster - 'tiny':Fairshare=1:QOS='normal,high'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'physics':Description='a: b':Organization='uni':Fairshare=10:GrpTRES='cpu=8'
Parent - 'physics'
Account - 'optics':Fairshare=parent:MaxWallDurationPerJob=1-00:00:00
Parent - 'optics'
User - 'ann':DefaultAccount='optics':Fairshare=3:MaxSubmitJobs=7
"""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 5400),
        ("30:00", 1800),
        ("12:00:00", 43200),
        ("1-12", 129600),
        ("1-12:30", 131400),
        ("1-12:30:05", 131405),
        ("INFINITE", None),
        ("UNLIMITED", None),
    ],
)
def test_times_are_minutes_unless_they_say_more(text: str, seconds: int | None) -> None:
    """The formats are those that ``man slurm.conf`` lists."""
    assert minutes(text) == seconds


def test_units_of_memory_and_resources() -> None:
    """Memory without a unit is in MB; other prefixes are powers of 1024."""
    assert [megabytes(text) for text in ("187000", "64G", "1T", "512k", "0")] == [
        187000,
        65536,
        1 << 20,
        0,
        None,
    ]
    assert amounts("CPU=100,mem=2T,gres/gpu:a100=4,node=-1") == {
        "cpu": 100,
        "mem": 2 << 20,
        "gres/gpu:a100": 4,
    }
    assert weights("CPU=1.0,Mem=0.25G,GRES/gpu=2") == {"cpu": 1, "mem": 0.25 / 1024, "gres/gpu": 2}


def test_enforcing_limits_enforces_associations() -> None:
    """Each word implies the words that it needs, as in Slurm."""
    assert KINDS["enforce"]("safe") == ("associations", "limits", "safe")
    assert KINDS["enforce"]("0") == ()
    with pytest.raises(ParameterError, match="must be ALL, ANY, YES or NO"):
        KINDS["part limits"]("SOME")


def test_nodes_stand_in_the_order_of_their_numbers() -> None:
    """Slurm's table has n2 before n10, and so has the machine."""
    assert sorted(["n10", "n2", "b1", "n2x3", "n2x10"], key=natural_order) == [
        "b1",
        "n2",
        "n2x3",
        "n2x10",
        "n10",
    ]


def test_includes_and_defaults_are_worked_in(tmp_path: Path) -> None:
    """Includes may name the cluster, defaults may change, host lists may have two dimensions."""
    (tmp_path / "slurm.conf").write_text(
        "ClusterName=Tiny\nInclude /etc/slurm/nodes-%c.conf\nNodeName=x1 CPUs=2\n"
    )
    (tmp_path / "nodes-Tiny.conf").write_text(
        "NodeName=DEFAULT Sockets=2 CoresPerSocket=4\nNodeName=r[1-2]n[01-02] ThreadsPerCore=2\n"
        "NodeName=DEFAULT Weight=7\n"
    )
    conf = read_conf(tmp_path / "slurm.conf")
    assert conf.cluster_name == "tiny"
    nodes = nodes_of(conf.nodes, ImportReport())
    assert [(each.name, each.cpus, each.weight) for each in nodes] == [
        ("r1n01", 16, 1),
        ("r1n02", 16, 1),
        ("r2n01", 16, 1),
        ("r2n02", 16, 1),
        ("x1", 2, 7),
    ]


def test_a_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    """Reading it would never end."""
    (tmp_path / "slurm.conf").write_text("Include slurm.conf\n")
    with pytest.raises(InputError, match="includes itself"):
        read_conf(tmp_path / "slurm.conf")


def test_what_sacctmgr_dumps_is_a_tree(tmp_path: Path) -> None:
    """Accounts hang below the parent that the line before names."""
    (tmp_path / "dump.cfg").write_text(DUMP)
    book = AccountBook(ImportReport())
    read_account_script(tmp_path / "dump.cfg", "tiny", book)
    accounts = book.accounts()
    ann = next(each for each in accounts.associations if each.user == "ann")
    assert (ann.shares, ann.max_submit) == (3, 7)
    optics, physics, root = accounts.above(ann)
    assert (optics.shares_of_parent, optics.max_wall_s) == (True, 86400)
    assert (physics.shares, physics.grp_tres) == (10, {"cpu": 8})
    assert root.qos == ("normal", "high")
    assert [each.name for each in accounts.qos] == ["normal", "high"]
    assert "root" in [each.user for each in accounts.associations]


def test_a_line_that_sacctmgr_does_not_know_is_told(tmp_path: Path) -> None:
    """The error names the file and the line."""
    (tmp_path / "dump.cfg").write_text("hello there\n")
    with pytest.raises(InputError, match=r"dump\.cfg:1: 'hello there'"):
        read_account_script(tmp_path / "dump.cfg", "tiny", AccountBook(ImportReport()))
