"""Kernel tables: found by entry point, chosen per device type, swapped while the program runs."""

import os
import sys
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from itertools import count
from typing import Any, TypeVar
from weakref import ref

from hy_ndarray._errors import ContextError, HyError, KernelError
from hy_ndarray.devices import instrumentation
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._entry_points import EntryPoint, entry_points
from hy_ndarray.devices._gpus import may_have_gpus
from hy_ndarray.devices._kernels import Kernels
from hy_ndarray.devices._lost import Lost
from hy_ndarray.devices._lowering import LoweringTable
from hy_ndarray.devices._protocols import (
    Buffer,
    CapturingTable,
    FusingTable,
    KernelTable,
    LenientTable,
    LimitedTable,
    Limits,
    PinningMemory,
    ThreadedTable,
)
from hy_ndarray.devices._waiting import is_asked_for
from hy_ndarray.warning import warn

__all__ = [
    "GROUP",
    "Device",
    "device_of",
    "fresh_tables",
    "gpu_count",
    "installed_tables",
    "kernel_table",
    "open_devices",
    "use_kernels",
]

T = TypeVar("T")

GROUP = "hy.kernels"
_DEFAULTS = {"cpu": ("numpy",), "gpu": ("triton", "torch")}
_KIND = {"cpu": "cpu", "cpu_pinned": "cpu", "cpu_shared": "cpu", "gpu": "gpu"}


