"""Kernels that create, join, slice, expand and reshape arrays."""
