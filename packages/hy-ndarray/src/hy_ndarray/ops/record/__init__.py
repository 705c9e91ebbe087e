"""Operator records: the declarations from which arrays, graphs and kernel tables work."""
