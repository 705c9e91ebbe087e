"""Reductions over axes, and searches along one."""

__all__: list[str] = []
