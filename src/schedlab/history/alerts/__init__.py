"""What is watched, and who is notified when something is wrong."""
