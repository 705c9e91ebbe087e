"""Picking elements: slices, take, gather, one-hot, embedding."""

__all__: list[str] = []
