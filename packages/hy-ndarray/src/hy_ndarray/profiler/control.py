"""Control of the profiler: options, state and output."""

import atexit
import os
import threading
from contextlib import AbstractContextManager
from typing import Any

from hy_ndarray._errors import ArgumentError, HyError
from hy_ndarray.devices.instrumentation import observe, scope_path, span
from hy_ndarray.profiler.config import Config, check_process
from hy_ndarray.profiler.recorder import Recorder, clock
from hy_ndarray.profiler.trace import write
from hy_ndarray.warning import warn

__all__ = [
    "autostart",
    "dump",
    "dump_profile",
    "dumps",
    "pause",
    "profiler_set_config",
    "profiler_set_state",
    "recorder",
    "resume",
    "scope",
    "set_config",
    "set_state",
    "state",
]

recorder = Recorder()
"""The recorder of the process."""

_REST = 20
"""Least ratio of the period between writes to the time that a write takes."""


class _Control:
    """State of the profiler, and the thread that periodically writes the trace."""

    def __init__(self) -> None:
        self._restart()

    def _restart(self) -> None:
        self.lock = threading.RLock()
        self.running = False
        self.started = False
        """Whether the profiler has ever run."""
        self.finished = True
        """Whether the trace is complete: the next run begins another one."""
        self.at_exit = False
        self._end: threading.Event | None = None
        self._writing = threading.Lock()

    def start(self) -> None:
        with self.lock:
            if self.finished:
                recorder.clear()
                self.finished = False
            if not self.running:
                self.running = self.started = True
                observe(recorder)
                self._write_meanwhile()
            recorder.active = True

    def stop(self) -> None:
        with self.lock:
            recorder.active = False
            self.running = False
            observe(None)
            if self._end is not None:
                self._end.set()
                self._end = None

    def configure(self, config: Config) -> None:
        with self.lock:
            recorder.config = config
            if self.running:
                observe(recorder)

    def write(self) -> None:
        with self._writing:
            write(recorder.config.filename, recorder.trace())

    def after_fork(self) -> None:
        """Stop recording in a child process, which does not have the writing thread."""
        was_running = self.running
        self._restart()
        if was_running:
            recorder.after_fork()
            observe(None)

    def _write_meanwhile(self) -> None:
        self.at_exit |= recorder.config.continuous_dump
        if recorder.config.continuous_dump:
            self._end = threading.Event()
            threading.Thread(
                target=_write_until, args=(self._end,), name="profiler", daemon=True
            ).start()


_control = _Control()


def _write_until(end: threading.Event) -> None:
    """Write the trace periodically while there are new events, until ``end`` is set."""
    pause_of = recorder.config.dump_period
    while not end.wait(pause_of):
        before = clock()
        if recorder.unsaved:
            try:
                _control.write()
            except OSError as error:
                warn(f"profiler: cannot write the profile: {error}; call dump() to try again")
                return
        took = (clock() - before) / 1e9
        pause_of = max(recorder.config.dump_period, _REST * took)


