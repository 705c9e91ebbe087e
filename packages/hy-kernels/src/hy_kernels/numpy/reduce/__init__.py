"""Kernels that reduce axes."""
