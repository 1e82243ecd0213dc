"""What slurmctld computes, in plain Python, for reading and for checking the core."""
