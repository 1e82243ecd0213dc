"""Slurm's records of its jobs, in every form that a site may have."""
