"""Exceptions of stores."""

from hy_ndarray import HyError

__all__ = ["KVStoreError"]


class KVStoreError(HyError, ValueError):
    """A store is unknown, or asked for something that it cannot do or does not hold."""
