"""Calls of operators on arrays by MXNet's calling convention, with cached argument binding."""

from collections.abc import Iterable, Sequence
from itertools import chain, takewhile
from marshal import dumps
from typing import Any, TypeAlias

import numpy as np

from hy_ndarray import limits
from hy_ndarray._dtypes import BY_OBJECT, dtype_name
from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.core import _dispatch, _state
from hy_ndarray.core._array import Array
from hy_ndarray.core._bound_params import BoundParams
from hy_ndarray.core._checks import check_dense, check_known_sizes, leaves_nothing
from hy_ndarray.core._steps import written
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._kernels import StaleTableError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

Read: TypeAlias = tuple[BoundParams, tuple[None, ...], Context | None]
"""Bound arguments besides the inputs passed: parameters, None for each omitted input, and the
context of the result."""

# Keyed by the arguments serialized by marshal: bytes are hashable even for lists and dicts, and,
# unlike a tuple of values, distinguish 1 from True and 1.0, and 0.0 from -0.0.
_cached: dict[Any, Read | None] = {}
"""Bound arguments by operator and serialized arguments; None: not cacheable, bound in each call."""
# Marshal's version 2: later ones write references to objects they have seen, so that equal values
# could give different bytes.
_VERSION = 2
_NOTHING = dumps({}, _VERSION)
_OF_VALUES = 4  # length of the key of a call with all inputs by position
_MAX_CALLS = 4096
_MAX_KEY_BYTES = 1000
_VALUES = frozenset((bool, int, float, str, type(None), type, Context))
"""Classes of immutable arguments, whose binding can be cached."""
_DTYPE_CLASSES = (type, np.dtype)  # replaced by their names, which marshal takes
_OBJECTS = (type, Context)  # parts of the key themselves, as marshal refuses them


def call(  # noqa: C901, PLR0912  # in one frame, as calls are short
    op: Operator, args: Sequence[Any], kwargs: dict[str, Any], kind: type[Array] | None = None
) -> Any:
    """Call ``op`` on arrays, with inputs cast by the current mixed-precision policy.

    Args:
        op: The operator.
        args: Inputs, then parameters, ``out`` and ``name``, by position.
        kwargs: Inputs and parameters by name; ``out``, the array to write to; ``ctx``, the context
            of the result, for operators that create. ``name``, ``attr`` and ``__layout__`` are
            for symbols and have no effect.
        kind: Class of the result of an operator without inputs.
    """
    out = None
    if kwargs:
        out = kwargs.pop("out", None)
        # Dropped before the key is built: programs give each call a different name.
        kwargs.pop("name", None)
        # Dtypes by name, so that np.float32 and "float32" share one key.
        if "dtype" in kwargs and isinstance(kwargs["dtype"], _DTYPE_CLASSES):
            kwargs["dtype"] = BY_OBJECT.get(kwargs["dtype"], kwargs["dtype"])
    inputs, count = args, len(args)
    trailing: tuple[Any, ...] = ()
    if op.variadic:
        inputs = _any_number(op, args, kwargs)
        count = 0
    elif count > len(op.inputs):
        count = len(op.inputs)
        args, out = _without_target(op, args, out)
        inputs, trailing = args[:count], tuple(args[count:])
    key: Any = None
    try:
        # The key has the memory limit, which binding checks parameters against: a program may
        # change it.
        if trailing:
            named = dumps((trailing, kwargs), _VERSION)
        else:
            named = dumps(kwargs, _VERSION) if kwargs else _NOTHING
        key = op, count, limits.most, named
        read = _cached[key]
    except KeyError:
        read = _bind_and_cache(key, op, count, trailing, kwargs)
    except ValueError:
        # marshal refuses arrays, classes and contexts.
        inputs, read = _of_objects(op, inputs, count, trailing, kwargs)
    params: Params
    if read is not None:
        params, left_out, context = read
        if left_out:
            inputs = (*inputs, *left_out)
    else:
        inputs, params, context = _bound_arguments(op, args, kwargs)
    if out is None:
        return _dispatch.run(op, inputs, params, context, kind)
    # Optimizer steps, which loops repeat, before all other forms: one call less for each.
    is_one = isinstance(out, Array) and type(params) is BoundParams and params.shows_one
    if is_one and not _state.casts and written(op, inputs, params, out):
        return out
    return _into(out, op, inputs, params, context, kind, is_one)


