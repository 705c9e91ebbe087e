"""Pointwise kernels."""
