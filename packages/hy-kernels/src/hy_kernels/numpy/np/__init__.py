"""Kernels of MXNet's NumPy interface (``mx.np``) that differ from those of legacy operators."""
