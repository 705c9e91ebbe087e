"""Helpers for running tests: retries, environment variables, discarded output."""

import functools
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from hy_ndarray import ArgumentError
from hy_ndarray.devices.context import current_context, gpu_compute_capability, num_gpus
from mxnet.util import setenv

__all__ = [
    "discard_stderr",
    "environment",
    "has_tvm_ops",
    "is_aarch64_run",
    "is_cd_run",
    "is_op_runnable",
    "list_gpus",
    "retry",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")

_HALF_CAPABILITY = 53
"""Compute capability, times ten, from which GPUs compute in float16."""


def retry(n: int) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Return a decorator that repeats a function after failed assertions, up to ``n`` calls.

    Example:
        >>> left = [False, True]
        >>> @retry(2)
        ... def flaky():
        ...     assert left.pop()
        ...     return "done"
        >>> flaky()
        'done'
    """
    if n < 1:
        raise ArgumentError(f"retry: n={n} must be 1 or more")

    def decorator(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            for _ in range(n - 1):
                try:
                    return function(*args, **kwargs)
                except AssertionError:
                    continue
            # The last try is not caught: its error is what the test shows.
            return function(*args, **kwargs)

        return wrapper

    return decorator


@contextmanager
def environment(*args: Mapping[str, str | None] | str | None) -> Iterator[None]:
    """Scope with changed environment variables, which are restored at the end.

    Args:
        args: A name and a value, or a dict of values by name; None removes a variable.

    Example:
        >>> with environment("HY_EXAMPLE", "1"):
        ...     os.environ["HY_EXAMPLE"]
        '1'
    """
    match args:
        case (Mapping() as values,):
            pass
        case (str(name), str(value) | (None as value)):
            values = {name: value}
        case _:
            raise ArgumentError(
                f"environment: expecting one dict, or a name and a value (texts), not {args}"
            )
    before = {name: os.environ.get(name) for name in values}
    try:
        for name, value in values.items():
            setenv(name, value)
        yield
    finally:
        # None removes a variable that was not set before.
        for name, value in before.items():
            setenv(name, value)


@contextmanager
def discard_stderr() -> Iterator[None]:
    """Scope in which standard error, also of C libraries, is discarded."""
    sys.stderr.flush()
    # By file descriptor: libraries in C write past sys.stderr.
    saved = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
        sys.stderr.flush()
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def list_gpus() -> range:
    """Return the indices of the usable GPUs."""
    return range(num_gpus())


def has_tvm_ops() -> bool:
    """Return False: there are no operators compiled by TVM."""
    return False


def is_op_runnable() -> bool:
    """Return True on CPUs, and on GPUs with compute capability 5.3 or more."""
    context = current_context()
    if context.device_type != "gpu":
        return True
    return gpu_compute_capability(context.device_id) >= _HALF_CAPABILITY


def is_cd_run() -> bool:
    """Return whether the environment variable ``CD_JOB`` is 1 (continuous delivery)."""
    return os.environ.get("CD_JOB", "0") == "1"


def is_aarch64_run() -> bool:
    """Return whether this machine has a 64-bit ARM processor."""
    return platform.machine() == "aarch64"
