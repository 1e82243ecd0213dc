"""Which parameters the twin uses; a change of any other would make no difference."""

from __future__ import annotations

from dataclasses import fields

from schedlab.slurm.parameters import SECTIONS, SlurmParameters, defaults_of

REPLAYED: dict[str, frozenset[str]] = {
    "scheduler": frozenset(
        [
            *("type", "assoc_limit_stop", "batch_sched_delay_s", "bf_continue", "bf_interval_s"),
            *("bf_job_part_count_reserve", "bf_max_job_array_resv", "bf_max_job_assoc"),
            *("bf_max_job_part", "bf_max_job_start", "bf_max_job_test", "bf_max_job_user"),
            *("bf_max_job_user_part", "bf_max_time_s", "bf_min_age_reserve_s"),
            "bf_min_prio_reserve",
            *("bf_one_resv_per_job", "bf_resolution_s", "bf_window_s", "bf_window_linear_s"),
            *("default_queue_depth", "kill_invalid_depend", "partition_job_depth"),
            *("preempt_reorder_count", "preempt_youngest_first", "sched_interval_s"),
            "sched_max_job_start",
        ]
    ),
    "priority": frozenset(
        [
            *("type", "weight_age", "weight_assoc", "weight_fairshare", "weight_job_size"),
            *("weight_partition", "weight_qos", "weight_tres", "max_age_s", "decay_half_life_s"),
            *("calc_period_s", "favor_small", "flags", "fairshare_dampening_factor"),
        ]
    ),
    "select": frozenset(
        ["type", "parameters", "topology_plugin", "def_mem_per_cpu_mb", "def_mem_per_node_mb"]
    ),
    "preempt": frozenset(["type", "mode", "exempt_time_s"]),
    "control": frozenset(
        [
            *("enforce", "kill_wait_s", "over_time_limit_s", "message_timeout_s"),
            *("min_job_age_s", "job_requeue", "return_to_service", "cred_expire_s"),
            "slurmd_timeout_s",
        ]
    ),
}
"""The parameters by section. The twin always works as with bf_continue: its cycles take no time."""


def not_heeded(parameters: SlurmParameters) -> list[str]:
    """Return the parameters of scheduling that a site sets and the twin does not use."""
    usual = defaults_of(parameters.version)
    found = []
    for section in SECTIONS.keys() - {"control"}:
        own = getattr(parameters, section)
        for each in fields(own):
            value = getattr(own, each.name)
            is_usual = value == getattr(getattr(usual, section), each.name)
            if each.name not in REPLAYED[section] and not is_usual:
                found.append(f"{each.metadata['slurm']}={value}")
    return sorted(found)
