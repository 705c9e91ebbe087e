"""functional_call: a block as a function of its parameters, for transforms."""

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
    """Call a block with given values of its parameters, as a function of them.

    Transforms take it as they take any function: gradients of the parameters, one for each sample
    with ``vmap``, Hessians. The block keeps the values that it has, and parameters that are not
    given have them in the call. States that the call updates, such as moving statistics, are
    written into the arrays given.

    Args:
        block: Any block, hybridized or not.
        parameters: Arrays by the names of ``block.collect_params()``, or by their places in the
            block, such as ``features.0.weight``.
        inputs: What the block is called with.
        kwargs: The same by name.

    Returns:
        What the block returns.

    Raises:
        ArgumentError: The block has no such parameter, or a value is no array.
        ShapeError: A value has another shape than its parameter.

    Note:
        While the call runs, the values given are those of the block in all threads; calls of this
        function wait for one another.

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
    """Return the given parameters with their values."""
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
    """Scope in which parameters have these values."""
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
