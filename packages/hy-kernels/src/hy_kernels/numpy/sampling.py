"""Random numbers."""

__all__: list[str] = []
