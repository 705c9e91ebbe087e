"""Calls of operators on the arrays below a level, for the rules of transforms."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias, TypeVar

from hy_ndarray.array._reshaping import view_as
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core import _dispatch, _state
from hy_ndarray.core._array import Array
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._protocols import Params
from hy_ndarray.np.multiarray import ndarray
from hy_ndarray.ops import Operator, find
from hy_ndarray.random import before_draws

_Rule = TypeVar("_Rule")
Inner: TypeAlias = Array
"""Array of the level below, as an ``np.ndarray``, which may have no axes."""


def registering(rules: dict[str, _Rule]) -> Callable[..., Callable[[_Rule], _Rule]]:
    """Return a decorator ``rule(*names)`` that registers the rule of operators."""

    def rule(*names: str) -> Callable[[_Rule], _Rule]:
        def enter(function: _Rule) -> _Rule:
            for name in names:
                assert name not in rules, f"{name} has two rules"
                rules[name] = function
            return function

        return enter

    return rule


def below(array: Array) -> Inner:
    """Return the array as an ``np.ndarray`` on the same memory, with the same tape entry."""
    if array.__class__ is ndarray:
        return array
    result = ndarray.from_buffer(array._data, array._device)
    result._entry = array._entry
    return result


def in_class_of(like: NDArray, array: Inner) -> NDArray:
    """Return ``array`` in the class of ``like``, on the same memory, with the same tape entry."""
    result = type(like).from_buffer(array._data, array._device)
    result._entry = array._entry
    return result


def apply(name: str, *inputs: Inner | None, **params: Any) -> Any:
    """Call operator ``name`` with parameters as Python values; omitted ones get their defaults."""
    op = find(name)
    supplied = {**op.defaults, **params} if params else op.defaults
    if op.ctx is not None:
        supplied = {key: value for key, value in supplied.items() if key != op.ctx}
    return _dispatch.invoke(op, inputs, supplied, kind=ndarray)


def repeated(array: Inner, size: int) -> Inner:
    """Return an array broadcast along a new leading axis of ``size`` samples."""
    result: Inner = apply("_npi_broadcast_to", array, shape=(size, *array.shape))
    return result


def reshaped(array: Inner, shape: Sequence[int]) -> Inner:
    """Return an array of another shape on the same memory; one size may be -1."""
    # Not by operator Reshape, which would copy. Callers must not write to the result, as it may
    # be ``array`` itself.
    sizes = tuple(shape)
    if array._data.shape == sizes:
        return array
    if -1 in sizes:
        known = -prod(sizes)
        sizes = tuple([array.size // known if n == -1 else n for n in sizes])
    return view_as(array, sizes)


def drawn_seed(context: Context) -> int:
    """Return a seed drawn from a context's random generator, outside of all transforms."""
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
    """Return all outputs of a call, followed by the new values of the inputs that it updates."""
    if op.plain:
        return (_dispatch.invoke(op, inputs, params, is_train=is_train, kind=ndarray),)
    training = _state.scope.training if is_train is None else is_train
    changed = op.updated(params, training)
    supplied = list(inputs)
    # As kernels do, this returns new values, which dispatch writes to the level's arrays; the
    # arrays below must not change.
    for i in changed:
        supplied[i] = apply("_copy", supplied[i])
    numbers = _dispatch.all_outputs(op, supplied, params, is_train=is_train, kind=ndarray)
    new = tuple(x for i in changed if (x := supplied[i]) is not None)
    return (*numbers, *new)
