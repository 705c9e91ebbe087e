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
    """Draw from a distribution whose parameters are all numbers, or all arrays.

    Args:
        random: The operator for numbers.
        sampler: The one for arrays.
        params: The parameters.
        shape: Of the result, or of what is drawn for each entry of the arrays.
        dtype: Dtype of the result.
        ctx: Where it is, of numbers; the keywords where MXNet's for symbols are called, which has
            neither this nor ``out``.
        out: Written to, if given.
        kwargs: Handed on.

    Raises:
        CheckError: Arrays and numbers are among the parameters.
        ShapesError: They are neither.
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
