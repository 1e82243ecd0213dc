"""Schedules as pictures: for papers with Matplotlib, to explore with Bokeh."""
