"""Private functions and classes of ``mxnet.autograd``."""

from typing import Any

from hy_ndarray import NDArray, autograd
from mxnet._private.errors import CheckError


class _RecordingStateScope:
    """Scope that sets recording and training mode.

    Args:
        is_record: Whether operations are recorded; unchanged if None.
        train_mode: Whether layers are in training mode; unchanged if None.
    """

    def __init__(self, is_record: bool | None, train_mode: bool | None) -> None:
        self._enter_is_record = is_record
        self._enter_train_mode = train_mode
        self._prev_is_record: bool | None = None
        self._prev_train_mode: bool | None = None

    def __enter__(self) -> None:
        if self._enter_is_record is not None:
            self._prev_is_record = autograd.set_recording(self._enter_is_record)
        if self._enter_train_mode is not None:
            self._prev_train_mode = autograd.set_training(self._enter_train_mode)

    def __exit__(self, *_: object) -> None:
        if self._prev_is_record is not None:
            autograd.set_recording(self._prev_is_record)
        if self._prev_train_mode is not None:
            autograd.set_training(self._prev_train_mode)


def _parse_head(heads: Any, head_grads: Any) -> tuple[list[Any], list[Any]]:
    """Return the handles of outputs, and of their gradients (None for ones).

    Raises:
        CheckError: The numbers of outputs and gradients differ.
    """
    heads = [heads] if isinstance(heads, NDArray) else list(heads)
    head_grads = [head_grads] if isinstance(head_grads, NDArray) else head_grads
    if head_grads is None:
        # None means ones, as in MXNet's C interface.
        grads = [None] * len(heads)
    else:
        grads = [None if grad is None else grad.handle for grad in head_grads]
    if len(grads) != len(heads):
        raise CheckError(
            f"heads and head_grads must be lists of the same length: {len(heads)}, {len(grads)}"
        )
    return [head.handle for head in heads], grads


class FunctionMembers:
    """Private attributes of MXNet's ``autograd.Function``."""

    class _Registry:
        """Counter of functions, for unique numbers."""

        def __init__(self) -> None:
            self.ref_holder: dict[int, Any] = {}
            self.counter = 0

        def inc(self) -> int:
            """Return the next number."""
            self.counter += 1
            return self.counter - 1

    _registry = _Registry()


class _Registry:
    """Counter of operators, with their objects by number."""

    def __init__(self) -> None:
        from threading import Lock  # noqa: PLC0415  # few programs make one

        self.ref_holder: dict[int, Any] = {}
        self.counter = 0
        self.result_deps: set[Any] = set()
        self.lock = Lock()

    def inc(self) -> int:
        """Return the next number."""
        with self.lock:
            self.counter += 1
            return self.counter - 1


_registry = _Registry()
