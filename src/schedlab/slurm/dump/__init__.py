"""From what an operator can dump of a Slurm to a site."""
