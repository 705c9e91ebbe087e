"""Calls of operators on the arrays below a level, for rules."""

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

from hy_ndarray.array._reshaping import view_as
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core import _dispatch, _state
from hy_ndarray.core._array import Array
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._protocols import Params
from hy_ndarray.np.multiarray import ndarray
from hy_ndarray.ops import Operator, find
from hy_ndarray.random import before_draws

__all__ = [
    "Inner",
    "apply",
    "below",
    "drawn_seed",
    "in_class_of",
    "outputs_of",
    "repeated",
    "reshaped",
]

Inner: TypeAlias = Array
"""An array below a level, of numpy's class: it may have no axes."""


def below(array: Array) -> Inner:
    """Return the same array as a np ``ndarray``, with the same node on the tape."""
    if array.__class__ is ndarray:
        return array
    result = ndarray.from_buffer(array._data, array._device)
    result._entry = array._entry
    return result


def in_class_of(like: NDArray, array: Inner) -> NDArray:
    """Return the same array in the class of another one, with the same node on the tape."""
    result = type(like).from_buffer(array._data, array._device)
    result._entry = array._entry
    return result


def apply(name: str, *inputs: Inner | None, **params: Any) -> Any:
    """Return the result of an operator, with its parameters in Python form."""
    op = find(name)
    supplied = {**op.defaults, **params} if params else op.defaults
    if op.ctx is not None:
        supplied = {key: value for key, value in supplied.items() if key != op.ctx}
    return _dispatch.invoke(op, inputs, supplied, kind=ndarray)


def repeated(array: Inner, size: int) -> Inner:
    """Return an array that all samples share with an axis of ``size`` samples in front."""
    result: Inner = apply("_npi_broadcast_to", array, shape=(size, *array.shape))
    return result


def reshaped(array: Inner, shape: Sequence[int]) -> Inner:
    """Return an array on the same memory in another shape, of which one size may be -1."""
    # Not operator Reshape, which would copy; the result may be read only, as it may be ``array``.
    sizes = tuple(shape)
    if array._data.shape == sizes:
        return array
    if -1 in sizes:
        known = -prod(sizes)
        sizes = tuple([array.size // known if n == -1 else n for n in sizes])
    return view_as(array, sizes)


def drawn_seed(context: Context) -> int:
    """Return a seed drawn from the generator of a context, outside of all transforms."""
    token = before_draws.set(None)
    try:
        with context:
            numbers = apply("_random_randint", low=0, high=2**31 - 1, shape=(1,), dtype="int32")
    finally:
        before_draws.reset(token)
    return int(numbers.asnumpy()[0])


def outputs_of(
    op: Operator, inputs: Sequence[Inner | None], params: Params, is_train: bool | None = None
) -> tuple[Inner, ...]:
    """Return all outputs of a call, then the new values of the inputs that it overwrites."""
    if op.plain:
        return (_dispatch.invoke(op, inputs, params, is_train=is_train, kind=ndarray),)
    training = _state.scope.training if is_train is None else is_train
    changed = op.updated(params, training)
    supplied = list(inputs)
    # Kernels return new values, and the caller writes them to the level's arrays; those below stay.
    for i in changed:
        supplied[i] = apply("_copy", supplied[i])
    numbers = _dispatch.all_outputs(op, supplied, params, is_train=is_train, kind=ndarray)
    new = tuple(x for i in changed if (x := supplied[i]) is not None)
    return (*numbers, *new)
