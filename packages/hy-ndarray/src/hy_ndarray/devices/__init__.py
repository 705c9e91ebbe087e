"""Devices: contexts, the protocol of kernel tables, their selection, and observers."""
