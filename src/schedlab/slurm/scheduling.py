"""The settings of the main scheduler and of backfill: SchedulerParameters, option by option."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schedlab.slurm.option import option

WITHIN = "SchedulerParameters"


def _within(slurm: str, default: Any, kind: str) -> Any:
    return option(slurm, default, kind, within=WITHIN)


@dataclass(frozen=True)
class SchedulerSettings:
    """SchedulerType and SchedulerParameters, under Slurm's names; a limit of 0 means no limit."""

    type: str = option("SchedulerType", "sched/backfill", "word")
    assoc_limit_stop: bool = _within("assoc_limit_stop", False, "flag")
    allow_zero_lic: bool = _within("allow_zero_lic", False, "flag")
    batch_sched_delay_s: int = _within("batch_sched_delay", 3, "seconds")
    bf_busy_nodes: bool = _within("bf_busy_nodes", False, "flag")
    bf_continue: bool = _within("bf_continue", False, "flag")
    bf_interval_s: int = _within("bf_interval", 30, "seconds")
    bf_job_part_count_reserve: int = _within("bf_job_part_count_reserve", 0, "count")
    bf_licenses: bool = _within("bf_licenses", False, "flag")
    bf_max_job_array_resv: int = _within("bf_max_job_array_resv", 20, "count")
    bf_max_job_assoc: int = _within("bf_max_job_assoc", 0, "count")
    bf_max_job_part: int = _within("bf_max_job_part", 0, "count")
    bf_max_job_start: int = _within("bf_max_job_start", 0, "count")
    bf_max_job_test: int = _within("bf_max_job_test", 500, "count")
    bf_max_job_user: int = _within("bf_max_job_user", 0, "count")
    bf_max_job_user_part: int = _within("bf_max_job_user_part", 0, "count")
    bf_max_time_s: int = _within("bf_max_time", 0, "seconds")
    """0: as long as bf_interval."""
    bf_min_age_reserve_s: int = _within("bf_min_age_reserve", 0, "seconds")
    bf_min_prio_reserve: int = _within("bf_min_prio_reserve", 0, "count")
    bf_node_space_size: int | None = _within("bf_node_space_size", None, "count")
    """None: as many as bf_max_job_test."""
    bf_one_resv_per_job: bool = _within("bf_one_resv_per_job", False, "flag")
    bf_resolution_s: int = _within("bf_resolution", 60, "seconds")
    bf_running_job_reserve: bool = _within("bf_running_job_reserve", False, "flag")
    bf_window_s: int = _within("bf_window", 1440 * 60, "plain minutes")
    bf_window_linear_s: int = _within("bf_window_linear", 0, "seconds")
    bf_yield_interval_us: int = _within("bf_yield_interval", 2_000_000, "count")
    bf_yield_sleep_us: int = _within("bf_yield_sleep", 500_000, "count")
    build_queue_timeout_us: int = _within("build_queue_timeout", 2_000_000, "count")
    default_queue_depth: int = _within("default_queue_depth", 100, "count")
    defer: bool = _within("defer", False, "flag")
    defer_batch: bool = _within("defer_batch", False, "flag")
    kill_invalid_depend: bool = _within("kill_invalid_depend", False, "flag")
    max_array_tasks: int | None = _within("max_array_tasks", None, "count")
    max_rpc_cnt: int = _within("max_rpc_cnt", 0, "count")
    max_sched_time_s: int | None = _within("max_sched_time", None, "seconds")
    """None: half of MessageTimeout, at least 1 s and at most 2 s."""
    max_switch_wait_s: int = _within("max_switch_wait", 300, "seconds")
    pack_serial_at_end: bool = _within("pack_serial_at_end", False, "flag")
    partition_job_depth: int = _within("partition_job_depth", 0, "count")
    preempt_reorder_count: int = _within("preempt_reorder_count", 1, "count")
    preempt_strict_order: bool = _within("preempt_strict_order", False, "flag")
    preempt_youngest_first: bool = _within("preempt_youngest_first", False, "flag")
    reduce_completing_frag: bool = _within("reduce_completing_frag", False, "flag")
    sched_interval_s: int = _within("sched_interval", 60, "seconds")
    sched_max_job_start: int = _within("sched_max_job_start", 0, "count")
    sched_min_interval_us: int = _within("sched_min_interval", 2, "count")
