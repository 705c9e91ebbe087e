"""Operators that reduce axes."""
