"""Switches and decorators of MXNet's ``util``."""

__all__: list[str] = []
