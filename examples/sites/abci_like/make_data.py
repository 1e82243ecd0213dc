"""Write what the programs of the site would have recorded around one midnight.

``python make_data.py [FOLDER]`` writes ``jobs.sql``, ``ipmi/``, ``weather/`` and ``history.om``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Asia/Tokyo")
START_S = 1_704_891_600
"""10 January 2024, 22:00 in Japan: jobs run on through midnight, into the next day's files."""
MINUTES = range(-20, 260)
HOSTS = tuple(f"g{number:04}" for number in range(1, 5))
CPUS, GPUS = range(2), range(4)

# Job, nodes, how many, cores, GPUs, Slurm's state, exit code, begin and end in minutes.
JOBS = (
    (901, "g[0001-0002]", 2, 80, 8, 3, 0, 0, 200),
    (902, "g0003", 1, 40, 4, 5, 256, 30, 95),
    (903, "None assigned", 1, 40, 4, 4, 0, 0, 10),
    (904, "g0004", 1, 10, 1, 3, 0, 60, 180),
)


def node_power_w(host: str, minute: int) -> float:
    """Return the watts of a node during a minute."""
    return 600.0 + 100 * HOSTS.index(host) + 5 * (minute % 30)


def gpu_power_w(host: str, gpu: int, minute: int) -> float:
    """Return the watts of one of the node's GPUs."""
    return 80.0 + 10 * gpu + HOSTS.index(host) + minute % 3


def jobs_sql() -> str:
    """Return SQL for the columns of slurmdbd's tables that a reader needs, with the jobs."""
    tables = """\
CREATE TABLE tres_table (id int PRIMARY KEY, type tinytext NOT NULL, name tinytext NOT NULL);
INSERT INTO tres_table VALUES (1, 'cpu', ''), (2, 'mem', ''), (3, 'energy', ''), (4, 'node', ''),
  (5, 'billing', ''), (1001, 'gres', 'gpu');
CREATE TABLE qos_table (id int PRIMARY KEY, name tinytext NOT NULL);
INSERT INTO qos_table VALUES (1, 'normal');
CREATE TABLE abci_assoc_table (id_assoc int PRIMARY KEY, user tinytext NOT NULL);
INSERT INTO abci_assoc_table VALUES (1, 'aaa10001');
CREATE TABLE abci_step_table (job_db_inx bigint NOT NULL, deleted tinyint NOT NULL DEFAULT 0,
  id_step int NOT NULL, user_sec int, user_usec int, sys_sec int, sys_usec int,
  consumed_energy bigint, tres_usage_in_max text);
CREATE TABLE abci_job_table (job_db_inx bigint PRIMARY KEY AUTO_INCREMENT,
  mod_time bigint unsigned NOT NULL, deleted tinyint NOT NULL DEFAULT 0, account tinytext,
  array_task_str text, exit_code int unsigned NOT NULL, job_name tinytext NOT NULL,
  id_assoc int unsigned NOT NULL, id_array_job int unsigned NOT NULL DEFAULT 0,
  id_array_task int unsigned NOT NULL DEFAULT 4294967294, id_job int unsigned NOT NULL,
  id_qos int unsigned NOT NULL DEFAULT 1, het_job_id int unsigned NOT NULL DEFAULT 0,
  het_job_offset int unsigned NOT NULL DEFAULT 4294967294, nodelist text,
  `partition` tinytext NOT NULL, priority int unsigned NOT NULL, state int unsigned NOT NULL,
  timelimit int unsigned NOT NULL, time_submit bigint unsigned NOT NULL,
  time_eligible bigint unsigned NOT NULL, time_start bigint unsigned NOT NULL,
  time_end bigint unsigned NOT NULL, submit_line text, tres_alloc text NOT NULL,
  tres_req text NOT NULL);
"""
    columns = "mod_time, account, exit_code, job_name, id_assoc, id_job, nodelist, `partition`,"
    columns += " priority, state, timelimit, time_submit, time_eligible, time_start, time_end,"
    columns += " submit_line, tres_alloc, tres_req"
    rows = ",\n".join(map(_job_row, JOBS))
    return f"{tables}INSERT INTO abci_job_table ({columns}) VALUES\n{rows};\n"


