"""Reshaping of arrays without copies; broadcasting and splitting."""

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.core import _state
from hy_ndarray.core._array import Array, record_call
from hy_ndarray.core._calls import call
from hy_ndarray.core._checks import type_of
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._protocols import Buffer, Params
from hy_ndarray.ops import find

A = TypeVar("A", bound=Array)


def share(array: A, buffer: Buffer, device: Device, name: str, params: Params) -> A:
    """Return an array on the given buffer, recorded as operator ``name`` applied to ``array``."""
    result = type(array).from_buffer(buffer, device)
    scope = _state.scope
    if scope.recording and array._live_entry() is not None:
        op = find(name)
        record_call(op, (array,), op.parse(params), (result,), scope.training)
    return result


def view_as(array: A, shape: tuple[int, ...], params: Params | None = None) -> A:
    """Return an array on the same memory in another shape with as many elements."""
    data, device = array._data, array._device
    # Both arrays get the contiguous buffer: reshaping a strided one would copy, and writes to the
    # copy would not be visible in ``array``.
    gapless = device.memory.contiguous(data)
    # Unless another thread has replaced the buffer since.
    if array._data is data:
        array._data = gapless
    name, sizes = array._reshaping if params is None else ("Reshape", "shape")
    return share(array, gapless.reshape(shape), device, name, params or {sizes: shape})


def reshape(array: A, sizes: Sequence[Any], kwargs: Mapping[str, Any]) -> A:
    """Return ``array.reshape(*sizes, **kwargs)``."""
    # Positive sizes need neither parsing nor inference.
    if not kwargs and sizes:
        target = tuple(sizes[0]) if isinstance(sizes[0], list | tuple) else tuple(sizes)
        if target and {*map(type, target)} == {int} and min(target) > 0:
            return _in_shape(array, target, {"shape": target})
    unknown = kwargs.keys() - {"shape", "reverse"}
    if unknown or not (sizes or "shape" in kwargs):
        wrong = f"unknown argument {min(unknown)!r}" if unknown else "the shape is missing"
        raise ArgumentError(f"reshape: {wrong}; pass sizes, or shape= and reverse=")
    shape = sizes or kwargs["shape"]
    if len(sizes) == 1 and isinstance(sizes[0], list | tuple):
        shape = sizes[0]
    op = find("Reshape")
    params = op.parse({"shape": shape, "reverse": kwargs.get("reverse", False)})
    target = params["shape"]
    if any(n <= 0 for n in target):
        target = _inferred_shape(array, "Reshape", params)
    return _in_shape(array, target, params)


def _in_shape(array: A, target: tuple[int, ...], params: Params) -> A:
    """Return the array on the same memory in shape ``target``, whose sizes are positive.

    Raises:
        ShapeError: The number of elements would change.
    """
    if math.prod(target) != array.size:
        raise ShapeError(
            f"reshape: cannot reshape {array.shape} ({array.size} elements) into {target} "
            f"({math.prod(target)} elements)"
        )
    return view_as(array, target, params)


def _inferred_shape(array: Array, name: str, params: Params) -> tuple[int, ...]:
    (output,) = find(name).infer([type_of(array)], params)
    assert output.sizes is not None
    return output.sizes


def in_place(array: A, name: str, **params: Any) -> A:
    """Return the result of an operator that only changes the shape, on the same memory."""
    return view_as(array, _inferred_shape(array, name, find(name).parse(params)))


def broadcast_to(array: A, shape: Sequence[int]) -> A:
    """Return ``array.broadcast_to(shape)``."""
    target = tuple(map(operator.index, shape))
    own = (1,) * (len(target) - array.ndim) + array.shape
    if len(own) != len(target) or not all(map(_broadcasts, own, target)):
        raise ShapeError(f"broadcast_to: cannot broadcast {array.shape} to {target}")
    data = array if len(own) == array.ndim else view_as(array, own)
    result: A = call(find("broadcast_to"), (data,), {"shape": target})
    return result


def _broadcasts(size: int, target: int) -> bool:
    return size == 1 or target in (size, 0)


def split(array: Array, parts: Any, axis: int, squeeze_axis: bool) -> Any:
    """Return ``array.split_v2(parts, axis, squeeze_axis)``."""
    params: dict[str, Any] = {"axis": axis, "squeeze_axis": squeeze_axis}
    if isinstance(parts, int):
        if array.shape[axis] % parts:
            raise ShapeError(
                f"split_v2: axis {axis} of size {array.shape[axis]} cannot be divided into {parts} "
                "equal parts"
            )
        return call(find("_split_v2"), (array,), {"indices": (), "sections": parts, **params})
    if not isinstance(parts, tuple):
        kind = type(parts).__name__
        raise ArgumentError(f"split_v2: indices_or_sections must be an int or a tuple, got {kind}")
    # MXNet's operator takes the begin of every part, including the first.
    return call(find("_split_v2"), (array,), {"indices": (0, *parts), **params})
