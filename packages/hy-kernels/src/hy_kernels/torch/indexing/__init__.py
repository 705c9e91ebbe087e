"""Kernels that read, write and sort by indices."""
