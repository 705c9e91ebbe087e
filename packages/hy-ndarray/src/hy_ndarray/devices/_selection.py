"""Selection of kernel tables, for the process or for scopes of a thread or task."""

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

T = TypeVar("T")
_Key: TypeAlias = tuple[str, int]


class _Selection:
    """Selection of a table for a type of device, with the devices opened under it.

    Args:
        kind: The type of device.
        table: The table; None until the default table is first needed.
        owner: The object returned by ``use_kernels``: while it exists, a ``with`` statement may
            turn the selection into a scope; None for default selections.
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
        """Return the table, loading the default one; None if there is none for this type."""
        if self.table is None:
            table = _tables.default_table(self.kind)
            self.table = None if table is None else with_requested_checks(table)
        return self.table

    @property
    def is_final(self) -> bool:
        """Return whether the selection is permanent: no ``with`` statement can still end it."""
        return self.owner is None or self.owner() is None


class _Scope:
    """Selection in force in a thread or task, nested in outer scopes."""

    __slots__ = ("is_open", "outer", "selection")

    def __init__(self, selection: _Selection, outer: "_Scope | None") -> None:
        self.selection = selection
        self.outer = outer
        self.is_open = True


_lock = threading.RLock()
_process: Final = {kind: [_Selection(kind)] for kind in _tables.KINDS}
"""Stack of the process's selections by type of device; the last one is in force."""
_scopes: list[_Scope] = []
"""All open scopes of all threads; while there are none, calls skip the lookup of a scope."""
_serving: dict[_Key, Device] = {}
"""The devices that serve threads outside of scopes."""
_open_devices: WeakValueDictionary[tuple[str, int, int], Device] = WeakValueDictionary()
"""All existing devices, by context and table."""


def _innermost(kind: str | None = None) -> _Scope | None:
    """Return the innermost open scope of this thread or task, for a device type if given."""
    return _innermost_open(current_scope.get(), kind)


def _innermost_open(scope: _Scope | None, kind: str | None = None) -> _Scope | None:
    """Return the scope if it is open and for device type ``kind``, else the next such outer one."""
    while scope is not None and not (scope.is_open and kind in (None, scope.selection.kind)):
        scope = scope.outer
    return scope


def _selected(kind: str) -> _Selection:
    """Return the selection in force in this thread or task for a type of device."""
    scope = _innermost(kind) if _scopes else None
    return _process[kind][-1] if scope is None else scope.selection


def _refresh() -> None:
    """Update which devices serve, and whether their lookups are guarded; the lock must be held."""
    global _serving  # noqa: PLW0603  # replaced as a whole: others read it without the lock
    current = [selections[-1] for selections in _process.values()]
    _serving = {key: device for each in current for key, device in each.devices.items()}
    in_use = {*_serving.values()}
    in_use.update(device for scope in _scopes for device in scope.selection.devices.values())
    for key, device in [*_open_devices.items()]:
        # With open scopes it depends on the thread which device serves: lookups must check it.
        device.stale = device not in in_use
        serving = _scopes_of(device, key[:2])
        device.calls.guard(bool(_scopes) or None not in serving, serving)


def _scopes_of(device: Device, key: _Key) -> frozenset[_Scope | None]:
    """Return the open scopes in which a device serves; None among them: also outside of scopes."""
    kind = KINDS[key[0]]
    scopes = {scope for scope in _scopes if _serving_in(scope, kind).get(key) is device}
    outside = {None} if _serving.get(key) is device else set[None]()
    return frozenset(scopes | outside)


def _serving_in(scope: _Scope, kind: str) -> dict[_Key, Device]:
    """Return the devices by context that serve inside a scope."""
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
        # Usually the innermost scope has the device, and no outer one need be searched.
        scope = current_scope.get()
        is_own = scope is not None and scope.is_open and key in scope.selection.devices
        selection = scope.selection if scope and is_own else _selected(KINDS[key[0]])
        device = selection.devices.get(key)
    else:
        # One lookup without the lock: the dict is replaced, never changed.
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
        # One device per context and table: reselecting a table finds its arrays and programs again.
        device = _open_devices.get((*key, id(table)))
        if device is None:
            tables = _tables.with_fallbacks(table)
            device = _query_table(str(context), partial(Device, context, tables, device_of))
            _open_devices[(*key, id(table))] = device
        selection.devices[key] = device
        _refresh()
        return device


def _query_table(what: str, question: Callable[[], T]) -> T:
    """Return a table's answer about its devices; a RuntimeError becomes a ContextError."""
    try:
        return question()
    except HyError:  # may be a RuntimeError, but explains itself
        raise
    except RuntimeError as error:
        raise ContextError(f"{what}: {error}") from error


def _release(context: Context) -> None:
    """Free the unused pooled memory of a context's devices."""
    for device in open_devices():
        memory: Any = device.memory
        if device.context is context and hasattr(memory, "release"):
            memory.release(device.handle)


when_emptied(_release)


