#!/bin/bash
# How long the guide "Try it: from history to steering in 20 minutes" takes, step by step.
#
#   benchmarks/try_steering.sh FOLDER [installed]
#
# Follows docs/guides/try-steering.md in an empty FOLDER with a copy of this repository, and prints JSON: the seconds of
# each step. With "installed" the schedlab of the PATH is taken, and the step install is left out.
set -euo pipefail
[ $# -ge 1 ] && [ ! -e "$1" ] || { echo "FOLDER is missing, or is there already" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd) names=() times=() groups=()
cluster=$(mktemp -d) && rmdir "$cluster"
step() { names+=("$1"); times+=("$(date +%s)"); echo "== $1" >&2; }
background() { setsid "$@" >>background.out 2>&1 & groups+=($!); }
stop_all() { for each in "${groups[@]}"; do kill -INT -- "-$each" 2>/dev/null || true; done; sleep 2
  for each in "${groups[@]}"; do kill -- "-$each" 2>/dev/null || true; done; examples/loopback-slurm.sh down "$cluster" >&2; }
has() { schedlab operate mysite status --json | python3 -c "import json, sys; sys.exit('$1' not in [e['kind'] for e in json.load(sys.stdin)['entries']])"; }
await() { for _ in $(seq 300); do has "$1" && return; sleep 2; done; echo "never: $1" >&2; exit 1; }

step clone; git clone -q "$root" "$1"; cd "$1"
step cluster; examples/loopback-slurm.sh up "$cluster" >&2; trap stop_all EXIT
export SLURM_CONF=$cluster/slurm.conf
background examples/loopback-slurm.sh work "$cluster" 60
begun=$(date +%s)
if [ "${2:-}" != installed ]; then
  step install; python3 -m venv .venv; . .venv/bin/activate; pip install --quiet ".[evolve,web]" >&2
fi
step history; left=$((begun + 240 - $(date +%s))); [ "$left" -lt 1 ] || sleep "$left"
step import; sh src/schedlab/slurm/collect-slurm.sh dump >&2; schedlab slurm import dump --out mysite >&2
step rehearse; schedlab live rehearse mysite --policy saf --every 10s >&2
step mirror; schedlab live mirror mysite --looks 2 --every 10s >&2
step advise; schedlab live advise mysite --policy saf >&2
step service; cp examples/loopback-site/site.toml .; cp examples/loopback-site/operate.toml mysite/
schedlab history init >&2; schedlab history ingest >&2; background schedlab serve --port 0
step "loop, up to its question"; background schedlab operate mysite; sleep 5; await asked
step "question, read for half a minute"; sleep 30
step "steering, up to its effect"; schedlab operate mysite approve >&2; await watched
step stop; schedlab operate mysite stop >&2; await stopped; sprio >&2
step report; schedlab history ingest >&2; schedlab operate mysite report --date "$(date +%F)" --out week.html >&2
step end
echo "{"
for ((at = 0; at + 1 < ${#names[@]}; at++)); do echo "  \"${names[at]}\": $((times[at + 1] - times[at])),"; done
echo "  \"all\": $((times[-1] - times[0]))"
echo "}"
