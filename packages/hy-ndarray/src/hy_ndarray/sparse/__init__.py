"""Sparse arrays, which store only some rows or elements."""
