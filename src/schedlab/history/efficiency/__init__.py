"""What jobs used of what they asked for, and what they should ask for instead."""
