"""Schedules as Batsim's result files, and back."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from schedlab import simulate
from schedlab.audit import audit, read_observed
from schedlab.errors import InputError, ParameterError, UnknownNameError
from schedlab.sim import Schedule, load_schedules, save_schedules
from schedlab.testing.instances import head_blocked, jobs, killed, withdrawn
from schedlab.workload import generate

BATSIM_COLUMNS = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
    "success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,"
    "stretch,allocated_resources,consumed_energy,metadata"
)


def saved(schedule: Schedule, folder: Path) -> Path:
    """Save the schedule as Batsim writes it, and return the path."""
    path = folder / "out_jobs.csv"
    save_schedules(schedule, path)
    return path


def test_the_table_is_batsim_s(tmp_path: Path) -> None:
    """It has Batsim's columns in their order, times with six digits, and Batsim's resources."""
    workload = jobs((0, 2, 6, 6), (1, 1, 5, 5), (2, 1, 9, 4), (3, 2, 3, 3))
    text = saved(simulate(workload, 4, "easy"), tmp_path).read_text()
    heading, *rows = text.splitlines()
    assert heading == BATSIM_COLUMNS
    assert rows[3] == (
        "4,by hand,delay_3,3.000000,2,3.000000,1,COMPLETED_SUCCESSFULLY,6.000000,3.000000,"
        '9.000000,3.000000,6.000000,2.000000,0-1,-1.000000,""'
    )


def test_scattered_resources_are_written_with_blanks(tmp_path: Path) -> None:
    """The third job gets nodes that two others have left."""
    workload = jobs((0, 1, 9, 2), (0, 1, 9, 9), (0, 1, 9, 2), (1, 2, 9, 9))
    text = saved(simulate(workload, 3, "fcfs"), tmp_path).read_text()
    assert ",0 2," in text.splitlines()[4]


def test_killed_and_withdrawn_jobs(tmp_path: Path) -> None:
    """Batsim says why a job did not succeed; one that never ran has no times."""
    table = pl.read_csv(saved(simulate(killed(), 1, "fcfs"), tmp_path))
    assert table["final_state"].to_list() == [
        "COMPLETED_WALLTIME_REACHED",
        "COMPLETED_SUCCESSFULLY",
    ]
    assert table["success"].to_list() == [0, 1]
    gone = simulate(withdrawn(), 4, "fcfs")
    table = pl.read_csv(saved(gone, tmp_path))
    assert (table["final_state"] == "REJECTED").to_list() == (~gone.started).tolist()
    assert table["starting_time"].is_null().to_list() == (~gone.started).tolist()


def test_the_figures(tmp_path: Path) -> None:
    """One line has the figures as Batsim defines them, with names in alphabetical order."""
    saved(simulate(head_blocked(), 4, "fcfs"), tmp_path)
    (figures,) = pl.read_csv(tmp_path / "out_schedule.csv").to_dicts()
    assert list(figures) == sorted(figures)
    assert len(figures) == 26
    expected = {
        "makespan": 16.0,
        "max_waiting_time": 9.0,
        "mean_waiting_time": 6.0,
        "mean_turnaround_time": 11.25,
        "max_slowdown": 3.0,
        "nb_computing_machines": 4,
        "nb_jobs": 4,
        "nb_jobs_success": 4,
        "success_rate": 1.0,
        "time_computing": 41.0,
        "time_idle": 23.0,
    }
    assert {name: figures[name] for name in expected} == expected


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    """Starts, ends, nodes, states and the machine's size come back, and the audit confirms EASY."""
    schedule = simulate(generate("lublin:nodes=64", 300, seed=3), 64, "easy")
    path = saved(schedule, tmp_path)
    (loaded,) = load_schedules(path)
    for name in ("start_s", "end_s", "state"):
        assert getattr(loaded, name).tolist() == getattr(schedule, name).tolist()
    assert loaded.node_ranges == schedule.node_ranges
    assert loaded.platform.nodes == 64
    (observed,) = read_observed(path)
    assert observed.notes == ()
    assert audit(observed.schedule, "easy").faithful


def test_the_size_of_the_machine_stands_beside(tmp_path: Path) -> None:
    """A machine may be larger than the jobs ever used; a given size takes precedence."""
    path = saved(simulate(head_blocked(), 20, "fcfs"), tmp_path)
    assert load_schedules(path)[0].platform.nodes == 20
    assert load_schedules(path, nodes=12)[0].platform.nodes == 12
    beside = tmp_path / "out_schedule.csv"
    beside.write_text("nb_computing_machines\nmany\n")
    with pytest.raises(InputError, match='nb_computing_machines is "many"'):
        load_schedules(path)
    beside.write_text("policy,job_id\neasy,1\n")
    assert load_schedules(path)[0].platform.nodes == 9


def test_what_it_cannot_hold(tmp_path: Path) -> None:
    """The format holds one schedule, in states that Batsim knows."""
    two = [simulate(head_blocked(), 4, policy) for policy in ("fcfs", "easy")]
    with pytest.raises(ParameterError, match="this format holds one schedule"):
        save_schedules(two, tmp_path / "out_jobs.csv")
    path = saved(two[0], tmp_path)
    path.write_text(path.read_text().replace("COMPLETED_SUCC", "FINISHED_SUCC"))
    with pytest.raises(InputError, match="did you mean") as error:
        load_schedules(path)
    assert str(error.value).startswith(str(path))
    assert not isinstance(error.value, UnknownNameError)
