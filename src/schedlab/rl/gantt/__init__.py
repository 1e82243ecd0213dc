"""Casagrande and Pillon's grid: an agent reserves resources in a Gantt chart, job by job."""

from schedlab.rl.gantt.batch import GanttBatch
from schedlab.rl.gantt.env import GanttEnv, GanttVectorEnv
from schedlab.rl.gantt.episodes import GridEpisodes
from schedlab.rl.gantt.rules import RULES, SlotRule, find_rule, schedule_by
from schedlab.rl.gantt.settings import GanttSettings

__all__ = [
    "RULES",
    "GanttBatch",
    "GanttEnv",
    "GanttSettings",
    "GanttVectorEnv",
    "GridEpisodes",
    "SlotRule",
    "find_rule",
    "schedule_by",
]