def open_devices() -> tuple[Device, ...]:
    """Return all devices in use, of all tables."""
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

    Until it is entered, the table is selected for the process, because a plain call cannot be told
    from the start of a ``with`` statement. On entry the selection moves from the process into the
    scope; selections that other threads made in between are kept.

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
            del selections[: final[-1]]  # a permanent selection replaces all before it
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
                # Several threads may have entered this object: each leaves its own scope.
                scope = self._scope_of_thread() or self._entered[-1]
                # Tasks started inside the scope inherited it; this closes it for them, too.
                scope.is_open = False
                self._entered.remove(scope)
                _scopes.remove(scope)
                # Not reset by a token: a context other than that of the entry may run the exit.
                current_scope.set(_innermost())
            _refresh()

    def _scope_of_thread(self) -> _Scope | None:
        """Return the innermost scope of this thread that was entered by this object."""
        scope = _innermost()
        while scope is not None and scope not in self._entered:
            scope = scope.outer
        return scope


def use_kernels(table: str | KernelTable, *, device: str = "cpu") -> _Choice:
    """Select the kernel table that runs the operators of a device type.

    As a plain statement, ``use_kernels("torch")``, it holds for the whole process from now on. As a
    scope, ``with use_kernels("torch"):``, it holds for the thread or asyncio task that enters it,
    and for tasks started inside; other threads keep their tables, and new threads start with the
    table of the process.

    Existing arrays are migrated on their next use, without a copy if both tables can share the
    memory; threads on different tables may share arrays.

    Args:
        table: Name of an installed table, or a table.
        device: ``"cpu"`` or ``"gpu"``.

    Raises:
        KernelError: The table is not installed, or does not run on this type of device.
        ContextError: ``device`` is neither ``"cpu"`` nor ``"gpu"``.

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
    """Selections for all device types; as a context manager, their scopes."""

    def __init__(self, choices: Iterable[_Choice]) -> None:
        self._choices = [*choices]

    def __enter__(self) -> None:
        """Enter the scope of each selection, for this thread or task."""
        for choice in self._choices:
            choice.__enter__()

    def __exit__(self, *_: object) -> None:
        for choice in reversed(self._choices):
            choice.__exit__()


def check_indices(active: bool = True) -> _Choices:
    """Switch errors for invalid indices and labels, which kernels otherwise clip, on or off.

    As a plain statement it holds for the process from now on; as a scope, ``with
    check_indices():``, for the thread or asyncio task that enters it. ``HY_CHECK=indices`` in the
    environment switches it on for a whole program. Eager calls and compiled graphs are checked, on
    every kernel table; the host then waits for every index, and graphs are compiled again.

    Indices that a call ignores by design are not checked: labels ignored by ``use_ignore``, the
    padding of ``CTCLoss``, and indices with ``mode="wrap"``.

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
    """Return ``run`` wrapped to run in the current thread's kernel-table scope.

    For work that is handed to other threads, which start outside of all scopes.

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
    """Scope in which tables are discovered and selected anew; restored at its end.

    For tests that install an entry point or set ``HY_KERNELS`` at run time. Existing arrays stay
    usable: they are migrated, as with :func:`use_kernels`.
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
    """Discover tables again, and reset the process's selections to the given ones."""
    with _lock:
        _tables.rediscover()
        for kind, own in selections.items():
            # The default ones are made anew, as the environment may name another table now.
            named = [each for each in own if each.owner is not None]
            _process[kind][:] = [_Selection(kind), *named]
        _refresh()


def _after_fork() -> None:
    """Disable the GPUs in a forked child that cannot use them, and replace locks."""
    global _lock  # noqa: PLW0603  # the parent's thread that holds it does not exist here
    _lock = threading.RLock()
    own, scope = [], _innermost()
    while scope is not None:
        own.append(scope)
        scope = scope.outer
    # Only the forking thread exists in the child, so that other threads' scopes never end.
    _scopes[:] = [scope for scope in _scopes if scope in own]
    # CUDA cannot be used in a child that was forked after its initialization; tables then raise.
    for (device_type, number, table), device in [*_open_devices.items()]:
        if KINDS[device_type] == "gpu":
            try:
                device.table.device("gpu", number)
            except RuntimeError as error:
                del _open_devices[device_type, number, table]
                _give_up(device, str(error))
    _refresh()


def _give_up(device: Device, why: str) -> None:
    """Remove a device from all selections, and make every use of it raise an error."""
    scopes = [scope.selection for scope in _scopes]
    for selection in (*(each for own in _process.values() for each in own), *scopes):
        for key in [key for key, each in selection.devices.items() if each is device]:
            del selection.devices[key]
    # Guarded, eager calls cache no kernel, so that each lookup reaches the lost table.
    device.calls.guard(True)
    lost: Any = Lost(f"{device.context}: {why}")
    device.table = device.memory = lost
    if device.pins is not None:
        device.pins = lost
    device.kernels.lose(lost)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