def _any_number(op: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
    """Return the inputs of a variadic operator, which are passed separately or as one list."""
    inputs: Sequence[Any] = args
    if len(args) == 1 and isinstance(args[0], list | tuple):
        inputs = args[0]
    if not inputs and not kwargs:
        raise ArgumentError(f"{op.name}: needs at least one input array")
    return inputs


def _without_target(op: Operator, args: Sequence[Any], out: Any) -> tuple[Sequence[Any], Any]:
    """Split extra positional arguments off: return ``args`` up to the last parameter, and ``out``.

    Positional ``out`` and ``name`` may follow the parameters, as in MXNet.
    """
    max_args = len(op.inputs) + len(op.params)
    more = args[max_args:]
    if not more:
        return args, out
    targets = more[0] if isinstance(more[0], list | tuple) else more[:1]
    arrays = all(target is None or isinstance(target, Array) for target in targets)
    if len(more) > 2 or out is not None or not arrays:  # noqa: PLR2004 - out, name
        raise ArgumentError(
            f"{op.name}: {len(args)} positional arguments given; it takes at most {max_args}, then "
            "out (an array) and name"
        )
    return args[:max_args], more[0]


def _into(
    out: Any,
    op: Operator,
    inputs: Sequence[Any],
    params: Params,
    context: Context | None,
    kind: type[Array] | None,
    is_one: bool,
) -> Any:
    """Run ``op`` and write its results into ``out``, whose dtypes must match.

    Exceptions: ``_copyto`` casts, and so do sampling operators called without a dtype. With
    ``is_one`` the call is known not to overwrite its operands.

    Raises:
        ArgumentError: There are more or fewer arrays than results.
        DTypeError: A result has another dtype than its ``out`` array.
    """
    targets = out if isinstance(out, list | tuple) else [out]
    if len(targets) not in (op.num_visible(params), op.outputs_in_files(params)):
        raise ArgumentError(
            f"{op.name}: the number of arrays in out must be {op.num_visible(params)}, got "
            f"{len(targets)}"
        )
    is_open = "rng" in op.needs and "dtype" in op.params and params["dtype"] is None
    takes_any = is_open or op.name == "_copyto"
    if takes_any or not all(isinstance(x, Array) for x in (*inputs, *targets) if x is not None):
        return _dispatch.invoke(op, inputs, params, out=out, context=context, kind=kind, casts=True)
    if not is_one and not _state.casts and written(op, inputs, params, out):
        return out
    result = _dispatch.run(op, inputs, params, context, kind)
    results = result if isinstance(result, list) else [result]
    for target, value in zip(targets, results, strict=False):
        if target.dtype != value.dtype:
            dtype, own = dtype_name(value.dtype), dtype_name(target.dtype)
            raise DTypeError(
                f"{op.name}: the result is {dtype}, but out is {own}; pass an out of {dtype}, or "
                f"convert the result with astype('{own}')"
            )
    return _dispatch.store(result, out)


def _bound_arguments(
    op: Operator, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Sequence[Any], Params, Context | None]:
    """Bind the arguments of a call that cannot be cached; return inputs, parameters, context."""
    kwargs.pop("attr", None)
    kwargs.pop("__layout__", None)
    inputs, params, _, ctx = op.bind(args, kwargs)
    check_known_sizes(op, params)
    check_dense(op, inputs, params)
    return inputs, params, Context.parse(ctx) if ctx else None


def create(op: Operator, kwargs: dict[str, Any], kind: type[Array], ctx: Any = None) -> Any:
    """Call an operator without inputs that creates one array; see :func:`call`."""
    if "out" not in kwargs and not _state.casts and (ctx is None or ctx.__class__ is Context):
        key: Any = None
        try:
            key = op, 0, limits.most, dumps(kwargs, _VERSION)
            read = _cached[key]
        except KeyError:
            read = _bind_and_cache(key, op, 0, (), kwargs)
        except ValueError:
            read = _of_objects(op, (), 0, (), kwargs)[1]
        if read is not None:
            try:
                return _dispatch.created_array(op, read[0], ctx or read[2], kind)
            except StaleTableError:
                # Another thread has selected another table meanwhile: call() asks for it.
                pass
    if ctx is not None:
        kwargs["ctx"] = ctx
    return call(op, (), kwargs, kind)


def _of_objects(
    op: Operator,
    inputs: Sequence[Any],
    count: int,
    trailing: tuple[Any, ...],
    keywords: dict[str, Any],
) -> tuple[Sequence[Any], Read | None]:
    """Return inputs and bound arguments of a call with arguments that marshal refuses.

    Args:
        op: The operator.
        inputs: The inputs by position.
        count: The number of inputs by position; 0 for a variadic operator.
        trailing: The positional arguments after all inputs.
        keywords: The keyword arguments.
    """
    names = () if op.variadic else op.inputs[count:]
    by_name: dict[str, Any] = {}
    objects: list[Any] = []
    others: dict[Any, Any] = {}
    for name, value in chain(enumerate(trailing), keywords.items()):
        if name in names:
            by_name[name] = value
        elif value.__class__ in _OBJECTS:
            objects += name, value
        else:
            others[name] = value
    key: Any = None
    try:
        key = op, count, limits.most, dumps(others, _VERSION), bool(by_name), *objects
        read = _cached[key]
    except KeyError:
        rest = {name: value for name, value in keywords.items() if name not in by_name}
        read = _bind_and_cache(key, op, count, trailing, rest)
    except ValueError:
        read = None
    if read is None:
        return inputs, None
    params, left_out, context = read
    more = [by_name.get(name) for name in names] if by_name else left_out
    return (*inputs, *more), (params, (), context)


def _bind_and_cache(
    key: Any, op: Operator, count: int, trailing: tuple[Any, ...], keywords: dict[str, Any]
) -> Read | None:
    """Bind the arguments of a call that is not in the cache yet, and cache them."""
    read = _read_now(op, count, trailing, keywords)
    if read is not None and len(key) == _OF_VALUES:
        missing = op.missing(count, read[0])
        if missing is not None:
            raise ArgumentError(f"{op.name}: input {missing} is missing")
    if len(key[3]) <= _MAX_KEY_BYTES:
        # Cleared as a whole: LRU bookkeeping would slow every call, and programs repeat few.
        if len(_cached) >= _MAX_CALLS:
            _cached.clear()
        _cached[key] = read
    return read


def _read_now(
    op: Operator, count: int, trailing: tuple[Any, ...], keywords: dict[str, Any]
) -> Read | None:
    """Return the bound arguments; None if a keyword is no parameter or a value is mutable."""
    named = dict(zip(op.params, trailing, strict=False))
    if len(named) < len(trailing) or not named.keys().isdisjoint(keywords):
        return None
    named.update(keywords)
    if not named.keys() <= op.params.keys() or not _are_values(named.values()):
        return None
    ctx = None if op.ctx is None else named.get(op.ctx)
    params = BoundParams(op, op.parse(named))
    if leaves_nothing(op, params):
        # Whether that is an error depends on np_shape, which may change: checked in each call.
        return None
    missing = 0 if op.variadic else len(op.inputs) - count
    if missing:
        pairs = zip(op.inputs, op.active_inputs(params), strict=False)
        if count > len(list(takewhile(lambda pair: pair[0] == pair[1], pairs))):
            return None  # the inputs left out are not the last ones
    return params, (None,) * missing, Context.parse(str(ctx)) if ctx else None


def _are_values(values: Iterable[Any]) -> bool:
    for value in values:
        if value.__class__ is tuple:
            if not _are_values(value):
                return False
        elif value.__class__ not in _VALUES:
            return False
    return True
