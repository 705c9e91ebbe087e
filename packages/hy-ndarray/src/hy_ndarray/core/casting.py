"""Casting: policies that select the dtype in which operators compute (mixed precision).

A policy applies to operators that a program calls, on arrays and on symbols; not to operators in
gradient formulas, nor to the steps of existing graphs.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from hy_ndarray._dtypes import FLOATING, dtype_name
from hy_ndarray._errors import DTypeError, HyError
from hy_ndarray.core import _state
from hy_ndarray.core._array import Array
from hy_ndarray.core._policy import Casting, CastingPolicy
from hy_ndarray.core._state import casting_policy
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator, OperatorFunction, TensorType, find
from hy_ndarray.ops.elementwise.casting import amp_cast, amp_multicast

__all__ = [
    "Casting",
    "CastingPolicy",
    "cast_inputs",
    "cast_states",
    "casting_policy",
    "casting_scope",
    "demands_one_dtype",
    "set_casting_policy",
    "without_casting",
]


def set_casting_policy(policy: CastingPolicy | None) -> CastingPolicy | None:
    """Set the casting policy of the process, or None; return the previous one.

    Args:
        policy: Called for each operator call of threads that are in no :func:`casting_scope`.

    Example:
        >>> from hy_ndarray import nd
        >>> class Half:
        ...     def casting(self, op, inputs, params):
        ...         return Casting("float16") if op.name == "FullyConnected" else None
        ...     def gradient_scale(self, op, *, traced):
        ...         return 1.0
        >>> before = set_casting_policy(Half())
        >>> nd.FullyConnected(nd.ones((1, 2)), nd.ones((3, 2)), num_hidden=3, no_bias=True).dtype
        <class 'numpy.float16'>
        >>> _ = set_casting_policy(before)
    """
    return _state.set_policy(policy)


@contextmanager
def casting_scope(policy: CastingPolicy | None) -> Iterator[None]:
    """Enter a scope in which a casting policy, or none, is in force for this thread.

    Args:
        policy: As for :func:`set_casting_policy`.
    """
    _state.enter_policy(policy)
    try:
        yield
    finally:
        _state.leave_policy()


@contextmanager
def without_casting() -> Iterator[None]:
    """Enter a scope in which no casting policy is in force for this thread."""
    before = _state.scope.uncast
    _state.scope.uncast = True
    try:
        yield
    finally:
        _state.scope.uncast = before


def cast_inputs(op: Operator, inputs: Sequence[Any], params: Params) -> Sequence[Any]:
    """Return the inputs of ``op`` cast by the current casting policy.

    Casts are operators: they are recorded, become graph nodes, and have gradients. Arrays that
    have the dtype already are not cast; symbols, whose dtype is unknown, always are.

    Args:
        op: The operator.
        inputs: Arrays or symbols, None for omitted ones.
        params: All parameters in Python form.
    """
    policy = casting_policy()
    if policy is None or _state.scope.uncast:
        return inputs
    traced = not all(x is None or isinstance(x, Array) for x in inputs)
    casting = policy.casting(op, inputs, params)
    if casting is not None and not (traced and casting.if_differing and not _differ(inputs)):
        positions = [
            i
            for i, x in enumerate(inputs)
            if x is not None and (op.variadic or op.inputs[i] not in casting.unchanged)
        ]
        cast_arrays = [inputs[i] for i in positions]
        cast = (
            _symbols_cast(cast_arrays, casting.dtype)
            if traced
            else _arrays_cast(cast_arrays, casting.dtype)
        )
        inputs = list(inputs)
        for i, x in zip(positions, cast, strict=True):
            inputs[i] = x
    if op.ignores_head_grad and inputs and not params.get("out_grad", False):
        scale = policy.gradient_scale(op, traced=traced)
        if scale != 1:
            scaled = OperatorFunction(find("_contrib_gradientmultiplier"))(inputs[0], scalar=scale)
            inputs = [scaled, *inputs[1:]]
    return inputs


def cast_states(states: Sequence[Any]) -> list[Any]:
    """Return a loop's states cast to float32 while a policy is in force, else unchanged.

    Args:
        states: Arrays or symbols.
    """
    if casting_policy() is None or _state.scope.uncast:
        return list(states)
    if all(isinstance(x, Array) for x in states):
        return _arrays_cast(states, "float32")
    return _symbols_cast(states, "float32")


def demands_one_dtype(op: Operator, inputs: Sequence[Any], params: Params) -> bool:
    """Return whether an operator's type rule refuses inputs of different floating dtypes.

    Args:
        op: The operator.
        inputs: As for :meth:`CastingPolicy.casting`.
        params: All parameters in Python form.

    Example:
        >>> add = find("broadcast_add")
        >>> demands_one_dtype(add, ["a", "b"], add.defaults)
        True
    """
    dtypes = iter(("float16", *["float32"] * len(inputs)))
    types = [None if x is None else TensorType(None, next(dtypes)) for x in inputs]
    try:
        op.infer(types, params)
    except DTypeError:
        return True
    return False


def _differ(symbols: Sequence[Any]) -> bool:
    """Return whether symbols are known to have different floating dtypes."""
    known = set()
    for x in symbols:
        # Symbols have no dtype; those that hybrid blocks trace have one.
        with suppress(AttributeError, HyError):
            known.add(dtype_name(x.dtype))
    return len(known.intersection(FLOATING)) > 1


def _arrays_cast(arrays: Sequence[Any], dtype: str | None) -> list[Any]:
    names = [dtype_name(x.dtype) for x in arrays]
    if dtype is None:
        # FLOATING lists the dtypes from the widest.
        dtype = next((name for name in FLOATING if name in names), None)
    return [
        amp_cast(x, dtype=dtype) if name in FLOATING and name != dtype else x
        for x, name in zip(arrays, names, strict=True)
    ]


def _symbols_cast(symbols: Sequence[Any], dtype: str | None) -> list[Any]:
    if dtype is not None:
        return [amp_cast(x, dtype=dtype) for x in symbols]
    if len(symbols) < 2:  # noqa: PLR2004  # one is its own widest
        return list(symbols)
    return list(amp_multicast(*symbols, num_outputs=len(symbols)))
