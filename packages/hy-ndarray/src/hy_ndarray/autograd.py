"""Automatic differentiation: recording, backward passes, higher orders, user functions."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray import namespaces
from hy_ndarray._errors import AutogradError
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core._gradients import (
    backward,
    fresh_gradients,
    grad,
    is_fresh,
    listed,
    mark_variables,
    set_fresh,
    set_stale,
)
from hy_ndarray.core._scopes import (
    is_recording,
    is_training,
    pause,
    predict_mode,
    record,
    set_recording,
    set_training,
    train_mode,
)
from hy_ndarray.core._tape import record_function, replay
from hy_ndarray.suggestion import Suggesting, suggest_members as _suggest_members

__all__ = [
    "Function",
    "backward",
    "fresh_gradients",
    "get_symbol",
    "grad",
    "is_fresh",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "record_function",
    "replay",
    "set_fresh",
    "set_recording",
    "set_stale",
    "set_training",
    "train_mode",
]


def get_symbol(x: NDArray) -> Any:
    """Return the recorded graph of an array as a symbol; hy-symbol implements it.

    Args:
        x: An array that was computed within :func:`record`.

    Raises:
        AutogradError: The array was not recorded, its graph was freed or contains a
            :class:`Function`, or hy-symbol is not imported.
    """
    extension = namespaces.extension("autograd", "get_symbol")
    if extension is None:
        raise AutogradError("get_symbol: requires the package hy-symbol; import hy_symbol first")
    return extension(x)


class Function(Suggesting):
    """Differentiable function with a user-defined backward.

    Subclasses define ``forward(*arrays)`` and ``backward(*gradients)``. An instance can be called
    only once.

    Example:
        >>> from hy_ndarray import nd
        >>> class Double(Function):
        ...     def forward(self, x):
        ...         return x * 2
        ...     def backward(self, dy):
        ...         return dy * 2
        >>> x = nd.array([3.0])
        >>> x.attach_grad()
        >>> with record():
        ...     y = Double()(x)
        >>> y.backward()
        >>> x.grad.asscalar()
        np.float32(2.0)
    """

    def __init__(self) -> None:
        self._used = False
        # A plain attribute: programs set it to other things that backward needs.
        self.saved_tensors: Any = ()

    def save_for_backward(self, *args: NDArray) -> None:
        """Save arrays for :meth:`backward`, where they are ``self.saved_tensors``."""
        self.saved_tensors = args

    def __call__(self, *inputs: NDArray) -> Any:
        """Run :meth:`forward` and, while recording, record :meth:`backward`.

        Returns:
            An array, or a tuple or list of them, as :meth:`forward` does.
        """
        if self._used:
            raise AutogradError(
                f"{type(self).__name__}: a Function instance can be called only once; create a new "
                "one for each call"
            )
        self._used = True
        with pause(is_training()):
            result = self.forward(*inputs)
        # Detached: forward may return an input, which must not become an output of this node.
        outputs = [x.detach() for x in listed(result, f"{type(self).__name__}.forward")]

        def backward(dys: Sequence[NDArray]) -> Sequence[NDArray | None]:
            returned = self.backward(*dys)
            gradients = list(returned) if isinstance(returned, list | tuple) else [returned]
            if len(gradients) != len(inputs):
                raise AutogradError(
                    f"{type(self).__name__}.backward returned {len(gradients)} gradients for "
                    f"{len(inputs)} inputs of forward; return one for each"
                )
            return [self._hy_gradient(dx, x) for dx, x in zip(gradients, inputs, strict=True)]

        record_function(inputs, outputs, backward)
        if isinstance(result, NDArray):
            return outputs[0]
        return tuple(outputs) if isinstance(result, tuple) else outputs

    def _hy_gradient(self, returned: Any, x: NDArray) -> NDArray | None:
        """Return what :meth:`backward` returned for input ``x`` as an array of its shape."""
        if returned is None or (isinstance(returned, NDArray) and returned.shape == x.shape):
            return returned
        # Assigned, so that numbers, numpy arrays and shapes that broadcast are taken, too.
        try:
            with pause():
                gradient = x.zeros_like()
                gradient[:] = returned
        except (TypeError, ValueError) as error:
            what = f"a gradient {returned.shape}" if hasattr(returned, "shape") else repr(returned)
            raise AutogradError(
                f"{type(self).__name__}.backward returned {what} for an input {x.shape}; return "
                "an array of the input's shape, or None where there is no gradient"
            ) from error
        return gradient

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs for the inputs; not recorded."""
        raise NotImplementedError(f"{type(self).__name__} must define forward")

    def backward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the gradients of the inputs, given those of the outputs."""
        raise NotImplementedError(f"{type(self).__name__} must define backward")


_suggest_members(globals())
