"""Execution: a graph as an operator on the tape."""
