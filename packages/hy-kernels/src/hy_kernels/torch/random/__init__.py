"""Kernels of random numbers and densities."""
