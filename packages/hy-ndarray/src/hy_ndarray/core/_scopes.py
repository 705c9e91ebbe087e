"""Autograd scopes: recording, and training or prediction mode, by thread."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType

from hy_ndarray.core import _state


class _Mode:
    """Scope that sets recording and training mode; None leaves a mode as it is."""

    __slots__ = ("_before", "_recording", "_training")

    def __init__(self, recording: bool | None, training: bool | None) -> None:
        self._recording = recording
        self._training = training
        # A stack, as the same scope object may be entered again inside itself.
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        scope = _state.scope
        self._before.append((scope.recording, scope.training))
        if self._recording is not None:
            scope.recording = self._recording
        if self._training is not None:
            scope.training = self._training

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _state.scope.recording, _state.scope.training = self._before.pop()


def record(train_mode: bool = True) -> _Mode:
    """Return a scope in which operators are recorded for :func:`backward`, in training mode."""
    return _Mode(True, train_mode)


def pause(train_mode: bool = False) -> _Mode:
    """Return a scope in which nothing is recorded, for use inside :func:`record`."""
    return _Mode(False, train_mode)


_followed: ContextVar[bool] = ContextVar("followed", default=False)


@contextmanager
def followed() -> Iterator[None]:
    """Enter a scope in which a transform records; training mode stays as it is."""
    token = _followed.set(True)
    try:
        with record(_state.scope.training):
            yield
    finally:
        _followed.reset(token)


is_followed: Callable[[], bool] = _followed.get
"""Whether a transform records this thread's calls; it may run several backward passes."""


def train_mode() -> _Mode:
    """Return a scope in which operators run in training mode; recording is unchanged."""
    return _Mode(None, True)


def predict_mode() -> _Mode:
    """Return a scope in which operators run in prediction mode; recording is unchanged."""
    return _Mode(None, False)


def is_recording() -> bool:
    """Return whether this thread records operators for a backward pass."""
    return _state.scope.recording


def is_training() -> bool:
    """Return whether this thread is in training mode."""
    return _state.scope.training


def set_recording(is_recording: bool) -> bool:
    """Switch recording on or off for this thread; return the previous setting."""
    before = _state.scope.recording
    _state.scope.recording = bool(is_recording)
    return before


def set_training(train_mode: bool) -> bool:
    """Switch training mode on or off for this thread; return the previous setting."""
    before = _state.scope.training
    _state.scope.training = bool(train_mode)
    return before
