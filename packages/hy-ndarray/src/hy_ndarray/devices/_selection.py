"""Selection of kernel tables, for the process or for scopes of threads and tasks."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar
from weakref import WeakValueDictionary, ref

from hy_ndarray._errors import ContextError, HyError, KernelError
from hy_ndarray.devices import _tables
from hy_ndarray.devices._context import Context, when_emptied
from hy_ndarray.devices._device import KINDS, Device
from hy_ndarray.devices._index_checks import (
    with_checked_indices,
    with_requested_checks,
    without_checks,
)
from hy_ndarray.devices._kernels import current_scope
from hy_ndarray.devices._lost import Lost
from hy_ndarray.devices._protocols import KernelTable

__all__ = [
    "check_indices",
    "device_of",
    "fresh_tables",
    "gpu_count",
    "inherit_tables",
    "open_devices",
    "use_kernels",
]

T = TypeVar("T")
_Key: TypeAlias = tuple[str, int]


class _Selection:
    """Table selected for a type of device, with the devices it serves.

    Args:
        kind: The type of device.
        table: The table; None until the default one is asked for.
        owner: What lives as long as the selection may still become a scope; None: it never does.
    """

    __slots__ = ("__weakref__", "devices", "kind", "owner", "table")

    def __init__(
        self, kind: str, table: KernelTable | None = None, owner: "ref[_Choice] | None" = None
    ) -> None:
        self.kind = kind
        self.table = table
        self.owner = owner
        self.devices: dict[_Key, Device] = {}

    def resolved(self) -> KernelTable | None:
        """Return the table; None if there is none for this type of device."""
        if self.table is None:
            table = _tables.default_table(self.kind)
            self.table = None if table is None else with_requested_checks(table)
        return self.table

    @property
    def is_final(self) -> bool:
        """Return whether no ``with`` statement can still undo the selection: its object is gone."""
        return self.owner is None or self.owner() is None


class _Scope:
    """Selection in a thread or task, inside of outer scopes."""

    __slots__ = ("is_open", "outer", "selection")

    def __init__(self, selection: _Selection, outer: "_Scope | None") -> None:
        self.selection = selection
        self.outer = outer
        self.is_open = True


_lock = threading.RLock()
_process: Final = {kind: [_Selection(kind)] for kind in _tables.KINDS}
"""The selections of the process by type of device; the last one serves."""
_scopes: list[_Scope] = []
"""All open scopes, of all threads. While there is none, no call asks for its thread's."""
_serving: dict[_Key, Device] = {}
"""The devices that serve threads outside of scopes."""
_open_devices: WeakValueDictionary[tuple[str, int, int], Device] = WeakValueDictionary()
"""All devices there are, by context and by table."""


def _innermost(kind: str | None = None) -> _Scope | None:
    """Return the innermost open scope of this thread or task, of a device type if given."""
    return _innermost_open(current_scope.get(), kind)


def _innermost_open(scope: _Scope | None, kind: str | None = None) -> _Scope | None:
    """Return the innermost open one of a scope and its outer scopes, of a device type if given."""
    while scope is not None and not (scope.is_open and kind in (None, scope.selection.kind)):
        scope = scope.outer
    return scope


def _selected(kind: str) -> _Selection:
    """Return the selection of this thread or task."""
    scope = _innermost(kind) if _scopes else None
    return _process[kind][-1] if scope is None else scope.selection


def _refresh() -> None:
    """Update whether devices serve all threads; the caller holds the lock."""
    global _serving  # noqa: PLW0603  # replaced as a whole: others read it without the lock
    current = [selections[-1] for selections in _process.values()]
    _serving = {key: device for each in current for key, device in each.devices.items()}
    in_use = {*_serving.values()}
    in_use.update(device for scope in _scopes for device in scope.selection.devices.values())
    for key, device in [*_open_devices.items()]:
        device.stale = device not in in_use
        serving = _scopes_of(device, key[:2])
        device.calls.guard(bool(_scopes) or None not in serving, serving)


def _scopes_of(device: Device, key: _Key) -> frozenset[_Scope | None]:
    """Return the open scopes in which a device serves its context, None for outside of scopes."""
    kind = KINDS[key[0]]
    scopes = {scope for scope in _scopes if _serving_in(scope, kind).get(key) is device}
    outside = {None} if _serving.get(key) is device else set[None]()
    return frozenset(scopes | outside)


def _serving_in(scope: _Scope, kind: str) -> dict[_Key, Device]:
    """Return the devices of the selection that a scope uses."""
    inner = _innermost_open(scope, kind)
    return (_process[kind][-1] if inner is None else inner.selection).devices


def device_of(context: Context) -> Device:
    """Return the device that serves ``context`` in the calling thread.

    Raises:
        ContextError: This machine has no such device, or this process cannot use it.
        KernelError: No kernel table for this type of device is installed.
    """
    key = (context.device_type, context.device_id)
    if _scopes:
        scope = current_scope.get()
        is_own = scope is not None and scope.is_open and key in scope.selection.devices
        selection = scope.selection if scope and is_own else _selected(KINDS[key[0]])
        device = selection.devices.get(key)
    else:
        device = _serving.get(key)
    return device if device is not None else _open(context, key)


