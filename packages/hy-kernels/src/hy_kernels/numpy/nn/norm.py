"""Normalisation over batches, layers and groups."""

__all__: list[str] = []
