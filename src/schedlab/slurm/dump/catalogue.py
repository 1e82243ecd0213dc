"""Verdicts on the parameters of slurm.conf that no field of the twin holds."""

from __future__ import annotations

from schedlab.slurm.dump.findings import HARMLESS, NOT_MODELLED
from schedlab.slurm.dump.values import is_endless, is_unset

_HARMLESS: dict[str, str] = {
    "It says what is logged, counted or mailed, and where; no job starts otherwise.": """
        DebugFlags LogTimeFormat SlurmctldDebug SlurmctldLogFile SlurmctldSyslogDebug SlurmdDebug
        SlurmdLogFile SlurmdSyslogDebug SlurmSchedLogFile SlurmSchedLogLevel MailDomain MailProg
        JobCompHost JobCompLoc JobCompParams JobCompPass JobCompPassScript JobCompPort JobCompType
        JobCompUser AcctGatherEnergyType AcctGatherFilesystemType AcctGatherInterconnectType
        AcctGatherInfinibandType AcctGatherNodeFreq AcctGatherProfileType JobAcctGatherFrequency
        JobAcctGatherType JobAcctGatherParams ExtSensorsFreq ExtSensorsType MetricsType
        AccountingStoreFlags AccountingStoreJobComment TrackWCKey SlurmctldPlugstack
        SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg PrivateData EnergyPathRRD EnergyRRA JobData
        NodeData SwitchData MaxTemp MinTemp MaxWatt MinWatt TempPathRRD TempRRA""",
    "It says how daemons and commands find and trust each other.": """
        ClusterName ControlMachine ControlAddr BackupController BackupAddr SlurmctldHost
        SlurmctldAddr SlurmctldPort SlurmdPort SlurmctldTimeout AuthAltTypes AuthAltParameters
        AuthType CryptoType CredType CommunicationParameters AccountingStorageHost
        AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageLoc
        AccountingStorageParameters AccountingStoragePass AccountingStoragePort
        AccountingStorageType AccountingStorageUser SlurmUser SlurmdUser JobCredentialPrivateKey
        JobCredentialPublicCertificate TCPTimeout TreeWidth RoutePlugin SrunPortRange UsePAM
        HashPlugin TLSType TLSParameters CertmgrType CertmgrParameters CertgenType
        CertgenParameters DataParserParameters EioTimeout GetEnvTimeout URLParserType
        SlurmctldOOMKillFactor HostUnreachPollPeriod NamespaceType""",
    "It names files and folders of the daemons.": """
        PluginDir PlugStackConfig StateSaveLocation SlurmdSpoolDir SlurmctldPidFile SlurmdPidFile
        TmpFS SLURM_CONF""",
    "It says how the tasks of a job run on its nodes, when the job has them already.": """
        TaskPlugin TaskPluginParam TaskProlog TaskEpilog MpiDefault MpiParams ProctrackType
        PropagatePrioProcess PropagateResourceLimits PropagateResourceLimitsExcept LaunchType
        LaunchParameters BcastExclude BcastParameters CpuFreqDef CpuFreqGovernors GpuFreqDef
        InteractiveStepOptions JobFileAppend KillOnBadExit MaxStepCount MaxTasksPerNode SrunEpilog
        SrunProlog SwitchType SwitchParameters VSizeFactor WaitTime X11Parameters JobContainerType
        ContainerParameters CoreSpecPlugin AllowSpecResourcesUsage UnkillableStepProgram
        UnkillableStepTimeout ScronParameters DisableRootJobs MinJobAge SlurmdParameters
        FastSchedule CacheGroups CheckpointType JobCheckpointDir""",
    "It says what Slurm keeps in memory or how often it looks at groups.": """
        GroupUpdateForce GroupUpdateTime MaxDBDMsgs MaxJobId MaxBatchRequeue EpilogMsgTime
        KeepAliveTime NEXT_JOB_ID HASH_VAL MULTIPLE_SLURMD SLURM_VERSION ReconfigFlags
        DefaultStorageHost DefaultStorageLoc DefaultStoragePass DefaultStoragePort
        DefaultStorageType DefaultStorageUser""",
    "It names kinds of resources; nodes say how many they have.": "GresTypes",
}

