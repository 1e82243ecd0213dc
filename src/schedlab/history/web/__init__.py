"""The history service: a job history as a web API and as pages."""
