"""Steer a running Slurm: bounded changes of priorities that expire, under guards."""
