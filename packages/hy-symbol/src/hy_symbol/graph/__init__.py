"""Graphs: nodes, their creation, and generic rewriting."""
