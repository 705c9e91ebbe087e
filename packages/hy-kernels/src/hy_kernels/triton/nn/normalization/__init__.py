"""Kernels of normalization."""
