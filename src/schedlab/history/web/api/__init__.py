"""The API of the history service: one file per kind of thing that is asked for."""
