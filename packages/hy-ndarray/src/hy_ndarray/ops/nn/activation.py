"""Activation functions."""

__all__: list[str] = []
