"""Job histories: one open record per job, from whatever a site already runs."""
