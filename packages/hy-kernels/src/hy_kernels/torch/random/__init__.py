"""Kernels that draw random numbers, and densities."""
