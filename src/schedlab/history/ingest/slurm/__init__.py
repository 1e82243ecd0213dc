"""What Slurm records of its jobs, in each of the forms it can be had in."""
