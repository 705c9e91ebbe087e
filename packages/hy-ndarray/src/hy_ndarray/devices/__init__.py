"""Devices: contexts, kernel tables and their selection, and observers of kernel calls."""
