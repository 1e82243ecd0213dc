#!/bin/bash
# A whole Slurm on this machine, to try schedlab with: eight nodes of four CPUs on 127.0.0.1.
#
#   loopback-slurm.sh up FOLDER        start it; everything it needs and writes is in FOLDER
#   loopback-slurm.sh work FOLDER [N]  submit sleeping jobs for N minutes (default: 20)
#   loopback-slurm.sh down FOLDER      stop it; FOLDER stays
#
# Only root can start it. On Debian 12:
#   apt install --no-install-recommends slurmctld slurmd slurmdbd slurm-client slurm-wlm-mysql-plugin munge mariadb-server
set -euo pipefail

usage() { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "$*" >&2; exit 2; }
[ $# -ge 2 ] || usage
action=$1 folder=$2

until_it() { # until_it WHAT COMMAND...
  local what=$1; shift
  for _ in $(seq 600); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done
  fail "$what: waited for a minute in vain; see $folder/log"
}

free_ports() { # as many free ports as asked for
  python3 - "$1" <<'P'
import socket, sys
taken = [socket.socket() for _ in range(int(sys.argv[1]))]
for each in taken:
    each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in taken))
P
}

start() { # start NAME COMMAND...: in the background, with a log and the number of its process
  local name=$1; shift
  setsid "$@" </dev/null >"$folder/log/$name.out" 2>&1 &
  echo $! >"$folder/run/$name.pid"
}

up() {
  [ "$(id -u)" = 0 ] || fail "only root can start it"
  for program in munged mariadbd mariadb-install-db slurmdbd slurmctld slurmd sacctmgr runuser; do
    command -v "$program" >/dev/null || fail "$program: not found; $(sed -n '9s/^# *//p' "$0")"
  done
  [ ! -e "$folder/slurm.conf" ] || fail "$folder: there is a cluster already; take another folder"
  mkdir -p "$folder"/{state,spool,log,run,munge,db}
  folder=$(cd "$folder" && pwd)
  chmod 755 "$folder"
  dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 status=none
  chmod 400 "$folder/munge/key"; chmod 711 "$folder/munge"
  chown -R munge: "$folder/munge"; chown mysql: "$folder/db"
  read -r ctld dbd sql nodes <<<"$(free_ports 11)"
  write_settings

  start munged runuser -u munge -- munged --foreground --key-file="$folder/munge/key" \
    --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
  mariadb-install-db --no-defaults --user=mysql --datadir="$folder/db/data" --skip-test-db \
    --auth-root-authentication-method=normal >"$folder/log/mariadb-install.out" 2>&1
  start mariadbd mariadbd --no-defaults --user=mysql --datadir="$folder/db/data" \
    --socket="$folder/db/socket" --pid-file="$folder/db/pid" --bind-address=127.0.0.1 \
    --port="$sql" --innodb-buffer-pool-size=128M --innodb-lock-wait-timeout=900
  until_it "MariaDB" mariadb-admin --no-defaults --socket="$folder/db/socket" ping
  mariadb --no-defaults --socket="$folder/db/socket" -e "create database slurm"

  export SLURM_CONF=$folder/slurm.conf
  unset SLURM_JWT
  start slurmdbd slurmdbd -D
  until_it "slurmdbd" sacctmgr --noheader list cluster
  sacctmgr -i add cluster loopback >/dev/null
  for account in physics chemistry; do
    sacctmgr -i add account "$account" >/dev/null
    sacctmgr -i add user "$(id -un)" account="$account" >/dev/null
  done
  start slurmctld slurmctld -D
  until_it "slurmctld" scontrol ping
  for number in 1 2 3 4 5 6 7 8; do start "slurmd-n$number" slurmd -D -N "n$number"; done
  until_it "the nodes" eval '[ "$(sinfo --noheader --Node --format=%T | sort -u)" = idle ]'
  sinfo
  echo "It runs. Slurm's commands find it by:"
  echo "  export SLURM_CONF=$SLURM_CONF"
}

write_settings() {
  local host number=0
  host=$(hostname -s)
  cat >"$folder/slurmdbd.conf" <<S
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CommunicationParameters=NoInAddrAny
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$dbd
SlurmUser=root
LogFile=$folder/log/slurmdbd.log
PidFile=$folder/run/slurmdbd
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$sql
StorageUser=root
StorageLoc=slurm
S
  chmod 600 "$folder/slurmdbd.conf"
  {
    cat <<S
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$ctld
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld
SlurmdPidFile=$folder/run/slurmd-%n
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,sched_min_interval=0,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityMaxAge=1-0
PriorityCalcPeriod=1
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$dbd
AccountingStoragePass=$folder/munge/socket
MinJobAge=300
KillWait=2
Waittime=0
S
    for port in $nodes; do
      number=$((number + 1))
      echo "NodeName=n$number NodeHostname=$host NodeAddr=127.0.0.1 Port=$port CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=2000"
    done
    echo "PartitionName=batch Nodes=ALL Default=YES MaxTime=60 DefaultTime=1 State=UP"
  } >"$folder/slurm.conf"
}

work() { # large jobs first, so that small ones wait behind them: an order can be better than another
  [ -e "$folder/slurm.conf" ] || fail "$folder: no cluster; start one with: $0 up $folder"
  export SLURM_CONF=$folder/slurm.conf
  local minutes=${1:-20} end accounts=(physics chemistry) number=0
  [[ $minutes =~ ^[0-9]+$ ]] || fail "$minutes: must be a number of minutes"
  end=$((SECONDS + 60 * minutes))
  RANDOM=1
  while [ "$SECONDS" -lt "$end" ]; do
    for cpus in 32 16 12 8 6 4 4 2 2 1 1; do
      sbatch --quiet --chdir=/ --output=/dev/null --account="${accounts[number++ % 2]}" \
        --ntasks="$cpus" --time=1 --wrap="sleep $((2 + RANDOM % 8))"
    done
    sleep 20
  done
}

down() {
  local pids=()
  for file in "$folder"/run/slurmd-n?.pid "$folder"/run/{slurmctld,slurmdbd,mariadbd,munged}.pid; do
    [ ! -s "$file" ] || pids+=("$(cat "$file")")
  done
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do until_it "process $pid" eval "! kill -0 $pid"; done
  echo "It is stopped."
}

case $action in
  up) up ;;
  work) work "${3:-20}" ;;
  down) down ;;
  *) usage ;;
esac
