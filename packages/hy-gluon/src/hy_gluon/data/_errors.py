"""Exceptions of datasets and loaders."""

from multiprocessing import TimeoutError as ProcessTimeoutError

from hy_ndarray import ArgumentError, HyError


class DataError(ArgumentError):
    """A dataset, sampler or loader got an invalid argument or index."""


class ExhaustedError(DataError, RuntimeError):
    """A dataset raised StopIteration, which must not end the iteration over its items."""


class WorkerError(HyError):
    """A worker process of a loader died, or the workers cannot be used."""


class WorkerTimeoutError(WorkerError, TimeoutError, ProcessTimeoutError):
    """No worker delivered a batch in time; MXNet raises ``multiprocessing.TimeoutError``."""
