"""Speed against peers and against the last recorded run: ``make bench``."""
