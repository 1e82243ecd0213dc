#!/bin/sh
# Collect what a twin of this Slurm is made of. Needs the right to read only; changes nothing.
# Usage: sh collect-slurm.sh [FOLDER [SINCE]]     SINCE as sacct takes it, such as 2026-10-01
set -u
out=${1:-slurm-dump}
since=${2:-now-28days}
mkdir -p "$out" || exit 1
export TZ=UTC SLURM_TIME_FORMAT=%s

keep() { # keep FILE COMMAND...: the output of the command, or a word on why there is none
    file=$1
    shift
    if "$@" >"$out/$file" 2>"$out/errors.tmp"; then
        echo "collected: $file"
    else
        rm -f "$out/$file"
        echo "left out:  $file: $(head -n 1 "$out/errors.tmp")"
    fi
    rm -f "$out/errors.tmp"
}

# The configuration: slurm.conf where it lies, with all files beside it that it may include.
conf=${SLURM_CONF:-$(scontrol show config | sed -n 's/^SLURM_CONF *= *//p')}
folder=$(dirname "${conf:-/etc/slurm/slurm.conf}")
for file in "$folder"/*.conf; do
    case $(basename "$file") in
    slurmdbd.conf | *key* | *jwt*) ;; # has passwords
    *) [ -r "$file" ] && keep "$(basename "$file")" cat "$file" ;;
    esac
done

# What the running Slurm says of itself.
keep scontrol-config.txt scontrol show config
keep scontrol-nodes.txt scontrol --oneliner show node
keep scontrol-partitions.txt scontrol --oneliner show partition
keep scontrol-reservations.txt scontrol --oneliner show reservation

# Accounts, QOS and node events.
limits=Priority,GrpJobs,GrpJobsAccrue,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,GrpTRESRunMins
keep sacctmgr-assoc.txt sacctmgr -P show assoc "format=Cluster,Account,User,Partition,\
ParentName,Fairshare,$limits,MaxJobs,MaxJobsAccrue,MaxTRES,MaxTRESPerNode,MaxSubmit,MaxWall,\
MaxTRESMins,QOS,DefaultQOS"
keep sacctmgr-qos.txt sacctmgr -P show qos "format=Name,GraceTime,Preempt,PreemptExemptTime,\
PreemptMode,Flags,UsageThres,UsageFactor,LimitFactor,$limits,MaxTRES,MaxTRESPerNode,MaxTRESMins,\
MaxWall,MaxTRESPU,MaxJobsPU,MaxJobsAccruePU,MaxSubmitPU,MaxTRESPA,MaxTRESRunMinsPA,\
MaxTRESRunMinsPU,MaxJobsPA,MaxJobsAccruePA,MaxSubmitPA,MinTRES"
keep sshare.txt sshare --all --parsable2 --format=Account,User,RawUsage
keep sacctmgr-events.txt sacctmgr -P show event "start=$since" \
    format=Cluster,NodeName,TimeStart,TimeEnd,State,Reason

# The jobs, one row for each attempt; SubmitLine comes last, because it may hold anything.
keep sacct.txt sacct --allusers --allocations --duplicates --parsable2 --noconvert \
    --starttime="$since" --format=JobID,JobIDRaw,State,Cluster,User,Account,Partition,QOS,Submit,\
Eligible,Start,End,TimelimitRaw,ExitCode,NNodes,NCPUS,ReqTRES,AllocTRES,NodeList,Priority,\
Constraints,Flags,Reservation,Suspended,JobName,SubmitLine
echo "written: $out"
