"""Operators that create, join, slice, expand and reshape arrays."""
