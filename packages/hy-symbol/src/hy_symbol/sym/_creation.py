"""Creation functions: symbols of constant arrays and ranges."""

from collections.abc import Sequence
from typing import Any

from hy_symbol.sym._functions import add_node
from hy_symbol.symbol.symbol import Symbol

_FLOAT = "float32"


def zeros(shape: int | Sequence[int], dtype: object = None, **kwargs: Any) -> Symbol:
    """Return a symbol of zeros.

    Args:
        shape: Shape of the result.
        dtype: Dtype of the elements; float32 if None.
        kwargs: ``name`` and ``attr`` of the node.

    Example:
        >>> zeros((2, 3)).infer_shape()
        ([], [(2, 3)], [])
    """
    return add_node("_zeros", shape=shape, dtype=dtype or _FLOAT, **kwargs)


def ones(shape: int | Sequence[int], dtype: object = None, **kwargs: Any) -> Symbol:
    """Return a symbol of ones; arguments as in :func:`zeros`."""
    return add_node("_ones", shape=shape, dtype=dtype or _FLOAT, **kwargs)


def full(shape: int | Sequence[int], val: float, dtype: object = None, **kwargs: Any) -> Symbol:
    """Return a symbol filled with one value; arguments as in :func:`zeros`."""
    return add_node("_full", shape=shape, dtype=dtype or _FLOAT, value=float(val), **kwargs)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: object = None,
) -> Symbol:
    """Return evenly spaced numbers in ``[start, stop)``; with one argument, in ``[0, start)``.

    Args:
        start: First number.
        stop: End of the range, exclusive.
        step: Difference of successive numbers.
        repeat: How often each number appears.
        infer_range: Whether to infer the end from the shape that the consumer requires.
        name: Name of the node.
        dtype: Dtype of the elements; float32 if None.
    """
    return add_node(
        "_arange",
        start=start,
        stop=stop,
        step=step,
        repeat=repeat,
        infer_range=infer_range,
        name=name,
        dtype=dtype or _FLOAT,
    )


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    name: str | None = None,
    dtype: object = None,
) -> Symbol:
    """Return ``num`` evenly spaced numbers from ``start`` to ``stop``.

    Args:
        start: First number.
        stop: Last number, or the end of the range if ``endpoint`` is False.
        num: Number of elements.
        endpoint: Whether ``stop`` is included.
        name: Name of the node.
        dtype: Dtype of the elements; float32 if None.
    """
    return add_node(
        "_linspace",
        start=start,
        stop=stop,
        num=num,
        endpoint=endpoint,
        name=name,
        dtype=dtype or _FLOAT,
    )


def eye(N: int, M: int = 0, k: int = 0, dtype: object = None, **kwargs: Any) -> Symbol:  # noqa: N803
    """Return a matrix with ones on a diagonal.

    Args:
        N: Number of rows.
        M: Number of columns; ``N`` if 0.
        k: Index of the diagonal; positive ones are above the main diagonal.
        dtype: Dtype of the elements; float32 if None.
        kwargs: ``name`` and ``attr`` of the node.
    """
    return add_node("_eye", N=N, M=M, k=k, dtype=dtype or _FLOAT, **kwargs)
