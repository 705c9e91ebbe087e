"""Kernels of products, decompositions and transforms of matrices."""