def _open(context: Context, key: _Key) -> Device:
    kind = KINDS[context.device_type]
    with _lock:
        selection = _selected(kind)
        opened = selection.devices.get(key)  # opened by another thread meanwhile
        if opened is not None:
            return opened
        table = selection.resolved()
        if table is None and not _tables.may_exist(kind):
            raise ContextError(f"{context}: no NVIDIA driver found on this machine; use mx.cpu()")
        if table is None:
            offered = ", ".join(_tables.installed_tables()) or "none"
            error = ContextError if kind == "gpu" else KernelError
            raise error(
                f"{context}: no kernel table for {kind} devices is installed "
                f"(installed tables: {offered}); use mx.cpu(), or install one"
            )
        count = _query_table(str(context), partial(table.count, kind))
        if kind == "gpu" and context.device_id >= count:
            raise ContextError(
                f"{context}: table {table.name!r} sees {count} GPUs on this machine; use mx.cpu()"
            )
        device = _open_devices.get((*key, id(table)))
        if device is None:
            tables = _tables.with_fallbacks(table)
            device = _query_table(str(context), partial(Device, context, tables, device_of))
            _open_devices[(*key, id(table))] = device
        selection.devices[key] = device
        _refresh()
        return device


def _query_table(what: str, question: Callable[[], T]) -> T:
    """Return a table's answer about its devices; its errors become hy's."""
    try:
        return question()
    except HyError:
        raise
    except RuntimeError as error:
        raise ContextError(f"{what}: {error}") from error


def _release(context: Context) -> None:
    """Free unused memory of a context's devices."""
    for device in open_devices():
        memory: Any = device.memory
        if device.context is context and hasattr(memory, "release"):
            memory.release(device.handle)


when_emptied(_release)


def open_devices() -> tuple[Device, ...]:
    """Return the devices in use so far, of all tables."""
    with _lock:
        return tuple(_open_devices.values())


def gpu_count() -> int:
    """Return the number of GPUs that the selected table can use.

    Raises:
        ContextError: This process cannot use GPUs.
    """
    with _lock:
        table = _selected("gpu").resolved()
    return 0 if table is None else _query_table("num_gpus", partial(table.count, "gpu"))


class _Choice:
    """Result of :func:`use_kernels`; as a context manager, a scope of the thread or task.

    Until it is entered, the table is selected for the process: a plain call looks like
    the beginning of a ``with`` statement. It then moves from the process into the scope, so that
    choices of other threads in between stay what they are.

    Args:
        kind: The type of device.
        table: The table.
    """

    def __init__(self, kind: str, table: KernelTable) -> None:
        self._selection = _Selection(kind, table, ref(self))
        self._entered: list[_Scope] = []
        selections = _process[kind]
        with _lock:
            final = [i for i, each in enumerate(selections) if each.is_final]
            del selections[: final[-1]]  # they never serve again
            selections.append(self._selection)
            _refresh()

    def _leave_process(self) -> None:
        selections = _process[self._selection.kind]
        if self._selection in selections[1:]:
            selections.remove(self._selection)

    def __enter__(self) -> None:
        """Select the table in this thread or task only."""
        with _lock:
            self._leave_process()
            scope = _Scope(self._selection, _innermost())
            self._entered.append(scope)
            _scopes.append(scope)
            current_scope.set(scope)
            _refresh()

    def __exit__(self, *_: object) -> None:
        with _lock:
            self._leave_process()
            if self._entered:
                scope = self._scope_of_thread() or self._entered[-1]
                # Tasks that began inside of the scope have it in their contexts: it ends for them.
                scope.is_open = False
                self._entered.remove(scope)
                _scopes.remove(scope)
                current_scope.set(_innermost())
            _refresh()

    def _scope_of_thread(self) -> _Scope | None:
        """Return the innermost scope of this thread made by this selection."""
        scope = _innermost()
        while scope is not None and scope not in self._entered:
            scope = scope.outer
        return scope


def use_kernels(table: str | KernelTable, *, device: str = "cpu") -> _Choice:
    """Run the operators of a device type on another kernel table.

    As a statement of its own, ``use_kernels("torch")``, it is for the process, from now on. As a
    scope, ``with use_kernels("torch"):``, it is for the thread and the asyncio task that enters it,
    and for tasks begun inside; other threads go on with theirs, and new threads begin with the
    table of the process.

    Arrays that exist are handed over when they are next used, without a copy where both tables use
    the same memory: threads on different tables may share them.

    Args:
        table: Name of an installed table, or a table.
        device: ``"cpu"`` or ``"gpu"``.

    Raises:
        KernelError: The table is not installed, or does not run on this type of device.
        ContextError: ``device`` is neither of the two.

    Example:
        >>> with use_kernels("numpy", device="cpu"):
        ...     print(device_of(Context("cpu")).table.name)
        numpy
    """
    if device not in _tables.KINDS:
        raise ContextError(f"use_kernels: device {device!r} is not one of cpu, gpu")
    kernels = _tables.kernel_table(table) if isinstance(table, str) else table
    whole = _tables.checked_table(kernels, "use_kernels")
    return _Choice(device, with_requested_checks(_tables.fit_for(device, whole, "use_kernels")))


