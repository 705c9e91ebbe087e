"""Execution: graphs as programs, what all share of them, and what they report."""
