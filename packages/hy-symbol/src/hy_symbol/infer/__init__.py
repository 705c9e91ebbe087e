"""Infer: shapes and dtypes of every entry of a graph, by operators' rules and by MXNet's."""
