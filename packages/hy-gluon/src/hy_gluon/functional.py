"""functional_call: calls a block as a pure function of its parameters, for transforms."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hy_gluon.block import Block
from hy_gluon.parameter import Parameter
from hy_gluon.parameter.storage import Values, changed
from hy_ndarray import ArgumentError, NDArray, ShapeError
from hy_ndarray.foreign import conversion, kind_of
from hy_ndarray.suggestion import hint

__all__ = ["functional_call"]

_lock = threading.RLock()


def functional_call(
    block: Block, parameters: Mapping[str, NDArray], *inputs: Any, **kwargs: Any
) -> Any:
    """Call a block with the given parameter values, as a function of them.

    Use it with transforms for gradients with respect to parameters, per-sample gradients by
    ``vmap``, or Hessians. The block's own values stay unchanged, and are used for parameters that
    are not given. States that the call updates, such as moving statistics, are written into the
    given arrays.

    Args:
        block: Any block, hybridized or not.
        parameters: Arrays by the names of ``block.collect_params()``, or by scope paths, such as
            ``features.0.weight``.
        inputs: Arguments of the block.
        kwargs: Keyword arguments of the block.

    Returns:
        The block's result.

    Raises:
        ArgumentError: The block has no such parameter, or a value is not an array.
        ShapeError: The shapes of a value and its parameter differ.

    Note:
        During the call the block has the given values in all threads; calls of this function are
        serialized by a lock.

    Example:
        >>> from hy_gluon import nn
        >>> from hy_ndarray import nd
        >>> from hy_ndarray.transforms import grad
        >>> net = nn.Dense(1, in_units=2, use_bias=False)
        >>> net.initialize()
        >>> loss = lambda values, x: functional_call(net, values, x).sum()
        >>> grad(loss)({"weight": nd.array([[1, 2]])}, nd.array([[3, 4]]))["weight"].asnumpy()
        array([[3., 4.]], dtype=float32)
    """
    with _replaced(_selected(block, parameters)):
        return block(*inputs, **kwargs)


def _selected(block: Block, values: Mapping[str, NDArray]) -> list[tuple[Parameter, NDArray]]:
    """Return pairs of parameter and value for values given by name or scope path."""
    by_path = block._collect_params_with_prefix()
    named: dict[str, Parameter] = dict(block.collect_params().items())
    result: list[tuple[Parameter, NDArray]] = []
    for name, value in values.items():
        parameter = by_path.get(name) or named.get(name)
        if parameter is None:
            known = [*by_path, *named]
            raise ArgumentError(
                f"functional_call: {block.name} has no parameter {name!r}{hint(name, known)}"
            )
        if not isinstance(value, NDArray):
            raise ArgumentError(
                f"functional_call: {name!r} is {kind_of(value)}, not an array{conversion(value)}"
            )
        shape = parameter.shape
        if shape is not None and (
            len(shape) != value.ndim
            or any(n not in (m, 0, -1) for n, m in zip(shape, value.shape, strict=True))
        ):
            raise ShapeError(
                f"functional_call: {name!r} has the shape {shape}, its value {value.shape}"
            )
        result.append((parameter, value))
    return result


@contextmanager
def _replaced(pairs: list[tuple[Parameter, NDArray]]) -> Iterator[None]:
    """Scope in which parameters have the given arrays as their values."""
    # The arrays belong to the block: another thread must not call it with half of them replaced.
    with _lock:
        before = [(parameter, parameter._allocated) for parameter, _ in pairs]
        try:
            for parameter, value in pairs:
                # Exchanged, not copied into: the gradient is to reach the array that was given.
                parameter._allocated = Values([value]), [value.context]
            changed()
            yield
        finally:
            for parameter, arrays in before:
                parameter._allocated = arrays
            changed()
