"""The API of the history service: one file per kind of resource."""