_NOT_MODELLED: dict[str, str] = {
    "A plugin of the site may change or refuse jobs when they are submitted; the history has the "
    "jobs as they were then, other jobs are taken as they ask.": """
        JobSubmitPlugins CliFilterPlugins""",
    "A program of the site runs before or after each job or reservation; its time is not modelled "
    "apart from the run times in the history.": """
        PrologSlurmctld EpilogSlurmctld ResvProlog ResvEpilog PrEpPlugins PrEpParameters
        PrologEpilogTimeout PrologTimeout EpilogTimeout""",
    "Nodes are not switched off and on in the twin; a job does not wait for its nodes to boot.": """
        ResumeProgram ResumeFailProgram ResumeRate ResumeTimeout SuspendProgram SuspendRate
        SuspendTime SuspendTimeout SuspendExcNodes SuspendExcParts SuspendExcStates RebootProgram
        PowerPlugin PowerParameters NodeFeaturesPlugins""",
    "Health checks do not drain nodes in the twin; drains in the node events are replayed.": """
        HealthCheckInterval HealthCheckNodeState HealthCheckProgram""",
    "The site's own part of the priority is not known here; priorities lack it.": """
        PrioritySiteFactorPlugin PrioritySiteFactorParameters PriorityParameters""",
    "Burst buffers are not modelled; a job does not wait for its data.": "BurstBufferType",
    "Jobs are not requeued because of the code with which they exit.": """
        RequeueExit RequeueExitHold""",
    "Jobs that share cores run at the same time in the twin.": "SchedulerTimeSlice",
    "Security labels do not keep jobs apart in the twin.": "MCSPlugin MCSParameters",
    "Defaults of jobs by generic resource are not filled in.": "JobDefaults",
    "The options of slurmctld are not looked at one by one.": "SlurmctldParameters",
    "Interactive jobs whose command died are not ended in the twin.": "InactiveLimit",
    "A batch job that does not start on its node is not noticed in the twin.": "BatchStartTimeout",
    "Nodes do not join and leave by themselves.": "MaxNodeCount",
}

_OFF = frozenset(
    ["0", "no", "off", "none", "default", "any", "n/a", "0-0", "prep/script", "mcs/none", "65534"]
)


def _by_name(groups: dict[str, str]) -> dict[str, str]:
    return {name.lower(): meaning for meaning, names in groups.items() for name in names.split()}


_HARMLESS_NAMES, _NOT_MODELLED_NAMES = _by_name(_HARMLESS), _by_name(_NOT_MODELLED)
_NAMED_LIKE_DEFAULTS = {
    "resumerate": ("300", "300 nodes/min"),
    "resumetimeout": ("60", "60 sec"),
    "suspendrate": ("60", "60 nodes/min"),
    "suspendtimeout": ("30", "30 sec"),
    "schedulertimeslice": ("30", "30 sec"),
    "batchstarttimeout": ("10", "10 sec"),
    "healthcheckinterval": ("0", "0 sec"),
    "inactivelimit": ("0", "0 sec"),
}


def verdict_of(name: str, value: str) -> tuple[str, str]:
    """Return the verdict on a parameter that no field of the twin holds, and what it means here."""
    key = name.lower().split("[")[0]
    if key in _HARMLESS_NAMES:
        return HARMLESS, _HARMLESS_NAMES[key]
    if key not in _NOT_MODELLED_NAMES:
        return NOT_MODELLED, "It is not known to this version of schedlab; the twin ignores it."
    if is_off(value) or value in _NAMED_LIKE_DEFAULTS.get(key, ()):
        return HARMLESS, "It is off, or as Slurm has it without being told."
    if key == "maxnodecount":
        return HARMLESS, "It counts the nodes of slurm.conf, which the machine has."
    return NOT_MODELLED, _NOT_MODELLED_NAMES[key]


def is_off(value: str) -> bool:
    """Return whether the value switches off what the parameter is about."""
    said = value.strip().lower().removesuffix(" sec").removesuffix(" min")
    return is_unset(value) or is_endless(value) or said in _OFF
