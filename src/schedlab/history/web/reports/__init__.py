"""Reports: what a user, a group or the site did in a week or a month, and what would help."""