def _joined(spans: Iterable[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Where the parts of memory that spans cover begin and end, in order."""
    starts: list[int] = []
    ends: list[int] = []
    for start, end in sorted(spans):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start)
            ends.append(end)
    return starts, ends


def _overlaps(spans: tuple[list[int], list[int]], span: tuple[int, int]) -> bool:
    """Whether a part of memory has bytes of those whose starts and ends are given in order."""
    starts, ends = spans
    position = bisect_left(starts, span[1])
    return position > 0 and ends[position - 1] > span[0]


def _first_with(tables: Sequence[KernelTable], part: str) -> Any:
    """The first table that has an optional part, or None; a proxy has what it hands on."""
    return next((table for table in tables if hasattr(table, part)), None)


def _pinning(memory: Any) -> Any:
    """A memory that has page-locked buffers, or None."""
    return memory if hasattr(memory, "pinned") else None


@dataclass(frozen=True)
class _Unplanned:
    """The limits of a table that states none: each step is a call, which makes its results."""

    threads: int = 1
    dtypes: tuple[str, ...] = ()
    alignment: int = 1
    small_bytes: int = 0
    fusion_size: int = 0
    fusion_steps: int = 1
    split_bytes: int = sys.maxsize
    split_rows: int = 1
    share_bytes: int = sys.maxsize


class Device:
    """One context together with the kernel table that serves it at present."""

    __slots__ = (
        "__weakref__",
        "_changes",
        "_shared",
        "_threaded",
        "_watched",
        "_watchers",
        "_watching",
        "buffer_type",
        "captures",
        "context",
        "fuses",
        "handle",
        "kernels",
        "limits",
        "lowers",
        "memory",
        "pins",
        "stream",
        "table",
        "writes",
    )

    def __init__(self, context: Context, tables: tuple[KernelTable, ...]) -> None:
        self.context = context
        self.table = tables[0]
        self.memory = self.table.memory
        self.pins: PinningMemory | None = _pinning(self.memory)
        """The same, if it has page-locked buffers."""
        self.handle = self.table.device(_KIND[context.device_type], context.device_id)
        waits = is_asked_for()
        wait = partial(self.table.synchronize, self.handle)
        self.kernels = Kernels(tables, wait if waits else None)
        self.fuses: FusingTable | None = None if waits else _first_with(tables, "fuse")
        """The table that fuses pointwise steps, if one does."""
        self.captures: CapturingTable | None = None if waits else _first_with(tables, "capture")
        """The table that runs the same work again at less cost, if one does."""
        if self.captures and _KIND[context.device_type] not in self.captures.capture_types:
            self.captures = None
        self.lowers: LoweringTable | None = _first_with(tables, "rewritings")
        """The table that rewrites graphs, if one does."""
        limited: LimitedTable | None = _first_with(tables, "limits")
        self.limits: Limits = _Unplanned() if limited is None else limited.limits
        """By which graphs are planned."""
        self._threaded: ThreadedTable | None = _first_with(tables, "together")
        self.buffer_type = self.table.buffer_type
        self.stream: Any = None
        """The random generator it draws from, once it has drawn; see :mod:`hy_ndarray.random`."""
        self.writes = 0
        """Changes when a watched array is overwritten; until then, what follows from them holds."""
        self._changes = count(1)
        self._watching = threading.Lock()
        self._watchers: dict[ref[object], list[tuple[int, int]]] = {}
        self._watched: tuple[list[int], list[int]] = [], []
        self._shared: tuple[list[int], list[int]] = [], []
        instrumentation.subscribe(self)

    def observe(self, observer: instrumentation.Observer | None) -> None:
        """Hand out kernels as an observer wraps them; without one, as they are."""
        if observer is None:
            self.kernels.wrap(None)
        else:
            self.kernels.wrap(lambda kernel, name: observer.eager(kernel, name, self))

    def watch(self, watcher: object, buffers: Sequence[Buffer]) -> None:
        """Count writes to the memory of these buffers in :attr:`writes`, while ``watcher`` lives.

        They take the place of those it watched before.
        """
        spans = [self.memory.span(buffer) for buffer in buffers]
        with self._watching:  # who comes later must not leave out who came before
            living = {who: old for who, old in self._watchers.items() if who() is not None}
            self._watchers = {**living, ref(watcher): spans}
            self._watched = _joined(span for each in self._watchers.values() for span in each)

    def share(self, buffer: Buffer) -> None:
        """Say that another library has the memory of a buffer, and may write to it unseen."""
        with self._watching:
            self._shared = _joined([*zip(*self._shared, strict=True), self.memory.span(buffer)])
        self.wrote(buffer)

    def is_shared(self, buffers: Sequence[Buffer]) -> bool:
        """Whether another library was given memory of one of these buffers, or gave it."""
        return any(_overlaps(self._shared, self.memory.span(buffer)) for buffer in buffers)

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run tasks that do not depend on each other, at once where the table can."""
        if self._threaded is None:
            return [task() for task in tasks]
        return self._threaded.together(tasks)

    def write(self, target: Buffer, value: Buffer) -> None:
        """Overwrite the content of ``target`` with ``value``, broadcast and cast to fit."""
        self.memory.write(target, value)
        self.wrote(target)  # afterwards: a count read before the content is read misses no change

    def wrote(self, *targets: Buffer) -> None:
        """Say that the content of buffers was changed."""
        if not self._watched[0]:
            return
        for target in targets:
            if _overlaps(self._watched, self.memory.span(target)):
                self.writes = next(self._changes)  # a number that never comes again
                return

    def source(self, kernel: str) -> str:
        """Name of the table whose kernel runs ``kernel`` on this device."""
        return self._source(kernel).name

    def borrowed(self, kernel: str, dtypes: Sequence[str]) -> str:
        """Whose kernel that one leaves operands of such dtypes to; empty if it computes itself."""
        table: Any = self._source(kernel)
        if not hasattr(table, "borrowed"):
            return ""
        found: str = table.borrowed(kernel, _KIND[self.context.device_type], dtypes)
        return found

    def _source(self, kernel: str) -> KernelTable:
        self.kernels[kernel]  # raises the error that names the tables tried
        return next(t for t in self.kernels.tables if t.find(kernel) is not None)

    @property
    def stale(self) -> bool:
        """Whether another kernel table serves the context now."""
        return self.kernels.stale

    def __reduce__(self) -> tuple[Any, ...]:
        return device_of, (self.context,)  # there is one per context, in copies of its users, too

    def __repr__(self) -> str:
        return f"<Device {self.context} on table {self.table.name!r}>"


@cache
def _installed() -> dict[str, EntryPoint]:
    return entry_points(GROUP)


def installed_tables() -> tuple[str, ...]:
    """Names of the kernel tables that installed packages offer, sorted."""
    return tuple(sorted(_installed()))


@cache
def kernel_table(name: str) -> KernelTable:
    """Load the kernel table ``name``.

    Raises:
        KernelError: No installed package offers it, it fails to load, or it is not a table.
    """
    point = _installed().get(name)
    if point is None:
        known = ", ".join(_installed()) or "none"
        raise KernelError(
            f"kernel table {name!r} is not installed (installed: {known}); "
            "try `pip install hy-kernels`, or the package that provides it"
        )
    try:
        table = point.load()()
    except Exception as error:  # whatever a library that is damaged raises
        raise KernelError(f"kernel table {name!r} ({point.value}) cannot load: {error}") from error
    return _checked(table, f"entry point {point.value!r}")


_MEMBERS = [name for name in dir(KernelTable) if not name.startswith("_")]


def _checked(table: Any, source: str) -> KernelTable:
    """The table, if it has all that one needs; a proxy has what it hands on to another one."""
    missing = [name for name in _MEMBERS if not hasattr(table, name)]
    if missing:
        raise KernelError(
            f"{source} gave a {type(table).__name__}, which is not a KernelTable: "
            f"it lacks {', '.join(missing)}"
        )
    checked: KernelTable = table
    return checked


def _fit_for(kind: str, table: KernelTable, source: str) -> KernelTable:
    if kind not in table.device_types:
        runs = ", ".join(table.device_types)
        raise KernelError(f"{source}: table {table.name!r} runs on {runs}, not on {kind}")
    return table


_lock = threading.RLock()
_chosen: dict[str, KernelTable] = {}
_devices: dict[tuple[str, int], Device] = {}


def _after_fork() -> None:
    """Give the GPUs up that their table cannot use in a child; no lock waits for threads of old."""
    global _lock  # noqa: PLW0603  # a lock cannot be released for another thread
    _lock = threading.RLock()
    for key, device in [*_devices.items()]:
        kind = _KIND[key[0]]
        if kind == "gpu":
            try:
                device.table.device(kind, key[1])
            except RuntimeError as error:
                del _devices[key]
                _lose(device, str(error))


def _lose(device: Device, why: str) -> None:
    """Let every use of a device raise :class:`ContextError`, which says why."""
    lost: Any = Lost(f"{device.context}: {why}")
    device.table = device.memory = lost
    if device.pins is not None:
        device.pins = lost
    device.kernels.mark_stale()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _chain(table: KernelTable) -> tuple[KernelTable, ...]:
    chain = [table]
    while chain[-1].fallback is not None:
        chain.append(kernel_table(chain[-1].fallback))
    return tuple(chain)


def _from_environment(kind: str) -> str | None:
    """The choice for ``kind`` in ``HY_KERNELS=cpu=torch,gpu=triton``."""
    choice = None
    for part in filter(None, os.environ.get("HY_KERNELS", "").split(",")):
        device, _, name = (text.strip() for text in part.partition("="))
        if device not in _DEFAULTS or not name:
            raise KernelError(f"HY_KERNELS: {part!r} is not of the form 'cpu=numpy'")
        choice = name if device == kind else choice
    return choice


def _table_for(kind: str) -> KernelTable | None:
    if kind in _chosen:
        return _chosen[kind]
    named = _from_environment(kind)
    if named is not None:
        return _fit_for(kind, kernel_table(named), "HY_KERNELS")
    if kind == "gpu" and not may_have_gpus():
        return None
    return next(filter(None, map(_default, _DEFAULTS[kind])), None)


def _default(name: str) -> KernelTable | None:
    """A table that nobody asked for: one that cannot load is passed over.

    That is told once, unless what it lacks is a package that is not installed, as an extra.
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
    """Whether a module could not be imported because its package is not installed."""
    package = (getattr(error, "name", None) or "").partition(".")[0]
    return isinstance(error, ImportError) and package != "" and find_spec(package) is None


@cache
def _passed_over(reason: str) -> None:
    message = f"{reason}; another table takes its place: mend it, or choose one in HY_KERNELS"
    warn(message, RuntimeWarning)


def device_of(context: Context) -> Device:
    """The device that serves ``context``.

    Raises:
        ContextError: This machine has no such device, or this process cannot use it.
        KernelError: No kernel table for this type of device is installed.
    """
    key = (context.device_type, context.device_id)
    device = _devices.get(key)
    return device if device is not None else _open(context, key)


def _open(context: Context, key: tuple[str, int]) -> Device:
    kind = _KIND[context.device_type]
    with _lock:
        table = _table_for(kind)
        if table is None and kind == "gpu" and not may_have_gpus():
            raise ContextError(f"{context}: this machine has no driver of a GPU; use mx.cpu()")
        if table is None:
            offered = ", ".join(_installed()) or "none"
            error = ContextError if kind == "gpu" else KernelError
            raise error(
                f"{context}: no kernel table for {kind} devices is installed "
                f"(installed tables: {offered}); use mx.cpu(), or install one"
            )
        count = _told(str(context), partial(table.count, kind))
        if kind == "gpu" and context.device_id >= count:
            raise ContextError(
                f"{context}: table {table.name!r} sees {count} GPUs on this machine; use mx.cpu()"
            )
        device = _told(str(context), partial(Device, context, _chain(table)))
        return _devices.setdefault(key, device)


def _told(what: str, question: Callable[[], T]) -> T:
    """What a table tells of its devices; where it cannot, the error is one of hy's."""
    try:
        return question()
    except HyError:
        raise
    except RuntimeError as error:
        raise ContextError(f"{what}: {error}") from error


def open_devices() -> tuple[Device, ...]:
    """The devices in use so far."""
    return tuple(_devices.values())


def gpu_count() -> int:
    """How many GPUs the chosen table for GPUs can use.

    Raises:
        ContextError: This process cannot use GPUs.
    """
    table = _table_for("gpu")
    return 0 if table is None else _told("num_gpus", partial(table.count, "gpu"))


def _switch(kind: str, table: KernelTable | None) -> None:
    with _lock:
        if table is None:
            _chosen.pop(kind, None)
        else:
            _chosen[kind] = table
        for key in [key for key in _devices if _KIND[key[0]] == kind]:
            _devices.pop(key).kernels.mark_stale()


class _Choice:
    """What :func:`use_kernels` returns: as a context manager it restores the table before."""

    def __init__(self, undo: Callable[[], None]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        """The choice is in force since the call."""

    def __exit__(self, *_: object) -> None:
        self._undo()


def use_kernels(table: str | KernelTable, *, device: str = "cpu") -> _Choice:
    """Run the operators of a device type on another kernel table, from now on or within ``with``.

    Arrays that exist are handed over when they are next used, without a copy where both tables use
    the same memory.

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
    if device not in _DEFAULTS:
        raise ContextError(f"use_kernels: device {device!r} is not one of {', '.join(_DEFAULTS)}")
    chosen = kernel_table(table) if isinstance(table, str) else _checked(table, "use_kernels")
    before = _chosen.get(device)
    _switch(device, _fit_for(device, chosen, "use_kernels"))
    return _Choice(lambda: _switch(device, before))


@contextmanager
def fresh_tables() -> Iterator[None]:
    """Inside, tables are discovered and chosen anew, and so they are again behind it.

    For tests that install an entry point or set ``HY_KERNELS`` while running. Arrays made before
    stay usable: they are handed over, as with :func:`use_kernels`.
    """
    before = dict(_chosen)
    _forget()
    try:
        yield
    finally:
        _forget()
        _chosen.update(before)


def _forget() -> None:
    _installed.cache_clear()
    kernel_table.cache_clear()
    _passed_over.cache_clear()
    for kind in _DEFAULTS:
        _switch(kind, None)
