"""Exceptions of stores."""

from hy_ndarray import HyError

__all__ = ["KVStoreError", "WorkerError"]


class KVStoreError(HyError, ValueError, AssertionError):
    """A store is unknown, or asked for something that it cannot do or does not hold."""


class WorkerError(KVStoreError):
    """Another worker ended, did not come in time, or called the store otherwise."""
