"""Private functions of ``mxnet.numpy`` and ``mxnet.symbol.numpy``."""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray import current_context, np as mx_np
from hy_symbol import Symbol, load as load_symbol, load_json as load_symbol_json
from mxnet._private.absent import Handle
from mxnet._private.arrays import _as_mx_np_array, _as_onp_array, _np_ndarray_cls
from mxnet._private.errors import OperandError, ShapesError
from mxnet.base import numeric_types

__all__ = ["_as_mx_np_array", "_as_onp_array", "_np_ndarray_cls"]


def _new_alloc_handle(shape: Any, ctx: Any, delay_alloc: bool, dtype: Any = np.float32) -> Handle:
    """Return the handle of a new uninitialized array of ``mx.np``."""
    del delay_alloc
    return Handle(mx_np.empty(shape, dtype=dtype, ctx=ctx or current_context()))


def _reshape_view(a: Any, *shape: Any) -> Any:
    """Return a view of an array in another shape."""
    return a.reshape(*shape)


def _broadcast_shape(*args: Any) -> tuple[int, ...]:
    """Return the shape that arrays broadcast to.

    Raises:
        ShapesError: The shapes cannot be broadcast.
    """
    shapes = [tuple(array.shape) for array in args]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapesError(f"{shapes} cannot be broadcast to a single shape") from None


def _get_np_op(name: str) -> Any:
    """Return the numpy function of that name, from the main module or a submodule.

    Raises:
        ShapesError: There is no such function.
    """
    # The main module first: others, such as `norm`, exist in submodules only.
    for module in (np, np.linalg, np.random, np.fft):
        if hasattr(module, name):
            return getattr(module, name)
    raise ShapesError(f"Operator `{name}` is not supported by `mxnet.numpy`: NumPy has none")


def _unary_func_helper(
    x: Any,
    fn_array: Callable[..., Any],
    fn_scalar: Callable[..., Any],
    out: Any = None,
    **kwargs: Any,
) -> Any:
    """Return the result of the function for the type of an operand: number, array or symbol.

    Raises:
        OperandError: The operand is of another type.
    """
    if isinstance(x, numeric_types):
        return fn_scalar(x, **kwargs)
    if isinstance(x, Symbol | mx_np.ndarray):
        return fn_array(x, out=out, **kwargs)
    raise OperandError(f"type {type(x)} not supported")


def _ufunc_helper(
    lhs: Any,
    rhs: Any,
    fn_array: Callable[..., Any],
    fn_scalar: Callable[..., Any],
    lfn_scalar: Callable[..., Any],
    rfn_scalar: Callable[..., Any] | None = None,
    out: Any = None,
) -> Any:
    """Return the result of the function for the types of two operands; also for symbols."""
    kinds = Symbol | mx_np.ndarray
    if isinstance(lhs, numeric_types):
        if isinstance(rhs, numeric_types):
            return fn_scalar(lhs, rhs, out=out)
        if isinstance(rhs, kinds):
            # Commutative operators have no function of their own for a number on the left.
            return (rfn_scalar or lfn_scalar)(rhs, float(lhs), out=out)
    elif isinstance(lhs, kinds):
        if isinstance(rhs, numeric_types):
            return lfn_scalar(lhs, float(rhs), out=out)
        if isinstance(rhs, kinds):
            return fn_array(lhs, rhs, out=out)
    raise OperandError(f"types {type(lhs)} and {type(rhs)} not supported")


def load(fname: str) -> Any:
    """Return a symbol of the NumPy interface, loaded from a file."""
    return load_symbol(fname).as_np_ndarray()


def load_json(json_str: str) -> Any:
    """Return a symbol of the NumPy interface, loaded from JSON."""
    return load_symbol_json(json_str).as_np_ndarray()


def expired(name: str) -> Callable[..., Any]:
    """Return a function that raises an error: numpy has removed the function ``name``."""

    def function(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"NumPy has removed {name}, so that mx.np.{name} has nothing to call; numpy-financial "
            "has it"
        )

    function.__name__ = function.__qualname__ = name
    return function


mirr, npv, pmt, ppmt, pv, rate = map(expired, ("mirr", "npv", "pmt", "ppmt", "pv", "rate"))
