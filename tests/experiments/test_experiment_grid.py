"""The cells of an experiment and their keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from schedlab.errors import InputError, ParameterError, WorkloadError
from schedlab.experiments import Experiment
from schedlab.experiments.config import PolicySection
from schedlab.experiments.grid import Cell, grid, select

Describe = Callable[..., Experiment]

THREE_JOBS = "job_id,submit_s,nodes,request_s,run_s\n1,0,2,9,9\n2,1,4,9,5\n3,2,2,9,9\n"


def keys(cells: list[Cell]) -> list[str]:
    """Return the keys of the cells' tasks."""
    return [
        cell.task(cell.recipe.key(None), Path("w.parquet"), cell.policy).key
        for cell in cells
        if isinstance(cell.policy, PolicySection)
    ]


def test_every_combination_is_a_cell(describe: Describe) -> None:
    """Workloads × variants × platforms × policies × seeds."""
    cells = grid(describe())
    assert len({cell.name for cell in cells}) == 8
    assert cells[0].name == "small/light/32 nodes/fcfs/seed 1"


def test_platforms_multiply(describe: Describe) -> None:
    """Without ``nodes`` each workload runs on each platform."""
    platforms = "".join(f'[[platform]]\nname = "{n}"\nnodes = {n}\n' for n in (32, 64))
    cells = grid(describe(("nodes = 32", platforms)))
    assert len(cells) == 16
    assert {cell.platform.nodes for cell in cells if cell.platform} == {32, 64}


def test_a_platform_may_be_a_cluster_of_a_file(describe: Describe, tmp_path: Path) -> None:
    """It may also be all clusters as one pool, counted by nodes or by cores."""
    (tmp_path / "grid.toml").write_text(
        '[[cluster]]\nname = "thin"\n[[cluster.nodes]]\ncount = 48\n'
        '[[cluster]]\nname = "fat"\n[[cluster.nodes]]\ncount = 64\ncores = 2\n'
    )
    platform = '[[platform]]\nname = "fat"\nfile = "grid.toml"\n'
    [fat] = {cell.platform for cell in grid(describe(("nodes = 32", f'{platform}cluster = "fat"')))}
    assert fat is not None
    assert fat.nodes == 64
    [cores] = {cell.platform for cell in grid(describe(("nodes = 32", f"{platform}cores = true")))}
    assert cores is not None
    assert cores.nodes == 48 + 128
    with pytest.raises(InputError, match="cores needs file, which describes it"):
        describe(("nodes = 32", '[[platform]]\nname = "x"\nnodes = 4\ncores = true'))


def test_seeds_that_change_nothing_are_run_once(describe: Describe, tmp_path: Path) -> None:
    """Equal runs would give an interval of zero width, which means nothing."""
    (tmp_path / "three.csv").write_text(THREE_JOBS)
    trace = ('generate = "lublin:nodes=32"\njobs = 60', 'file = "three.csv"')
    assert len(grid(describe(trace))) == 4
    drawn = grid(describe(trace, ("load=0.5:32", "set_request=random:0.5")))
    assert len([cell for cell in drawn if cell.recipe.variant.name == "light"]) == 4


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("load=0.5:32", "load=0.6:32"),
        ("jobs = 60", "jobs = 61"),
        ("nodes = 32\n\n", "nodes = 33\n\n"),
        ("depth = 50", "depth = 51"),
        ("[experiment]", "[experiment]\ntick = 60"),
        ("[experiment]", "[experiment]\nkill_at_request = false"),
        ('"makespan"]', '"utilisation"]'),
        ("seeds = [1, 2]", "seeds = [1, 3]"),
    ],
)
def test_whatever_determines_a_cell_is_in_its_key(old: str, new: str, describe: Describe) -> None:
    """Otherwise the result of another cell would count as finished for this one."""
    before, after = set(keys(grid(describe()))), set(keys(grid(describe((old, new)))))
    assert len(before) == len(after) == 8
    assert before != after


def test_names_are_not_in_the_key(describe: Describe) -> None:
    """A cell of a renamed variant need not be computed again."""
    assert keys(grid(describe())) == keys(grid(describe(('"heavy"', '"dense"'))))


def test_the_code_of_a_policy_of_one_s_own_is_in_the_key(
    describe: Describe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A policy that was changed is another policy."""
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "own_order_of_test.py"
    module.write_text("from schedlab import Order\n\nclass Mine(Order):\n    pass\n")
    cells = grid(describe(('"easy", depth = 50', '"own_order_of_test:Mine"')))
    before = keys(cells)
    module.write_text(module.read_text() + "# changed\n")
    after = keys(cells)
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False] * 4


def test_windows_are_consecutive(describe: Describe, tmp_path: Path) -> None:
    """Seed k replays the k-th window, and a window that is not there is an error."""
    path = tmp_path / "three.csv"
    path.write_text(THREE_JOBS)
    windows = 'file = "three.csv"\nwindow_jobs = 1'
    experiment = describe(
        ('generate = "lublin:nodes=32"\njobs = 60', windows),
        ("load=0.5:32", "set_request=1"),
        ("seeds = [1, 2]", "seeds = [0, 2, 3]"),
    )
    recipes = [cell.recipe for cell in grid(experiment)[:6:2]]
    assert [recipe.make(path)["job_id"].tolist() for recipe in recipes[:2]] == [[1], [3]]
    with pytest.raises(WorkloadError, match=r"has 3 jobs; window 3 of 1 jobs would need 4"):
        recipes[2].make(path)


def test_windows_begin_where_they_are_said_to(describe: Describe, tmp_path: Path) -> None:
    """Seed k replays the window at the k-th start; there is none for a seed beyond."""
    path = tmp_path / "three.csv"
    path.write_text(THREE_JOBS)
    windows = 'file = "three.csv"\nwindow_jobs = 2\nwindow_starts = [1, 0]'
    of_file = ('generate = "lublin:nodes=32"\njobs = 60', windows), ("load=0.5:32", "set_request=1")
    recipes = [cell.recipe for cell in grid(describe(*of_file, ("[1, 2]", "[0, 1]")))[:4:2]]
    assert [recipe.make(path)["job_id"].tolist() for recipe in recipes] == [[2, 3], [1, 2]]
    with pytest.raises(ParameterError, match="2 window_starts; there is none for seed 2"):
        keys(grid(describe(*of_file)))


def test_cells_are_selected_by_a_part_of_their_name(describe: Describe) -> None:
    """A pattern that selects nothing is a mistake."""
    cells = grid(describe())
    assert len(select(cells, None)) == 8
    assert len(select(cells, "heavy/*/EASY/")) == 2
    with pytest.raises(ParameterError, match=r"the first is small/light/32 nodes/fcfs/seed 1"):
        select(cells, "eazy")
