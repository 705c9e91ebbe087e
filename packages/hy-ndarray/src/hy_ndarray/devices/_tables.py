"""Kernel tables: discovery by entry points, loading, and default tables."""

import os
import threading
from functools import cache
from importlib.util import find_spec
from typing import Any

from hy_ndarray._errors import KernelError
from hy_ndarray.devices._entry_points import EntryPoint, entry_points
from hy_ndarray.devices._gpus import may_have_gpus
from hy_ndarray.devices._protocols import KernelTable, LenientTable
from hy_ndarray.foreign import kind_of
from hy_ndarray.warning import warn

GROUP = "hy.kernels"
_DEFAULTS = {"cpu": ("numpy",), "gpu": ("triton", "torch")}
KINDS = tuple(_DEFAULTS)
"""The device types that tables are selected for."""
_loading = threading.RLock()


@cache
def _installed() -> dict[str, EntryPoint]:
    return entry_points(GROUP)


def installed_tables() -> tuple[str, ...]:
    """Return the names of the kernel tables of installed packages, sorted."""
    return tuple(sorted(_installed()))


def kernel_table(name: str) -> KernelTable:
    """Return the kernel table ``name``, loading it on first use.

    Raises:
        KernelError: No installed package offers it, it fails to load, or it is not a table.
    """
    with _loading:  # concurrent calls return the same table
        return _loaded(name)


@cache
def _loaded(name: str) -> KernelTable:
    point = _installed().get(name)
    if point is None:
        known = ", ".join(_installed()) or "none"
        raise KernelError(
            f"kernel table {name!r} is not installed (installed: {known}); "
            "try `pip install hy-kernels`, or the package that provides it"
        )
    try:
        table = point.load()()
    except Exception as error:  # a broken library may raise anything
        raise KernelError(
            f"kernel table {name!r} ({point.value}) failed to load: {error}"
        ) from error
    return checked_table(table, f"entry point {point.value!r}")


_PROTOCOL_MEMBERS = [name for name in dir(KernelTable) if not name.startswith("_")]


def checked_table(table: Any, source: str) -> KernelTable:
    """Return the table after checking that it has all required members."""
    # Not isinstance(), which would not tell what is missing.
    missing = [name for name in _PROTOCOL_MEMBERS if not hasattr(table, name)]
    if missing:
        raise KernelError(
            f"{source} returned {kind_of(table)}, which is not a KernelTable: it lacks "
            f"{', '.join(missing)}"
        )
    checked: KernelTable = table
    return checked


def fit_for(kind: str, table: KernelTable, source: str) -> KernelTable:
    """Return the table after checking that it supports a device type."""
    if kind not in table.device_types:
        runs = ", ".join(table.device_types)
        raise KernelError(f"{source}: table {table.name!r} supports {runs}, not {kind}")
    return table


def with_fallbacks(table: KernelTable) -> tuple[KernelTable, ...]:
    """Return the table followed by its chain of fallbacks."""
    chain = [table]
    while chain[-1].fallback is not None:
        chain.append(kernel_table(chain[-1].fallback))
    return tuple(chain)


def _from_environment(kind: str) -> str | None:
    """Return the table's name for a device type in ``HY_KERNELS``; None if it has none."""
    choice = None
    for part in filter(None, os.environ.get("HY_KERNELS", "").split(",")):
        device, _, name = (text.strip() for text in part.partition("="))
        if device not in _DEFAULTS or not name:
            raise KernelError(f"HY_KERNELS: {part!r} must have the form 'cpu=numpy'")
        choice = name if device == kind else choice
    return choice


def may_exist(kind: str) -> bool:
    """Return whether the machine may have devices of a type: GPUs only with a driver."""
    return kind != "gpu" or may_have_gpus()


def default_table(kind: str) -> KernelTable | None:
    """Return the table named in ``HY_KERNELS``, else the first default one that loads, or None."""
    named = _from_environment(kind)
    if named is not None:
        return fit_for(kind, kernel_table(named), "HY_KERNELS")
    # Asked first: to load a table for GPUs takes a second or more, on machines without any, too.
    if not may_exist(kind):
        return None
    return next(filter(None, map(_default, _DEFAULTS[kind])), None)


def _default(name: str) -> KernelTable | None:
    """Return the default table ``name``; None if it cannot be loaded.

    A failure is reported once by a warning, unless an optional dependency is not installed.
    """
    if name not in _installed():
        return None
    try:
        table = kernel_table(name)
    except KernelError as error:
        if error.__cause__ is None:  # it did load, and is no table
            raise
        if not _is_absent(error.__cause__):
            _passed_over(str(error))
        return None
    return table.lenient() if isinstance(table, LenientTable) else table


def _is_absent(error: BaseException) -> bool:
    """Return whether an import failed because the package is not installed."""
    package = (getattr(error, "name", None) or "").partition(".")[0]
    return isinstance(error, ImportError) and package != "" and find_spec(package) is None


# Cached, so that each reason is reported once.
@cache
def _passed_over(reason: str) -> None:
    message = f"{reason}; another table is used instead; fix it, or choose a table in HY_KERNELS"
    warn(message, RuntimeWarning)


def rediscover() -> None:
    """Drop the cached tables, so that they are discovered and loaded again."""
    _installed.cache_clear()
    _loaded.cache_clear()
    _passed_over.cache_clear()
