"""Exceptions of datasets and loaders."""

from multiprocessing import TimeoutError as ProcessTimeoutError

from hy_ndarray import ArgumentError, HyError

__all__ = ["DataError", "ExhaustedError", "WorkerError", "WorkerTimeoutError"]


class DataError(ArgumentError):
    """A dataset, sampler or loader was asked for what it cannot give."""


class ExhaustedError(DataError, RuntimeError):
    """A dataset raised :class:`StopIteration`, which says nothing about the pass over the data."""


class WorkerError(HyError):
    """A worker process of a loader died, or cannot be used."""


class WorkerTimeoutError(WorkerError, TimeoutError, ProcessTimeoutError):
    """No worker delivered a batch in time; MXNet raises that of ``multiprocessing``."""
