"""Trainings side by side: many networks of one shape, learning as one."""
