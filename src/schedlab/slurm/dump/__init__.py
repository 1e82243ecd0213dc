"""Import of a site from the files that an operator can dump from a Slurm."""
