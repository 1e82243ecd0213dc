"""Reading our own CSV and Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from schedlab.errors import InputError, ParameterError, SchedlabError
from schedlab.workload import read_workload

SAMPLE = Path(__file__).parents[1] / "data" / "ten.csv"
NAMES = "job_id,submit_s,nodes,request_s,run_s"


def write(folder: Path, text: str) -> Path:
    """Write a CSV file with this content; return its path."""
    path = folder / "a.csv"
    path.write_text(text, newline="")
    return path


def test_names_and_empty_cells() -> None:
    """Users may be names; an empty cell is an unknown value."""
    workload = read_workload(SAMPLE)
    assert workload.labelled("user").tolist()[5:8] == ["bob", "", "alice"]
    assert np.isnan(workload["power_w"]).tolist().count(True) == 7
    assert workload["power_w"][0] == 812.5


def test_quotes_commas_and_line_ends_within_names(tmp_path: Path) -> None:
    """Spreadsheets quote what they must."""
    path = write(tmp_path, f'{NAMES},user\r\n1,0,1,9,9,"Doe, ""J.""\nJane"\r\n\r\n2,0,1,9,9,x\r\n')
    assert read_workload(path).labels["user"] == ('Doe, "J."\nJane', "x")


def test_a_line_number_counts_lines_within_quotes(tmp_path: Path) -> None:
    """It is the line an editor shows."""
    path = write(tmp_path, f'{NAMES},user\n1,0,1,9,9,"a\nb"\n2,0,1,9,9,x\n3,0,1,9,soon,x\n')
    with pytest.raises(InputError, match=r'a\.csv:5: run_s is "soon"; must be a number'):
        read_workload(path)


def test_long_job_numbers_stay_exact(tmp_path: Path) -> None:
    """Some clouds number jobs beyond 2^53, where floating point has gaps."""
    path = write(tmp_path, f"{NAMES}\n{2**60 + 1},0,1,9,9\n")
    assert read_workload(path)["job_id"].tolist() == [2**60 + 1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("job_id,submit_s,nodes,request_s\n", "has no column run_s, which a workload needs"),
        (f"{NAMES},usr\n", 'unknown column "usr"; did you mean "user"'),
        (f"{NAMES},nodes\n", "column nodes comes twice"),
        (NAMES, "has no jobs"),
        (f"{NAMES}\n1,0,1,9\n", r"a\.csv:2: 4 fields; must have 5"),
        (f"{NAMES}\n1,0,1,9,9\n\n2,0,1,9,9,9\n", r"a\.csv:4: 6 fields; must have 5"),
        (f"{NAMES}\n1,,1,9,9\n", r"a\.csv:2: submit_s is empty; must be a number"),
        (f"{NAMES}\n1,0,many,9,9\n", r'a\.csv:2: nodes is "many"; must be a number'),
        (f"{NAMES}\n1,0,inf,9,9\n", r'a\.csv:2: nodes is "inf"; must be a number'),
        (f"{NAMES}\n1,0,nan,9,9\n", r"a\.csv:2: nodes is nan; must be below"),
        (f'{NAMES}\n1,0,1,9,"9\n', r"a\.csv:2: unexpected end of data"),
    ],
)
def test_a_wrong_csv_is_one_sentence(tmp_path: Path, text: str, reason: str) -> None:
    """The error names the file, the line and what is allowed."""
    with pytest.raises(InputError, match=reason):
        read_workload(write(tmp_path, text))


def test_anyones_parquet_with_these_columns(tmp_path: Path) -> None:
    """Other tools write names as text, numbers as small integers and gaps as null."""
    path = tmp_path / "a.parquet"
    columns = {name: pl.Series([2, 1], dtype=pl.Int16) for name in NAMES.split(",")}
    columns["user"] = pl.Series(["bob", None])
    columns["queue"] = pl.Series(["q", "r"], dtype=pl.Categorical)
    columns["power_w"] = pl.Series([None, 50], dtype=pl.Int32)
    pl.DataFrame(columns).write_parquet(path)
    workload = read_workload(path)
    assert workload["job_id"].tolist() == [1, 2]
    assert workload.labelled("user").tolist() == ["", "bob"]
    assert workload.labelled("queue").tolist() == ["r", "q"]
    assert workload["power_w"][0] == 50
    assert workload.name == "a"


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"job_id": [1]}, "has no column submit_s"),
        ({"jobid": [1]}, 'unknown column "jobid"; did you mean "job_id"'),
        ({**{name: [1] for name in NAMES.split(",")}, "wait_s": [True]}, "wait_s is Boolean"),
        ({**{name: [1] for name in NAMES.split(",")}, "wait_s": ["x"]}, 'record 1: wait_s is "x"'),
    ],
)
def test_a_wrong_parquet_is_one_sentence(
    tmp_path: Path, columns: dict[str, list[object]], reason: str
) -> None:
    """The same words as for CSV."""
    path = tmp_path / "a.parquet"
    pl.DataFrame(columns).write_parquet(path)
    with pytest.raises(InputError, match=reason):
        read_workload(path)


def test_damaged_metadata_is_one_sentence(tmp_path: Path) -> None:
    """Labels that cannot be read must not become numbers silently."""
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame({name: [1] for name in NAMES.split(",")})
    frame.write_parquet(path, metadata={"schedlab.workload": "{"})
    with pytest.raises(InputError, match="metadata is damaged"):
        read_workload(path)


OTHERS = "JobID,Submit_S,Nodes,Timelimit,run_s,CPUs,Comment,Partition\n1,0,2,600,60,8,hello,gpu\n"
RENAMED = {"jobid": "job_id", "TIMELIMIT": "request_s", "CPUs": "cores", "comment": "-"}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_columns_of_others_can_be_renamed(tmp_path: Path, suffix: str) -> None:
    """Names match without regard to case; unwanted columns are left out."""
    path = tmp_path / f"theirs.{suffix}"
    frame = pl.read_csv(OTHERS.encode())
    frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    workload = read_workload(path, rename=RENAMED)
    assert workload.columns == (*NAMES.split(","), "cores", "partition")
    assert workload["cores"].tolist() == [8]
    assert workload.labelled("partition").tolist() == ["gpu"]


@pytest.mark.parametrize(
    ("rename", "reason"),
    [
        ({**RENAMED, "CPU": "cores"}, 'unknown column to rename "cpu"; did you mean "cpus"'),
        ({**RENAMED, "CPUs": "core"}, 'unknown column "core"; did you mean "cores"'),
        ({**RENAMED, "CPUs": "nodes"}, "column nodes comes twice"),
        ({}, 'unknown column "jobid"; did you mean "job_id"'),
    ],
)
def test_a_column_that_cannot_be_renamed_is_told(
    tmp_path: Path, rename: dict[str, str], reason: str
) -> None:
    """The error suggests the nearest name."""
    (tmp_path / "theirs.csv").write_text(OTHERS)
    with pytest.raises(SchedlabError, match=reason):
        read_workload(tmp_path / "theirs.csv", rename=rename)


def test_other_formats_have_no_names_to_rename(tmp_path: Path) -> None:
    """Fields of such formats have places, not names."""
    (tmp_path / "a.swf").write_text("1 0 0 60 1 -1 -1 1 60 -1 1 1 1 1 1 1 -1 -1\n")
    with pytest.raises(ParameterError, match="format swf has no names of columns to rename"):
        read_workload(tmp_path / "a.swf", rename={"a": "nodes"})


@pytest.mark.parametrize("separator", ["|", ";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_tables_of_others_need_no_commas(tmp_path: Path, separator: str, quote: str) -> None:
    """`sacct --parsable2`, spreadsheets and databases write such tables."""
    header = ["job_id", "submit_s", "nodes", "request_s", "run_s", "partition"]
    row = ["1", "0", "2", "60", "50", f"{quote}debug{quote}"]
    text = "\n".join(separator.join(each) for each in (header, row))
    (tmp_path / "a.csv").write_text(text + "\n")
    found = read_workload(tmp_path / "a.csv")
    assert (found["nodes"].tolist(), found.labelled("partition").tolist()) == ([2], ["debug"])


def test_a_comma_within_a_field_needs_no_quotes_where_it_separates_nothing(tmp_path: Path) -> None:
    """The header has no commas, so the rows may have some."""
    path = tmp_path / "a.csv"
    path.write_text("job_id|submit_s|nodes|request_s|run_s|partition\n1|0|2|60|50|debug,long\n")
    assert read_workload(path).labelled("partition").tolist() == ["debug,long"]


def test_units_of_others_are_multiplied(tmp_path: Path) -> None:
    """Megabytes become kilobytes; a missing value stays missing."""
    path = tmp_path / "a.csv"
    path.write_text("job_id,submit_s,nodes,request_s,run_s,mem_mb\n1,0,1,1,50,2000\n2,0,1,2,50,\n")
    rename = {"mem_mb": "memory_per_node_kb*1024"}
    found = read_workload(path, rename=rename)
    assert found["memory_per_node_kb"].tolist() == [2_048_000, -1]
    hours = read_workload(path, rename={"mem_mb": "-", "request_s": "request_s*3600"})
    assert hours["request_s"].tolist() == [3600, 7200]


@pytest.mark.parametrize("factor", ["x", "0", "-1", "inf", "nan", ""])
def test_a_factor_is_a_number_above_0(factor: str, tmp_path: Path) -> None:
    """Anything else is refused in one sentence."""
    with pytest.raises(ParameterError, match="must be a column, or column"):
        read_workload(tmp_path / "a.csv", rename={"a": f"memory_per_node_kb*{factor}"})


def test_job_numbers_and_gpus_in_the_words_of_schedulers(tmp_path: Path) -> None:
    """`jobid_0007` is job 7, `gpu:v100:2` two GPUs of that type."""
    path = tmp_path / "a.csv"
    rows = ["jobid_0007,0,1,60,50,gpu:v100:2", "jobid_0012,0,1,60,50,gpu:1", "jobid_3,0,1,60,50,"]
    path.write_text(
        "\n".join(["job_id,submit_s,nodes,request_s,run_s,gpus_per_node", *rows]) + "\n"
    )
    found = read_workload(path)
    assert found["job_id"].tolist() == [7, 12, 3]
    assert found["gpus_per_node"].tolist() == [2, 1, -1]
    assert found.labelled("gpu_type").tolist() == ["v100", "", ""]


@pytest.mark.parametrize("second", ["b_1", "b", "1_2"])
def test_names_of_jobs_that_tell_no_number_are_refused(tmp_path: Path, second: str) -> None:
    """Two names would give the same number, or a name would give none."""
    path = tmp_path / "a.csv"
    path.write_text(f"job_id,submit_s,nodes,request_s,run_s\na_1,0,1,1,1\n{second},0,1,1,1\n")
    with pytest.raises(InputError, match='job_id is "a_1"; must be a number'):
        read_workload(path)
