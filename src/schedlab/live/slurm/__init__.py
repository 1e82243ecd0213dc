"""A running Slurm: reading its queue, and changing priorities within bounds."""
