"""MXNet's first autograd interface, replaced by :mod:`mxnet.autograd`."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Self

from hy_ndarray import ArgumentError, NDArray, autograd, nd

__all__ = [
    "TrainingStateScope",
    "backward",
    "compute_gradient",
    "grad",
    "grad_and_loss",
    "mark_variables",
    "set_is_training",
    "test_section",
    "train_section",
]


def set_is_training(is_train: bool) -> bool:
    """Turn recording and training mode on or off together.

    Returns:
        Whether recording was on.
    """
    # This interface has one flag for what became two.
    before = autograd.set_recording(is_train)
    autograd.set_training(is_train)
    return before


class TrainingStateScope:
    """Scope that turns recording and training mode on or off, and restores both at the end."""

    def __init__(self, enter_state: bool) -> None:
        self._enter_state = enter_state
        self._before = False, False

    def __enter__(self) -> Self:
        self._before = autograd.is_recording(), autograd.is_training()
        set_is_training(self._enter_state)
        return self

    def __exit__(self, *_: object) -> None:
        # Both, as they may have differed outside of this interface.
        recording, training = self._before
        autograd.set_recording(recording)
        autograd.set_training(training)


def train_section() -> TrainingStateScope:
    """Return a scope with recording and training mode.

    Example:
        >>> x, gradient = nd.array([3.0]), nd.zeros(1)
        >>> mark_variables([x], [gradient])
        >>> with train_section():
        ...     y = x * x
        >>> backward([y])
        >>> gradient.asnumpy()
        array([6.], dtype=float32)
    """
    return TrainingStateScope(True)


def test_section() -> TrainingStateScope:
    """Return a scope without recording, in prediction mode, for use in :func:`train_section`."""
    return TrainingStateScope(False)


def mark_variables(
    variables: Sequence[NDArray],
    gradients: Sequence[NDArray],
    grad_reqs: str | Sequence[str] = "write",
) -> None:
    """Mark arrays as variables, whose gradients are written or added to the given arrays."""
    autograd.mark_variables(list(variables), list(gradients), grad_reqs)


def backward(
    outputs: Sequence[NDArray],
    out_grads: Sequence[NDArray | None] | None = None,
    retain_graph: bool = False,
) -> None:
    """Compute the gradients of variables.

    Args:
        outputs: Results of recorded operations.
        out_grads: Gradients of the outputs; ones if None.
        retain_graph: Keep the recorded operations for another call.
    """
    autograd.backward(list(outputs), None if out_grads is None else list(out_grads), retain_graph)


def compute_gradient(outputs: Sequence[NDArray]) -> None:
    """Compute the gradients of variables; old name of :func:`backward`."""
    backward(outputs)


def grad_and_loss(
    func: Callable[..., Any], argnum: int | Sequence[int] | None = None
) -> Callable[..., tuple[list[NDArray], Any]]:
    """Return a function that returns the gradients and the result of ``func``.

    Args:
        func: Function of NDArrays.
        argnum: Position or positions of the arguments to differentiate by; all if None.

    Example:
        >>> grads, loss = grad_and_loss(lambda a, b: a * b)(nd.array([2.0]), nd.array([5.0]))
        >>> [grad.asscalar() for grad in grads], loss.asscalar()
        ([np.float32(5.0), np.float32(2.0)], np.float32(10.0))
    """

    @functools.wraps(func)
    def wrapped(*args: Any) -> tuple[list[NDArray], Any]:
        indices = range(len(args)) if argnum is None else argnum
        variables = [args[i] for i in ([indices] if isinstance(indices, int) else indices)]
        for variable in variables:
            if not isinstance(variable, NDArray):
                raise ArgumentError(
                    f"type of autograd input should NDArray, not {type(variable).__name__}"
                )
        # New buffers: gradients that the caller has attached stay untouched.
        grads = [nd.zeros_like(variable) for variable in variables]
        mark_variables(variables, grads)
        with train_section():
            outputs = func(*args)
        compute_gradient([outputs] if isinstance(outputs, NDArray) else outputs)
        return grads, outputs

    return wrapped


def grad(
    func: Callable[..., Any], argnum: int | Sequence[int] | None = None
) -> Callable[..., list[NDArray]]:
    """Return a function that returns the gradients of ``func``; see :func:`grad_and_loss`."""
    both = grad_and_loss(func, argnum)

    @functools.wraps(both)
    def wrapped(*args: Any) -> list[NDArray]:
        return both(*args)[0]

    return wrapped
