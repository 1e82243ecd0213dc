"""Exports: a job history in the formats that others read."""

from __future__ import annotations

from schedlab.history.export.arrow import ArrowExporter, ParquetExporter
from schedlab.history.export.batsim_json import BatsimJsonExporter
from schedlab.history.export.clustercockpit import ClusterCockpitExporter
from schedlab.history.export.csv import CsvExporter
from schedlab.history.export.exporter import Exporter, Extent
from schedlab.history.export.json_records import JsonExporter, JsonLinesExporter
from schedlab.history.export.traces import GwfExporter, SwfExporter

__all__ = ["EXPORTERS", "Exporter", "Extent"]

EXPORTERS: dict[str, type[Exporter]] = {
    "json-lines": JsonLinesExporter,
    "json": JsonExporter,
    "parquet": ParquetExporter,
    "arrow": ArrowExporter,
    "csv": CsvExporter,
    "swf": SwfExporter,
    "gwf": GwfExporter,
    "batsim-json": BatsimJsonExporter,
    "clustercockpit": ClusterCockpitExporter,
}