def _job_row(job: tuple[int, str, int, int, int, int, int, int, int]) -> str:
    number, hosts, nodes, cpus, gpus, state, exit_code, begin, end = job
    submit_s, end_s = START_S + 60 * begin - 40, START_S + 60 * end
    begin_s = 0 if hosts == "None assigned" else START_S + 60 * begin
    wanted = f"1={cpus},2=1000,4={nodes},5={cpus},1001={gpus}"
    given = wanted if begin_s else ""
    exclusive = " --exclusive" if cpus == 40 * nodes else ""
    texts = (
        f"'gaa50000', {exit_code}, 'train{number}', 1, {number}, '{hosts}', 'rt_F', 100, {state}"
    )
    times = f"240, {submit_s}, {submit_s}, {begin_s}, {end_s}"
    return f"({end_s}, {texts}, {times}, 'sbatch{exclusive} job.sh', '{given}', '{wanted}')"


def write_daily(folder: Path) -> None:
    """Write one file of the controllers and one of the weather for each local day."""
    ipmi, weather = folder / "ipmi", folder / "weather"
    for each in (ipmi, weather):
        each.mkdir(parents=True)
    for minute in MINUTES:
        local = datetime.fromtimestamp(START_S + 60 * minute, ZONE)
        clock, inlet = f"{local:%Y-%m-%d %H:%M:%S}", 20 + minute % 4
        powers_kw = {host: node_power_w(host, minute) / 1000 for host in HOSTS}
        rows = [f"{clock},{host},{power_kw!r},{inlet}" for host, power_kw in powers_kw.items()]
        _append(ipmi / f"{local:%Y-%m-%d}.csv", "DateTime,Node,Total_Power [kW],Inlet_Temp", rows)
        if minute % 10 == 0:
            row = f"{local:%Y/%m/%d %H:%M},{41 + 0.18 * minute:.2f}"
            _append(weather / f"{local:%Y%m%d}.csv", "time,temperature (F)", [row])


def _append(path: Path, header: str, rows: list[str]) -> None:
    lines = rows if path.exists() else [header, *rows]
    with path.open("a") as stream:
        stream.write("\n".join(lines) + "\n")


def history() -> Iterator[str]:
    """Yield what Prometheus scraped once a minute, as OpenMetrics."""
    families: dict[str, list[str]] = {}
    for minute in MINUTES:
        for host in HOSTS:
            for series, value in _scraped(host, minute):
                line = f"{series} {value!r} {START_S + 60 * minute}"
                families.setdefault(series.partition("{")[0], []).append(line)
    for name, lines in families.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        yield f"# TYPE {name.removesuffix('_total')} {kind}"
        yield from lines
    yield "# EOF"


def _scraped(host: str, minute: int) -> Iterator[tuple[str, float]]:
    for cpu in CPUS:
        # Half of each minute is spent in user mode, the rest is idle.
        for mode in ("idle", "user"):
            labels = f'instance="{host}:9100",cpu="{cpu}",mode="{mode}"'
            yield f"node_cpu_seconds_total{{{labels}}}", 30.0 * (minute + 100)
    yield f'node_memory_MemTotal_bytes{{instance="{host}:9100"}}', 384.0 * 2**30
    yield f'node_memory_MemAvailable_bytes{{instance="{host}:9100"}}', (300.0 - minute % 8) * 2**30
    for gpu in GPUS:
        labels = f'gpu="{gpu}",UUID="GPU-{host}-{gpu}",Hostname="{host}"'
        yield f"DCGM_FI_DEV_GPU_UTIL{{{labels}}}", float((minute + 10 * gpu) % 100)
        yield f"DCGM_FI_DEV_FB_USED{{{labels}}}", 8192.0
        yield f"DCGM_FI_DEV_POWER_USAGE{{{labels}}}", gpu_power_w(host, gpu, minute)
        yield f"DCGM_FI_DEV_GPU_TEMP{{{labels}}}", 50.0 + gpu


def main(folder: Path) -> None:
    """Write everything into the folder."""
    (folder / "jobs.sql").write_text(jobs_sql())
    (folder / "history.om").write_text("\n".join(history()) + "\n")
    write_daily(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
