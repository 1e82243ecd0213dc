"""Write what the programs of the site would have recorded on one morning.

``python make_data.py [FOLDER]`` writes ``accounting``, ``rrds/`` and ``zabbix.sql``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

START_S = 1_704_844_800
"""10 January 2024, 09:00 in Japan."""
STEP_S = 300
STEPS = 48
HOSTS = tuple(f"r0i0n{number}" for number in range(4))
GPUS = range(4)

# Job, task, hosts (the master's first), slots, begin and end in minutes from the start, request.
JOBS = (
    (101, 0, ("r0i0n0",), 28, 0, 60, "-l gpu=4,h_rt=7200"),
    (102, 0, ("r0i0n1",), 7, 0, 60, "-l h_rt=3600"),
    (103, 0, ("r0i0n1",), 21, 30, 90, "-l h_rt=3600"),
    (104, 0, ("r0i0n2", "r0i0n3"), 56, 20, 140, "-l h_rt=7200 -pe mpi 56"),
    (105, 1, ("r0i0n1",), 14, 100, 110, "-l h_rt=600"),
    (105, 2, ("r0i0n1",), 14, 100, 120, "-l h_rt=600"),
)


def node_power_w(host: str, step: int) -> float:
    """Return the watts of a node during a step of five minutes."""
    return 400.0 + 50 * HOSTS.index(host) + 10 * (step % 12)


def gpu_power_w(host: str, gpu: int, step: int) -> float:
    """Return the watts of one of the node's GPUs."""
    return 60.0 + 20 * gpu + step % 5 + HOSTS.index(host)


def cooling_kw(minute: int) -> float:
    """Return the kilowatts of the cooling plant."""
    return 30.0 + 0.1 * (minute % 20)


def accounting() -> str:
    """Return rows of Grid Engine 8.1; a parallel job has one more for each further host."""
    lines = ["# Version: 8.1.9"]
    for job, task, hosts, slots, begin, end, category in JOBS:
        for number, host in enumerate(hosts):
            pe_task = "NONE" if number == 0 else f"{number}.{host}"
            times = [START_S + 60 * begin - 30, START_S + 60 * begin, START_S + 60 * end]
            run_s = 60 * (end - begin)
            row = ["all.q", host, "gsic", "user1", f"job{job}", job, "sge", 0, *times, 0, 0]
            row += [run_s, float(run_s), 1.0, 4096.0, *[0] * 14, "NONE", "defaultdepartment"]
            row += ["mpi" if len(hosts) > 1 else "NONE", slots, task, float(run_s), 0.0, 0.0]
            row += [category, 0.0, pe_task, 1e9, 0, 0]
            lines.append(":".join(map(str, row)))
    return "\n".join(lines) + "\n"


def write_rrds(folder: Path) -> None:
    """Write the databases that gmetad keeps, by the program that gmetad uses."""
    commands = []
    for host in HOSTS:
        metrics = {
            "node_power": [node_power_w(host, step) for step in range(STEPS)],
            "cpu_used": [25.0 + step for step in range(STEPS)],
            "mem_used": [64.0 * 2**20] * STEPS,
        }
        for gpu in GPUS:
            metrics[f"gpu{gpu}_power"] = [gpu_power_w(host, gpu, step) for step in range(STEPS)]
            metrics[f"gpu{gpu}_util"] = [10.0 * gpu + step for step in range(STEPS)]
        (folder / host).mkdir(parents=True)
        for metric, values in metrics.items():
            path = folder / host / f"{metric}.rrd"
            create = f"create {path} --step {STEP_S} --start {START_S}"
            commands.append(f"{create} DS:sum:GAUGE:{8 * STEP_S}:U:U RRA:AVERAGE:0.5:1:600")
            # A value covers the time since the update before it.
            rows = [f"{START_S + STEP_S * (n + 1)}:{value}" for n, value in enumerate(values)]
            commands.append(f"update {path} {' '.join(rows)}")
    done = subprocess.run(
        ["rrdtool", "-"], input="\n".join(commands), capture_output=True, text=True, check=True
    )
    assert "ERROR" not in done.stdout, done.stdout


def zabbix_sql() -> str:
    """Return SQL for the tables of a Zabbix server that a reader needs, with one item."""
    tables = """\
CREATE TABLE hosts (hostid bigint PRIMARY KEY, host varchar(128) NOT NULL);
CREATE TABLE items (itemid bigint PRIMARY KEY, hostid bigint NOT NULL,
                    key_ varchar(2048) NOT NULL, value_type integer NOT NULL);
CREATE TABLE history (itemid bigint NOT NULL, clock integer NOT NULL,
                      value double precision NOT NULL, ns integer NOT NULL);
CREATE TABLE history_uint (itemid bigint NOT NULL, clock integer NOT NULL,
                           value numeric(20,0) NOT NULL, ns integer NOT NULL);
CREATE TABLE trends (itemid bigint NOT NULL, clock integer NOT NULL, num integer NOT NULL,
                     value_min double precision NOT NULL, value_avg double precision NOT NULL,
                     value_max double precision NOT NULL);
CREATE TABLE trends_uint (itemid bigint NOT NULL, clock integer NOT NULL, num integer NOT NULL,
                          value_min numeric(20,0) NOT NULL, value_avg numeric(20,0) NOT NULL,
                          value_max numeric(20,0) NOT NULL);
INSERT INTO hosts VALUES (1, 'facility');
INSERT INTO items VALUES (1, 1, 'cooling.power', 0);
"""
    minutes = range(-20, STEPS * STEP_S // 60)
    rows = (f"(1, {START_S + 60 * m}, {cooling_kw(m)!r}, 0)" for m in minutes)
    return tables + "INSERT INTO history VALUES\n" + ",\n".join(rows) + ";\n"


def main(folder: Path) -> None:
    """Write everything into the folder."""
    (folder / "accounting").write_text(accounting())
    (folder / "zabbix.sql").write_text(zabbix_sql())
    write_rrds(folder / "rrds" / "t3")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
