"""Execution of a traced graph as one operator that autograd records."""
