"""Kernels of matrix products, decompositions and transforms."""
