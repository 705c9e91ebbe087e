"""An array and a number."""

__all__: list[str] = []
