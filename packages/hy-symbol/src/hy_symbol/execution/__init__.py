"""Execution: runs graphs as programs, caches these, and explains them."""
