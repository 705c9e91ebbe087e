"""Launches, tuning and precision settings of this table."""
