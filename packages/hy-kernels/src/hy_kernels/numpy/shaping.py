"""Changing the shape or order of elements, joining and splitting."""

__all__: list[str] = []
