"""Recorder: the observer that records kernels, calls and their durations."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from itertools import count
from typing import Any

from hy_ndarray.devices._protocols import KernelFunction, ServedContext
from hy_ndarray.devices.instrumentation import Details, scope_path, unwrap
from hy_ndarray.ops import operators
from hy_ndarray.profiler.config import Config
from hy_ndarray.profiler.memory import Memory
from hy_ndarray.profiler.statistics import MEMORY, Statistics
from hy_ndarray.profiler.trace import Event, chrome_trace
from hy_ndarray.warning import warn

__all__ = ["Recorder", "clock"]

clock = time.perf_counter_ns

OPERATOR = "operator"
CUSTOM = "Custom Operator"
_API = ("block", "program", "backward")


class _Thread(threading.local):
    number = 0
    custom = ""
    """The custom operator whose Python code the thread is running."""


class Recorder:
    """Recorder of events, up to a limit, and of statistics on all events.

    There is one recorder per process; it is thread-safe.
    """

    def __init__(self) -> None:
        self.active = False
        """Whether events are being recorded."""
        self.config = Config()
        self._statistics = Statistics()
        self.unsaved = 0
        """Number of events not yet written to a file."""
        self._lock = threading.RLock()  # a finalizer may call operators while it is held
        self._thread = _Thread()
        self._numbers = count(1)
        self._threads: dict[int, str] = {}
        self._names: dict[str, str] = {}
        self.clear()

    def clear(self) -> None:
        """Discard all events, but keep the statistics."""
        with self._lock:
            self._events: list[Event] = []
            self._memory = Memory(clock)
            self._origin = clock()
            self._dropped = 0
            self.unsaved = 0

    def figures(self, form: str, sort_by: str, ascending: bool) -> str:
        """Return the statistics as text; arguments as for :func:`hy_ndarray.profiler.dumps`."""
        with self._lock:
            self._note_memory(self._memory.releases())
            return self._statistics.text(form, sort_by, ascending)

    def reset_statistics(self) -> None:
        """Reset the statistics."""
        with self._lock:
            self._statistics = Statistics()

    def after_fork(self) -> None:
        """Reset the recorder in a child process, as the parent may have held the lock."""
        self._lock = threading.RLock()
        self.active = False
        self.clear()
        self.reset_statistics()

    def trace(self) -> str:
        """Return the events so far as the text of a trace file."""
        with self._lock:
            self._note_memory(self._memory.releases())
            events, threads = list(self._events), dict(self._threads)
            self.unsaved = 0
        return chrome_trace(events, threads, self._origin)

    # --- events -----------------------------------------------------------------------------

    def add(
        self,
        phase: str,
        name: str,
        category: str,
        begin: int,
        duration: int,
        details: Details | None = None,
    ) -> None:
        """Record an event on this thread; see :class:`Event`."""
        event = Event(phase, name, category, begin, duration, self._number(), details)
        with self._lock:
            self._keep(event)
            if self.config.aggregate_stats and phase in "Xb":
                self._statistics.time(category, name, duration)

    def count(self, name: str, category: str, value: float, when: int | None = None) -> None:
        """Record a counter's new value."""
        moment = clock() if when is None else when
        event = Event(
            "C",
            name=name,
            category=category,
            begin=moment,
            duration=0,
            thread=self._number(),
            details={name: value},
        )
        with self._lock:
            self._keep(event)
            if self.config.aggregate_stats:
                self._statistics.counter(category, name, value)

    def _keep(self, event: Event) -> None:
        if len(self._events) < self.config.max_events:
            self._events.append(event)
            self.unsaved += 1
            return
        self._dropped += 1
        if self._dropped == 1:
            warn(
                f"profiler: the limit of {self.config.max_events} events is reached; later events "
                "count only in dumps(). Profile a shorter period, or raise it with "
                "set_config(max_events=...)"
            )

    def _number(self) -> int:
        number = self._thread.number
        if number == 0:
            number = self._thread.number = next(self._numbers)
            self._threads[number] = threading.current_thread().name
        return number

    # --- the observer -----------------------------------------------------------------------

    def eager(self, kernel: KernelFunction, name: str, device: ServedContext) -> KernelFunction:
        """Return a kernel that records its duration when called on arrays."""
        if not (self.config.imperative or self.config.memory):
            return kernel
        if not self._names:
            self._names = {op.kernel: op.name for op in operators() if op.synonym_of is None}
        shown = self._names.get(name, name)
        return _Timed(self, kernel, shown, device, None, timed=self.config.imperative)

    def step(
        self, kernel: KernelFunction, name: str, device: ServedContext, details: Details
    ) -> KernelFunction:
        """Return a kernel that records its duration when run as a step of a graph."""
        if not (self.config.symbolic or self.config.memory):
            return kernel
        return _Timed(self, kernel, name, device, details, timed=self.config.symbolic)

    def spanned(
        self, function: Callable[..., Any], name: str, category: str, details: Details
    ) -> Callable[..., Any]:
        """Return a function that records its duration."""
        if not self.config.api:
            return function

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.span(name, category, details):
                return function(*args, **kwargs)

        return timed

    @contextmanager
    def span(self, name: str, category: str, details: Details | None = None) -> Iterator[None]:
        """Return a context manager that records its duration."""
        if not self.active or (category in _API and not self.config.api):
            yield
            return
        begin = clock()
        try:
            yield
        finally:
            if self.active:
                self.add("X", name, category, begin, clock() - begin, details)

    @contextmanager
    def custom(self, name: str) -> Iterator[None]:
        """Return a context manager for a custom operator, whose name prefixes inner operators."""
        outer = self._thread.custom
        self._thread.custom = name
        try:
            with self.span(f"{name}::pure_python", CUSTOM, _details(None)):
                yield
        finally:
            self._thread.custom = outer

    def operator(self, name: str, begin: int, end: int, details: Details | None) -> None:
        """Record the execution of an operator from ``begin`` to ``end``."""
        if not self.active:  # no longer
            return
        within = self._thread.custom
        if within:
            self.add("X", f"{within}::{name}", CUSTOM, begin, end - begin, _details(details))
        else:
            self.add("X", name, OPERATOR, begin, end - begin, _details(details))

    def memory(self, device: ServedContext, buffers: Iterable[Any]) -> None:
        """Record the memory of a kernel's inputs and results."""
        if not self.active:
            return
        with self._lock:
            self._note_memory(self._memory.changes(device, buffers))

    def _note_memory(self, changes: Iterable[tuple[int, str, int]]) -> None:
        for when, where, size in changes:
            self.count(f"Memory: {where}", MEMORY, size, when)


