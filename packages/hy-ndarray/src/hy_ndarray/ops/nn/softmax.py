"""Softmax and its logarithm."""

__all__: list[str] = []
