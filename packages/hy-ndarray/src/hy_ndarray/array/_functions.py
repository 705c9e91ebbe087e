"""Operators as functions on arrays."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core import _dispatch
from hy_ndarray.core._bound_params import BoundParams
from hy_ndarray.core._calls import call
from hy_ndarray.core._checks import check_dense
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator, find
from hy_ndarray.ops.record.descriptions import documentation


def array_function(op: Operator, name: str) -> Callable[..., Any]:
    """Return ``op`` as a Python function on arrays, as in ``nd``.

    It takes inputs and parameters positionally or by keyword, ``out=``, the array to write to, and
    ``ctx=``, the context, for operators that create arrays. ``name=``, ``attr=`` and
    ``__layout__=`` are for symbols and have no effect.
    """
    is_simple = op.ctx is None and len(op.defaults) == len(op.params)
    is_list = is_simple and op.variadic
    optional = _missing_inputs(op) if is_simple and not op.variadic else {}
    # Bound lazily in the first call: a program uses few of the hundreds of functions.
    defaults: BoundParams | None = None

    def function(*args: Any, **kwargs: Any) -> Any:
        nonlocal defaults
        # Fast path for calls with arrays only, whose arguments need no binding.
        if not kwargs:
            rest = optional.get(len(args))
            if rest is not None or (is_list and args and isinstance(args[0], NDArray)):
                if defaults is None:
                    defaults = BoundParams(op, op.defaults)
                return _dispatch.run(op, args + rest if rest else args, defaults)
        return call(op, args, kwargs, NDArray)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "hy_ndarray.nd"
    function.__doc__ = documentation(op.doc, op.params)
    return function


def _missing_inputs(op: Operator) -> dict[int, tuple[None, ...]]:
    """Return, by the number of inputs passed, the None values for omitted trailing inputs."""
    count, names = len(op.inputs), op.active_inputs(op.defaults)
    return {
        n: (None,) * (count - n)
        for n in range(1, count + 1)
        if n == count or (names[:n] == op.inputs[:n] and op.missing(n, op.defaults) is None)
    }


@cache
def function_named(name: str) -> Callable[..., Any]:
    """Return the operator ``name`` as a function on arrays."""
    return array_function(find(name), name)


def invoke(
    op: Operator,
    inputs: Sequence[NDArray | None],
    params: Params,
    *,
    out: Any = None,
    context: Context | None = None,
    is_train: bool | None = None,
) -> Any:
    """Run ``op`` on arrays, without mixed-precision casts.

    Args:
        op: The operator.
        inputs: One array per input, ``None`` for omitted ones.
        params: All parameters in Python form.
        out: Array, or arrays, to hold the visible outputs.
        context: Context of the output of an operator without inputs; the current one if None.
        is_train: Training mode; the mode of the autograd scope if None.

    Returns:
        An array, or a list of arrays if the operator has several visible outputs.

    Raises:
        ShapeError, DTypeError: The inputs break the operator's type rule.
        ContextError: The inputs are on different devices.
        KernelError: No table has a kernel, or the kernel failed.
    """
    check_dense(op, inputs, params)
    return _dispatch.invoke(
        op, inputs, params, out=out, context=context, is_train=is_train, kind=NDArray
    )


def all_outputs(
    op: Operator,
    inputs: Sequence[NDArray | None],
    params: Params,
    context: Context | None = None,
    is_train: bool | None = None,
) -> tuple[NDArray, ...]:
    """Run ``op`` on operands that its type rule accepts; hidden outputs follow the visible ones.

    As :func:`invoke`, but for nodes of graphs, whose types are inferred: it does not check them.
    """
    return _dispatch.all_outputs(op, inputs, params, context, is_train, NDArray)
