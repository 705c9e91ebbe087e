"""Inference of the shape and dtype of every entry of a graph, by operators' rules or MXNet's."""
