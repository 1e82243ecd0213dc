"""What Grafana's data source "JSON" asks for, and dashboards that ask for it."""
