"""Operators of MXNet's NumPy interface, where they are not the legacy ones."""
