"""The standard job record as models, and the JSON Schemas generated from them."""

from schedlab.history.schema.fault import Fault
from schedlab.history.schema.job import SCHEMA_VERSION, HostUse, JobRecord, JobState
from schedlab.history.schema.system import SystemDocument
from schedlab.history.schema.timeline import (
    Provenance,
    Timeline,
    TimelineUri,
    parse_timeline_uri,
)
from schedlab.history.schema.validate import validate_file

__all__ = [
    "SCHEMA_VERSION",
    "Fault",
    "HostUse",
    "JobRecord",
    "JobState",
    "Provenance",
    "SystemDocument",
    "Timeline",
    "TimelineUri",
    "parse_timeline_uri",
    "validate_file",
]
