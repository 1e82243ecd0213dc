"""The pages of the history service."""
