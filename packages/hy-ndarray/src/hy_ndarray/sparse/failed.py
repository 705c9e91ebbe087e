"""Results of failed samplers: arrays that raise the sampler's error when they are read.

MXNet executes asynchronously: a sampler with invalid parameters returns an array, and programs
catch the error around ``asnumpy``. Results computed from such an array raise the error, too.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, Never, Self

import numpy as np

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, DTypeError, HyError
from hy_ndarray.array._functions import array_function
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._protocols import Buffer, Params
from hy_ndarray.ops import Operator, TensorType
from hy_ndarray.sparse._sparse_device import sparse_device_of

__all__ = ["FailedArray", "raised_late", "undrawn"]

_OPTIONS = ("shape", "dtype", "ctx")
"""Parameters that describe the result; all others are parameters of the distribution."""


@dataclass(frozen=True)
class _Failed:
    """Stand-in for the buffer of a failed array."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    error: HyError

    def dense(self) -> Never:
        """Raise the sampler's error."""
        raise self.error


class FailedArray(NDArray):
    """Array with a shape and dtype but no values; reading it raises a sampler's error."""

    __slots__ = ()
    _dense: ClassVar[bool] = False
    _data: Any

    @classmethod
    def from_buffer(cls, buffer: Buffer, device: Device) -> Self:
        """Wrap a stand-in buffer as a failed array."""
        array = cls.__new__(cls)
        array._data, array._device, array._entry = buffer, device, None
        return array

    def _broken_array(
        self, shape: Iterable[int], dtype: str, context: Context | None = None
    ) -> Self:
        failed = _Failed(tuple(shape), np.dtype(dtype), self._data.error)
        return self.from_buffer(failed, sparse_device_of(context or self.context))

    @classmethod
    def apply_operator(
        cls,
        op: Operator,
        inputs: Sequence[Any],
        params: Params,
        is_train: bool | None = None,  # noqa: ARG003  # it changes no types
        out: Any = None,
    ) -> Any:
        """Return failed arrays as the results of an operator."""
        failed = next(x for x in inputs if isinstance(x, FailedArray))
        if out is not None or not all(x is None or isinstance(x, NDArray) for x in inputs):
            raise failed._data.error
        types = op.infer([None if x is None else _type_of(x) for x in inputs], params)
        results = [
            failed._broken_array([n or 0 for n in t.shape or ()], t.dtype or "float32")
            for t in types[: op.num_visible(params)]
        ]
        return results[0] if len(results) == 1 else results

    def wait_to_read(self) -> None:
        """Raise the sampler's error."""
        self._data.dense()

    def __getitem__(self, key: Any) -> Self:
        # An array of strides 0 takes no memory, and has the shape of the part.
        part = np.broadcast_to(np.zeros((), bool), self.shape)[key]
        return self._broken_array(
            part.shape if self._single else part.shape or (1,), self._data.dtype.name
        )

    def copyto(self, other: Any) -> NDArray:
        """Return a failed array on another context; copying into an array raises the error."""
        if not isinstance(other, Context):
            self._data.dense()
        return self._broken_array(self.shape, self._data.dtype.name, other)

    def as_in_context(self, context: Context) -> Self:
        """Return a failed array on another context."""
        return self._broken_array(self.shape, self._data.dtype.name, context)

    as_in_ctx = as_in_context


FailedArray.__name__ = FailedArray.__qualname__ = "NDArray"  # the name that programs see


def _type_of(array: NDArray) -> TensorType:
    return TensorType(array.shape, dtype_name(array.dtype))


def raised_late(op: Operator, name: str) -> Callable[..., Any]:
    """Return an operator as a function that defers sampling errors until the result is read.

    Args:
        op: The operator.
        name: The name of the function.
    """
    function = array_function(op, name)
    if not op.name.startswith("_random_") or "rng" not in op.needs:
        return function

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (ArgumentError, DTypeError) as error:
            count = len(op.inputs)
            named = dict(zip(op.params, args[count:], strict=False)) | kwargs
            operands = [*args[:count], *(named.pop(name) for name in op.inputs if name in named)]
            return undrawn(op, operands, named, error)

    return called


def undrawn(
    op: Operator, inputs: Sequence[Any], named: Mapping[str, Any], error: HyError
) -> FailedArray:
    """Return a failed array of the shape and dtype that the sampler would have returned.

    Args:
        op: The sampler.
        inputs: Its operands.
        named: The parameters, and the options of the call.
        error: The sampler's error. It is raised at once if the type of the result is unknown, or
            a parameter of the distribution is not a number.
    """
    if len(inputs) < len(op.inputs) or not all(isinstance(x, NDArray) for x in inputs):
        raise error
    numbers = {k: x for k, x in named.items() if k not in _OPTIONS and x is not None}
    if not all(k in op.params and isinstance(x, int | float) for k, x in numbers.items()):
        raise error
    required = [k for k in op.params if k not in op.defaults]
    present = {k: x for k, x in named.items() if k in _OPTIONS and k in op.params}
    types = [_type_of(x) for x in inputs]
    try:
        # Ascending values for required parameters are valid where these are bounds.
        options = op.parse({k: i for i, k in enumerate(required)} | present)
        (types_out,) = types or op.infer([], options)
        ctx = str(named.get("ctx") or "")
        named_context = Context.parse(ctx) if ctx else None
        selected = sparse_device_of(inputs[0].context if inputs else named_context)
    except HyError:
        raise error from None
    assert types_out.dtype is not None
    failed = _Failed(tuple(n or 0 for n in types_out.shape or ()), np.dtype(types_out.dtype), error)
    return FailedArray.from_buffer(failed, selected)
