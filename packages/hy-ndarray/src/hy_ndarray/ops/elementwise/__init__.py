"""Operators of each element by itself."""
