"""Kernels of the hy operators: plain functions over numpy arrays."""