class _Choices:
    """Selections for each type of device."""

    def __init__(self, choices: Iterable[_Choice]) -> None:
        self._choices = [*choices]

    def __enter__(self) -> None:
        """Enter scopes of this thread or task for all selections."""
        for choice in self._choices:
            choice.__enter__()

    def __exit__(self, *_: object) -> None:
        for choice in reversed(self._choices):
            choice.__exit__()


def check_indices(active: bool = True) -> _Choices:
    """Turn errors for indices and labels that kernels clip or ignore on or off.

    As a statement it is for the process, from now on; as a scope, ``with check_indices():``, for
    the thread or asyncio task that enters it. ``HY_CHECK=indices`` in the environment does it for a
    whole program. Calls on arrays and programs of graphs are checked, on every kernel table; the
    host then waits for every index. Programs are compiled again for it.

    Indices that a call is to ignore are not checked: labels that ``use_ignore`` ignores,
    what ``CTCLoss`` is padded with, and ``mode="wrap"``.

    Args:
        active: Whether to check.

    Example:
        >>> from hy_ndarray import IndexingError, nd
        >>> with check_indices():
        ...     try:
        ...         nd.pick(nd.ones((2, 3)), nd.array([1, 7]))
        ...     except IndexingError as error:
        ...         print(str(error).partition(";")[0])
        pick: index 7 at position (1,) of index (2,) is not in 0 … 2
    """
    tables = {kind: _selected(kind).resolved() for kind in _tables.KINDS}
    return _Choices(
        _Choice(kind, with_checked_indices(table) if active else without_checks(table))
        for kind, table in tables.items()
        if table is not None
    )


def inherit_tables(run: Callable[..., T]) -> Callable[..., T]:
    """Return ``run`` as a function in the current thread's scopes of tables.

    For work that a thread hands to others: these begin outside of all scopes.

    Example:
        >>> from threading import Thread
        >>> with use_kernels("numpy"):
        ...     thread = Thread(target=inherit_tables(lambda: print(device_of(Context("cpu")))))
        ...     thread.start(); thread.join()
        <Device cpu(0) on table 'numpy'>
    """
    scope = _innermost() if _scopes else None
    if scope is None:
        return run

    def inherited(*args: Any) -> T:
        before = current_scope.get()
        current_scope.set(scope)
        try:
            return run(*args)
        finally:
            current_scope.set(before)

    return inherited


@contextmanager
def fresh_tables() -> Iterator[None]:
    """Scope in which tables are discovered and selected again, as they are after it.

    For tests that install an entry point or set ``HY_KERNELS`` while running. Arrays made before
    stay usable: they are handed over, as with :func:`use_kernels`.
    """
    before, scope = {kind: own[:] for kind, own in _process.items()}, current_scope.get()
    current_scope.set(None)
    _restart({kind: [] for kind in before})
    try:
        yield
    finally:
        current_scope.set(scope)
        _restart(before)


def _restart(selections: dict[str, list[_Selection]]) -> None:
    """Discover tables again, and set the process's selections."""
    with _lock:
        _tables.rediscover()
        for kind, own in selections.items():
            named = [each for each in own if each.owner is not None]
            _process[kind][:] = [_Selection(kind), *named]
        _refresh()


def _after_fork() -> None:
    """Disable the GPUs in a forked child that cannot use them, and replace locks."""
    global _lock  # noqa: PLW0603  # a lock cannot be released for another thread
    _lock = threading.RLock()
    own, scope = [], _innermost()
    while scope is not None:
        own.append(scope)
        scope = scope.outer
    _scopes[:] = [scope for scope in _scopes if scope in own]
    for (device_type, number, table), device in [*_open_devices.items()]:
        if KINDS[device_type] == "gpu":
            try:
                device.table.device("gpu", number)
            except RuntimeError as error:
                del _open_devices[device_type, number, table]
                _give_up(device, str(error))
    _refresh()


def _give_up(device: Device, why: str) -> None:
    """Remove a device from all selections, so that every use of it raises the reason."""
    scopes = [scope.selection for scope in _scopes]
    for selection in (*(each for own in _process.values() for each in own), *scopes):
        for key in [key for key, each in selection.devices.items() if each is device]:
            del selection.devices[key]
    device.calls.guard(True)
    lost: Any = Lost(f"{device.context}: {why}")
    device.table = device.memory = lost
    if device.pins is not None:
        device.pins = lost
    device.kernels.lose(lost)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
