"""Operators on one array, or on arrays of one shape, element by element."""

__all__: list[str] = []
