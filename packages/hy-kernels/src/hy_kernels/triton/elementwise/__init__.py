"""Kernels of each element by itself."""
