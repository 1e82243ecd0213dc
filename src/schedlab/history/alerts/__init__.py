"""What is watched, and who is told when something is wrong."""