def _details(known: Details | None) -> Details | None:
    """Return the attributes of an event: ``known``, or else the current block."""
    if known is not None:
        return known
    block = scope_path().block
    return {"block": block} if block else None


class _Timed:
    """Kernel that records each of its calls."""

    __slots__ = ("_details", "_device", "_name", "_recorder", "_timed", "unwrapped")

    def __init__(
        self,
        recorder: Recorder,
        kernel: KernelFunction,
        name: str,
        device: ServedContext,
        details: Details | None,
        *,
        timed: bool,
    ) -> None:
        self.unwrapped = unwrap(kernel)
        self._recorder = recorder
        self._name = name
        self._device = device
        self._details = details
        self._timed = timed

    @property
    def __wrapped__(self) -> KernelFunction:
        """Return the wrapped kernel, for :func:`inspect.signature`."""
        return self.unwrapped

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        recorder = self._recorder
        if not recorder.active:
            return self.unwrapped(*args, **kwargs)
        begin = clock()
        result = self.unwrapped(*args, **kwargs)
        self._device.table.synchronize(self._device.handle)
        end = clock()
        if self._timed:
            recorder.operator(self._name, begin, end, self._details)
        if recorder.config.memory:
            outputs = result if result.__class__ is tuple else (result,)
            recorder.memory(self._device, (*args, *outputs))
        return result
