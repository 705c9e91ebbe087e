"""Fallback to operator-by-operator execution for a forward that cannot be traced."""

import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import numpy as np

from hy_gluon._errors import TracingError
from hy_gluon.parameter.errors import DeferredInitializationError, UnknownShapeError
from hy_gluon.trace.cache import TraceCache
from hy_ndarray import HyError, SymbolOperandError, user_line
from hy_symbol import GraphError, NotForSymbolError, setup_lock

__all__ = ["TRACING_FAILURES", "Untraceable", "refuse_draws", "restoring_generators", "warn_at"]

_EARLY = DeferredInitializationError, UnknownShapeError
"""Errors about unknown shapes, which an eager run determines; the next call is traced."""
TRACING_FAILURES: tuple[type[HyError], ...] = (
    NotForSymbolError,
    SymbolOperandError,
    GraphError,
    TracingError,
    *_EARLY,
)
"""Errors about operations that graphs do not support; others are the forward's own."""
_LIBRARIES = {"hy_gluon", "hy_symbol", "hy_ndarray", "hy_kernels", "mxnet", "numpy"}


class Untraceable(Exception):  # noqa: N818  # no user sees it
    """Raised when a call has to run operator by operator, as tracing failed.

    Args:
        traces: Trace cache of the block.
        error: Error that tracing raised; None if the failure is already recorded in ``traces``.
    """

    def __init__(self, traces: TraceCache, error: HyError | None) -> None:
        # The cache that the call read; another one may have come meanwhile, which knows nothing of
        # this.
        super().__init__(error)
        self.traces = traces
        self.error = error

    def stop_tracing(self, name: str) -> None:
        """Mark the block as not traceable after its eager run, and warn once with the reason.

        Args:
            name: Name of the block, for the warning.
        """
        error = self.error
        # Unknown shapes are no reason to give up: after an eager run they are known.
        if error is None or isinstance(error, _EARLY):
            return
        line = _user_line(error.__traceback__) or user_line()
        why = f"{type(error).__name__}: {error}" + (f", at {line}" if line else "")
        # Under the lock, so that one thread alone warns.
        with setup_lock():
            was_reported = self.traces.why_eager is not None
            self.traces.why_eager = why
        if not was_reported:
            warn_at(
                line,
                f"{name}: its forward cannot be traced into a graph and runs operator by "
                f"operator: {why}",
            )


@contextmanager
def restoring_generators() -> Iterator[None]:
    """Scope that restores Python's and NumPy's global generators if tracing fails."""
    # A failed trace has drawn numbers that the eager run will draw again; without this, seeds give
    # other numbers.
    before = random.getstate(), np.random.get_state()  # noqa: NPY002  # users draw from it
    try:
        yield
    except TRACING_FAILURES:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        raise


def refuse_draws() -> None:
    """Raise an error for random arrays drawn while tracing, which would become constants.

    Raises:
        NotForSymbolError: Always.
    """
    # Drawn once while tracing, an array would be a constant of the graph.
    raise NotForSymbolError(
        "random numbers are drawn as arrays while the block is traced, and would be the same in "
        "every call; draw with the operators of F, or like an argument (nd.random.uniform_like)"
    )


def warn_at(line: str | None, message: str) -> None:
    """Issue a UserWarning at a location ``file:line``."""
    file, _, number = (line or "hy:0").rpartition(":")
    warnings.warn_explicit(message, UserWarning, file, int(number))


def _user_line(trace: TracebackType | None) -> str | None:
    """Return ``file:line`` of the innermost frame in user code, or None."""
    location = None
    while trace is not None:
        # By the module's name, not by the file: users' code may lie anywhere.
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] not in _LIBRARIES:
            location = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return location
