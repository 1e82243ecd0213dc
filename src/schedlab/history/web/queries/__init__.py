"""The queries of the store: functions of a connection and a viewer, for API and pages alike."""
