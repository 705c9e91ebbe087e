"""MXNet 2's batchify functions, which pad, list, or group the items of a batch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hy_gluon.data._errors import DataError
from hy_gluon.parameter.arrays import shown
from hy_ndarray import ArgumentError, Context, NDArray, ShapeError, dtype_name, nd
from hy_ndarray.foreign import kind_of

__all__ = ["Append", "AsList", "Group", "Pad"]


class Pad:
    """Batchify function that pads the ends of items to one size per axis, and stacks them.

    Args:
        val: Padding value; 0 if None.
        dtype: Dtype of the batch; the first item's if None.
        round_to: Round padded sizes up to multiples of this number.
        use_shared_mem: Place the batch on the context ``cpu_shared``.

    Example:
        >>> Pad(val=-1)([[1, 2, 3], [4]]).asnumpy()
        array([[ 1,  2,  3],
               [ 4, -1, -1]])
    """

    def __init__(
        self,
        val: float | None = None,
        dtype: object = None,
        round_to: int | None = None,
        use_shared_mem: bool = False,
    ) -> None:
        if round_to is not None and round_to < 1:
            raise ArgumentError(f"Pad: round_to={round_to} must be positive")
        self._val = 0 if val is None else val
        self._dtype = dtype
        self._round_to = round_to or 1
        self._shared = use_shared_mem

    def __call__(self, data: Sequence[Any]) -> NDArray:
        """Return the padded batch ``[N, *largest]``.

        Raises:
            DataError: There are no items, or they are tuples or numbers.
            ShapeError: The items have different numbers of axes.
        """
        if not len(data):
            raise DataError("cannot make a batch of no items")
        first = data[0]
        if not isinstance(first, np.ndarray | NDArray | list):
            raise DataError(
                f"Pad: items are arrays or lists, not {kind_of(first)}; parts of tuples are padded "
                "by Group(Pad(), Pad(), ...)"
            )
        items = [_on_host(x) for x in data]
        if any(x.ndim != items[0].ndim for x in items):
            some = ", ".join(str(x.shape) for x in items[:4])
            raise ShapeError(f"Pad: items differ in their number of axes: {some}")
        # dtype=int: without items' axes the list of shapes would be floats.
        shapes = np.array([x.shape for x in items], dtype=int)
        sizes = shapes.max(axis=0)
        # Rounded up, so that batches have few different shapes, and compiled graphs are reused.
        sizes = -(-sizes // self._round_to) * self._round_to
        kind = items[0].dtype if self._dtype is None else dtype_name(self._dtype)
        # Cast after filling: a pad value such as -1 in unsigned items wraps as in MXNet 2.
        batch: Any = np.full((len(items), *sizes), self._val).astype(items[0].dtype)
        for i, item in enumerate(items):
            batch[(i, *(slice(n) for n in item.shape))] = item
        return _batch(batch.astype(kind), self._shared)


class Append:
    """Batchify function that returns the items as a list of arrays, without stacking them.

    Args:
        expand: Insert a batch axis of size 1 into each array.
        batch_axis: Position of the inserted axis.
        use_shared_mem: See :class:`Pad`.

    Example:
        >>> [x.shape for x in Append()([[1, 2], [3]])]
        [(1, 2), (1, 1)]
    """

    def __init__(
        self, expand: bool = True, batch_axis: int = 0, use_shared_mem: bool = False
    ) -> None:
        self._axis = batch_axis if expand else None
        self._shared = use_shared_mem

    def __call__(self, data: Sequence[Any]) -> list[NDArray]:
        """Return a list of arrays; numbers become float32."""
        batch = []
        for item in data:
            values = _on_host(item)
            if not isinstance(item, NDArray):
                # MXNet 2 makes float32 of whatever is no array.
                values = values.astype("float32")
            if self._axis is not None:
                values = np.expand_dims(values, self._axis)
            batch.append(_batch(values, self._shared))
        return batch


class AsList:
    """Batchify function that returns the items unchanged as a list, such as strings."""

    def __call__(self, data: Sequence[Any]) -> list[Any]:
        """Return the items as a list."""
        return list(data)


class Group:
    """Batchify function for tuples, which applies one function to each part.

    Args:
        fn: Function for the first part, or a list or tuple with all functions.
        args: Functions for the further parts.

    Raises:
        ArgumentError: An argument is not a function, or functions are given in both forms.

    Example:
        >>> rows, labels = Group(Pad(), AsList())([([1, 2], "a"), ([3], "b")])
        >>> rows.shape, labels
        ((2, 2), ['a', 'b'])
    """

    def __init__(self, fn: Any, *args: Callable[[Sequence[Any]], Any]) -> None:
        if isinstance(fn, list | tuple) and args:
            raise ArgumentError("Group: takes functions one by one, or all of them in one list")
        self._functions = list(fn) if isinstance(fn, list | tuple) else [fn, *args]
        for i, function in enumerate(self._functions):
            if not callable(function):
                raise ArgumentError(
                    f"Group: function {i} must be callable, not {kind_of(function)}"
                )

    def __call__(self, data: Sequence[Any]) -> tuple[Any, ...]:
        """Return a tuple with the batch of each part.

        Raises:
            DataError: The number of parts of an item differs from that of functions.
        """
        count = len(self._functions)
        for item in data:
            if not isinstance(item, tuple | list) or len(item) != count:
                raise DataError(
                    f"Group: an item must have {count} parts, one for each function, not {item!r}"
                )
        return tuple(f([item[i] for item in data]) for i, f in enumerate(self._functions))


def _on_host(item: Any) -> Any:
    if isinstance(item, NDArray):
        return item.asnumpy()
    try:
        values = np.asarray(item)
    except ValueError as error:
        raise ShapeError(f"cannot stack the numbers of an item: {error}") from error
    if values.dtype.kind in "OUSMm":
        raise DataError(
            f"cannot make an array of items of type {type(item).__name__}; use AsList()"
        )
    return values


def _batch(values: Any, shared: bool) -> NDArray:
    ctx = Context("cpu_shared", 0) if shared else None
    return shown(nd.array(values, ctx=ctx, dtype=values.dtype))
