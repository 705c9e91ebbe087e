"""Symbolic graphs: composition, inference, JSON, passes, execution."""
