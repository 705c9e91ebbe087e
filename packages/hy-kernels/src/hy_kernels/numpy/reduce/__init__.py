"""Reductions over axes."""
