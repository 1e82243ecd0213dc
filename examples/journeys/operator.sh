#!/bin/sh
# An operator: the history of a site, its twin, and what another configuration would have done.
# Run it in an empty folder. It needs: pip install ".[web]"
set -eu

# What a collected history looks like: a miniature site stands in for yours.
schedlab demo history --out site
schedlab history doctor --site site/site.toml --at 2026-01-06
schedlab history show --site site/site.toml --limit 5
schedlab history export --site site/site.toml jobs.jsonl
schedlab simulate jobs.jsonl --nodes 8 --policy easy --policy sjf+easy

# The script that collects a dump from a real Slurm, and a small dump.
schedlab slurm script >collect-slurm.sh
mkdir dump
cat >dump/slurm.conf <<'CONF'
ClusterName=small
SchedulerParameters=bf_interval=30
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/multifactor
PriorityWeightAge=1000
NodeName=n[1-4] CPUs=8
PartitionName=batch Nodes=ALL Default=YES MaxTime=1-00:00:00
CONF
{
    echo "JobID|State|User|Account|Partition|QOS|Submit|Eligible|Start|End|TimelimitRaw|ReqTRES|AllocTRES|NodeList"
    begin=1790000000
    for job in $(seq 40); do
        submit=$((begin + job * 60))
        start=$((submit + job % 7 * 20))
        end=$((start + 100 + job % 11 * 30))
        echo "$job|COMPLETED|ann|physics|batch|normal|$submit|$submit|$start|$end|10|cpu=8,node=1|cpu=8,node=1|n$((job % 4 + 1))"
    done
} >dump/sacct.txt

# The twin: how faithful is it, and what would change?
schedlab slurm import dump --out mysite --slurm-version 24.11
schedlab slurm fidelity mysite --phases 2
schedlab slurm what-if mysite --set bf_interval=300 --phases 2

# How far was the history read? `schedlab serve --site site/site.toml` shows it as web pages.
schedlab history status --site site/site.toml
