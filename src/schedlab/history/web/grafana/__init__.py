"""The data that Grafana's data source "JSON" asks for, and dashboards that use it."""
