"""Exceptions of stores."""

from hy_ndarray import HyError

__all__ = ["KVStoreError", "WorkerError"]


class KVStoreError(HyError, ValueError, AssertionError):
    """A store is unknown, does not hold a key, or does not support an operation."""


class WorkerError(KVStoreError):
    """Another worker ended, timed out, or made a different call of the store."""