def set_config(**kwargs: Any) -> None:
    """Set the events to record and the output file; omitted options get their defaults.

    Args:
        kwargs: ``profile_all`` (False): all kinds below. ``profile_symbolic`` (True): the steps
            of hybridized blocks and executors. ``profile_imperative`` (True): operators called on
            arrays. ``profile_memory`` (True): the memory that arrays take. ``profile_api`` (True):
            blocks, programs and backward passes. ``filename`` (``"profile.json"``): the trace file.
            ``continuous_dump`` (True): write it every ``dump_period`` (1) seconds while running,
            and at the end of the process. ``aggregate_stats`` (False): collect the statistics
            that :func:`dumps` returns. ``max_events`` (500000): the greatest number of events in
            the trace. ``profile_process``: only ``"worker"``.

    Raises:
        ArgumentError: An option is unknown, or its value has the wrong type.

    Example:
        >>> set_config(aggregate_stats=True, continuous_dump=False)
    """
    _control.configure(Config.of(kwargs))


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Start or stop recording; starting also ends a pause.

    Args:
        state: ``"run"`` or ``"stop"``.
        profile_process: Only ``"worker"``.

    Raises:
        ArgumentError: ``state`` is neither ``"run"`` nor ``"stop"``.
    """
    check_process("set_state", profile_process)
    if state not in ("run", "stop"):
        raise ArgumentError(f"set_state: state={state!r} is neither 'run' nor 'stop'")
    if state == "run":
        _control.start()
    else:
        _control.stop()


def state() -> str:
    """Return the state of the profiler: ``"run"``, ``"stop"``, or ``"pause"``."""
    if not _control.running:
        return "stop"
    return "run" if recorder.active else "pause"


def pause(profile_process: str = "worker") -> None:
    """Suspend recording until :func:`resume`; no effect unless the profiler runs."""
    check_process("pause", profile_process)
    recorder.active = False


def resume(profile_process: str = "worker") -> None:
    """Resume recording after :func:`pause`; no effect unless the profiler runs."""
    check_process("resume", profile_process)
    with _control.lock:
        recorder.active = _control.running


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Write the trace to the file, for Perfetto (ui.perfetto.dev) and about:tracing.

    Args:
        finished: Also stop; the next run begins a new trace. Otherwise the file contains the events
            so far, and recording continues.
        profile_process: Only ``"worker"``.

    Raises:
        HyError: The profiler has not run yet.
        OSError: The file cannot be written; an existing file is left unchanged.
    """
    check_process("dump", profile_process)
    if not _control.started:
        raise HyError("dump: the profiler has not been started; call set_state('run') first")
    if finished:
        _control.stop()
    _control.write()
    _control.finished |= finished


def dumps(
    reset: bool = False,
    format: str = "table",  # noqa: A002  # MXNet's name
    sort_by: str = "total",
    ascending: bool = False,
) -> str:
    """Return counts and total, average, minimum and maximum times of events as text.

    Args:
        reset: Clear the statistics afterwards.
        format: ``"table"`` or ``"json"``.
        sort_by: ``"total"``, ``"avg"``, ``"min"``, ``"max"`` or ``"count"``. Counters, which have
            no total, are sorted by the sum of their values.
        ascending: Whether to sort in ascending order.

    Returns:
        Statistics by category: times in milliseconds, memory in units of 1000 bytes. The empty
        string if the option ``aggregate_stats`` is off.

    Raises:
        ArgumentError: ``format``, ``sort_by`` or ``ascending`` is invalid.
    """
    text = recorder.figures(format, sort_by, ascending)
    if reset:
        recorder.reset_statistics()
    return text if recorder.config.aggregate_stats else ""


def scope(name: str) -> AbstractContextManager[None]:
    """Return a context manager that is recorded as a span around the events within it.

    Args:
        name: Name of the span.

    Example:
        >>> with scope("load"):
        ...     pass
    """
    block = scope_path().block
    return span(name, "scope", {"block": block} if block else None)


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Deprecated alias of :func:`set_config`.

    Args:
        mode: ``"symbolic"``, ``"imperative"``, ``"memory"``, ``"api"`` or ``"all"``; only ``"all"``
            has an effect, as the other kinds are on by default.
        filename: The trace file.
    """
    warn("profiler_set_config is deprecated; use set_config")
    set_config(**{f"profile_{mode}": True, "filename": filename})


def profiler_set_state(state: str = "stop") -> None:
    """Deprecated alias of :func:`set_state`."""
    warn("profiler_set_state is deprecated; use set_state")
    set_state(state)


def dump_profile() -> None:
    """Deprecated alias of :func:`dump`."""
    warn("dump_profile is deprecated; use dump")
    dump(True)


def autostart() -> None:
    """Start the profiler if an environment variable asks for it, and write the trace at exit.

    That is ``HY_PROFILER``, 1 or the name of the file; or ``MXNET_PROFILER_AUTOSTART=1``.
    """
    setting = os.environ.get("HY_PROFILER") or os.environ.get("MXNET_PROFILER_AUTOSTART", "0")
    if setting in ("", "0"):
        return
    import multiprocessing  # noqa: PLC0415  # only here

    if multiprocessing.parent_process() is not None:  # it would write over its parent's file
        return
    options = {} if setting == "1" else {"filename": setting}
    set_config(profile_all=True, aggregate_stats=True, **options)
    set_state("run")


@atexit.register
def _write_at_exit() -> None:
    if _control.at_exit and recorder.unsaved:
        dump(True)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_control.after_fork)
