"""Timings, run with ``hatch run bench``."""
