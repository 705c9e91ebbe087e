"""Operators of MXNet's NumPy interface that differ from the legacy ones."""
