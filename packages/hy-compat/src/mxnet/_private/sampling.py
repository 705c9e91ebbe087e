"""Private functions of ``mxnet.ndarray.random`` and ``mxnet.symbol.random``."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray import NDArray, current_context
from hy_symbol import Symbol
from mxnet._private.errors import CheckError, ShapesError
from mxnet.base import _Null, numeric_types

_Function = Callable[..., Any]


def _random_helper(
    random: _Function,
    sampler: _Function,
    params: Sequence[Any],
    shape: Any,
    dtype: Any,
    ctx: Any = None,
    out: Any = None,
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Return draws from a distribution whose parameters are all numbers, or all arrays.

    Args:
        random: Operator for parameters that are numbers.
        sampler: Operator for parameters that are arrays.
        params: The parameters.
        shape: Shape of the result; for arrays, of the draws for each element.
        dtype: Dtype of the result.
        ctx: Context of the result, for numbers; in calls of MXNet's function for symbols (which has
            neither ``ctx`` nor ``out``), the keywords.
        out: Array for the result, if given.
        kwargs: Further arguments of the operator.

    Raises:
        CheckError: The parameters contain both arrays and numbers.
        ShapesError: The parameters are neither arrays nor numbers.
    """
    more = dict(kwargs or {})
    if isinstance(ctx, dict):
        more, ctx = ctx, None
    first = params[0]
    kind = next((k for k in (NDArray, Symbol) if isinstance(first, k)), None)
    if kind is not None:
        if not all(isinstance(param, kind) for param in params):
            raise CheckError(f"Distribution parameters must all have the same type: {params}")
        options = {} if kind is Symbol or out is None else {"out": out}
        return sampler(
            *params, shape=_or_default(shape), dtype=_or_default(dtype), **options, **more
        )
    if not all(isinstance(param, numeric_types) for param in params):
        raise ShapesError(
            f"Distribution parameters must be either arrays or numbers, not "
            f"{[type(param) for param in params]}"
        )
    if "ctx" not in more and ctx not in (None, _Null):
        more["ctx"] = str(ctx)
    elif ctx is None and out is None and "symbol" not in getattr(random, "__module__", ""):
        # Functions of symbols take no context: a graph draws where it is bound.
        more.setdefault("ctx", str(current_context()))
    if out is not None:
        more["out"] = out
    return random(*params, shape=_or_default(shape, ()), dtype=_or_default(dtype), **more)


def _or_default(value: Any, otherwise: Any = None) -> Any:
    return otherwise if value is _Null else value
