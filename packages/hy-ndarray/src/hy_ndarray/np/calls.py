"""Calls of NumPy operators on arrays or symbols, shared by the functions of ``np``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import index
from typing import Any, Protocol, TypeVar, cast, overload

import numpy as onp

from hy_ndarray import namespaces
from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import (
    ArgumentError,
    DTypeError,
    HyError,
    KernelError,
    OperandError,
    UnsupportedError,
)
from hy_ndarray.foreign import kind_of
from hy_ndarray.ops import Operator, find, is_operand

__all__ = [
    "A",
    "Number",
    "NumpyOperand",
    "binary",
    "call",
    "call_on",
    "check_options",
    "dtype_or_float32",
    "is_number",
    "is_operand",
    "is_python_number",
    "of_two",
    "sizes_of",
    "unary",
]

Number = int | float | onp.number | onp.bool_

# A tuple: ``list | tuple`` would build a union in each call.
_LISTS = (list, tuple)
_OPTIONS: Mapping[str, tuple[Any, ...]] = {
    "where": (True,),
    "casting": ("same_kind", "unsafe"),
    "order": ("K", "C"),
    "dtype": (None,),
    "subok": (True,),
}
"""Options of numpy's functions, and for each the values that have no effect, which are accepted."""


class NumpyOperand:
    """Base class of operands of ``np``'s functions: arrays or symbols with NumPy's semantics."""

    __slots__ = ()


A = TypeVar("A", bound=NumpyOperand)
"""An array, or a symbol."""


class Unary(Protocol):
    """Protocol of functions of one operand, or of a number."""

    @overload
    def __call__(self, x: A, out: Any = None, **kwargs: Any) -> A: ...
    @overload
    def __call__(self, x: float, out: Any = None, **kwargs: Any) -> float: ...


class Binary(Protocol):
    """Protocol of functions of two operands, of an operand and a number, or of two numbers."""

    @overload
    def __call__(self, x1: A, x2: Any, out: Any = None, **kwargs: Any) -> A: ...
    @overload
    def __call__(self, x1: Any, x2: A, out: Any = None, **kwargs: Any) -> A: ...
    @overload
    def __call__(self, x1: float, x2: float, out: Any = None, **kwargs: Any) -> Any: ...


class Comparison(Protocol):
    """Protocol of comparisons of two operands, or of two numbers."""

    @overload
    def __call__(self, x1: A, x2: Any, out: Any = None) -> A: ...
    @overload
    def __call__(self, x1: Any, x2: A, out: Any = None) -> A: ...
    @overload
    def __call__(self, x1: float, x2: float, out: Any = None) -> onp.bool_: ...


def of_two(function: Callable[..., Any]) -> Binary:
    """Return the function unchanged, typed as :class:`Binary` for type checkers."""
    return cast("Binary", function)


def dtype_or_float32(dtype: Any) -> str:
    """Return the name of a dtype, ``"float32"`` for None."""
    return "float32" if dtype is None else dtype_name(dtype)


def is_number(value: Any) -> bool:
    """Return whether ``value`` is a Python or numpy number, or a numpy array without axes."""
    return isinstance(value, Number) or (isinstance(value, onp.ndarray) and value.ndim == 0)


def sizes_of(shape: Any) -> Any:
    """Return sizes as a tuple of integers; a string is passed on for the operator to parse.

    Raises:
        ArgumentError: A size is not an integer.
    """
    if isinstance(shape, str):
        return shape
    try:
        return (index(shape),) if is_number(shape) else tuple(map(index, shape))
    except (TypeError, ValueError):
        raise ArgumentError(
            f"sizes must be an integer or a tuple of integers, got {shape!r}"
        ) from None


def check_options(function: str, options: Mapping[str, Any]) -> None:
    """Raise an error for numpy options that would change the result.

    Raises:
        ArgumentError: An option is unknown.
        UnsupportedError: An option has a value that would change the result.
    """
    for name, value in options.items():
        allowed = _OPTIONS.get(name)
        if allowed is None:
            raise ArgumentError(f"{function}: unknown argument {name!r}")
        if value not in allowed:
            raise UnsupportedError(f"{function}: {name}={value!r} is not supported; leave it out")


@overload
def call(name: str, x: A, /, *inputs: Any, out: Any = None, **params: Any) -> A: ...


@overload
def call(name: str, /, *inputs: Any, out: Any = None, **params: Any) -> Any: ...


def call(name: str, /, *inputs: Any, out: Any = None, **params: Any) -> Any:
    """Call operator ``name``: it runs on arrays, or adds a node on symbols.

    Args:
        name: Name or alias of an operator; nodes of ``_npi_sin`` are called ``sin0``, ``sin1``, …
        inputs: One operand per input, None for omitted ones; or one list for a variadic operator.
        out: Array to write to.
        params: Parameters of the operator; omitted ones get their defaults.

    Raises:
        OperandError: No operand is an array or symbol of ``np``.
    """
    if out is not None:
        params["out"] = out
    for x in inputs:
        first = x[0] if isinstance(x, _LISTS) and x else x
        if isinstance(first, NumpyOperand):
            return call_on(type(first), name, inputs, params)
    shown = _record(name)[1]
    kinds = ", ".join(map(kind_of, inputs))
    raise OperandError(
        f"{shown}: operands must be arrays of mx.np, got {kinds}; create them with np.array(...), "
        "or from an NDArray with as_np_ndarray()"
    )


def call_on(kind: Any, name: str, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
    """Call an operator by the class of its operands; also without operands. See :func:`call`.

    Args:
        kind: The class of the operands, an :class:`hy_ndarray.Operand`.
        name: Name or alias of the operator.
        inputs: As for :func:`call`.
        params: Parameters by name, and options of the call.
    """
    op, numpy_name = _record(name)
    return kind.call_operator(op, numpy_name, inputs, params)


@cache
def _record(name: str) -> tuple[Operator, str]:
    """Return an operator's record, and its name without a prefix such as ``_npi_``."""
    prefix = next((p for p in ("_npi_", "_npx_", "_np_") if name.startswith(p)), "")
    return find(name), name.removeprefix(prefix)


def unary(name: str, x: Any, out: Any, options: Mapping[str, Any]) -> Any:
    """Apply ``name`` to an operand, by operator ``_npi_<name>``, or to a number, by numpy."""
    if options:
        check_options(name, options)
    if not isinstance(x, NumpyOperand) and is_number(x):
        return getattr(onp, name)(x)
    try:
        return call(f"_npi_{name}", x, out=out)
    except HyError as error:
        return by_standard(name, (x,), out, error)


def binary(
    name: str,
    x1: Any,
    x2: Any,
    out: Any = None,
    *,
    reversed_name: str = "",
    numbers: Callable[[Any, Any], Any] | None = None,
) -> Any:
    """Apply the function ``name`` to two operands: arrays, numbers, or one of each.

    Args:
        name: Name of the operators ``_npi_<name>`` and ``_npi_<name>_scalar``.
        x1: An operand or a number.
        x2: An operand or a number.
        out: Array to write to.
        reversed_name: Name for a number as first operand, such as ``rsubtract``; ``name`` if empty.
        numbers: The function for two numbers; numpy's of the same name if None.

    Raises:
        ArgumentError: An operand is neither an array nor a number.
    """
    first, second = is_operand(x1), is_operand(x2)
    try:
        if first and second:
            return call(f"_npi_{name}", x1, x2, out=out)
        for x, operand in ((x1, first), (x2, second)):
            if not (operand or is_number(x)):
                raise ArgumentError(
                    f"{name}: operands must be arrays of mx.np or numbers, got {kind_of(x)}; use "
                    "np.array(...)"
                )
        # Parameters of operators are floats, in which not every Python integer is exact.
        if first:
            number = scalar(x2) if x2.__class__ is not int else _integer(x2, x1)
            return call(f"_npi_{name}_scalar", x1, out=out, **number)
        if second:
            number = scalar(x1) if x1.__class__ is not int else _integer(x1, x2)
            return call(f"_npi_{reversed_name or name}_scalar", x2, out=out, **number)
    except HyError as error:
        return by_standard(name, (x1, x2), out, error)
    return (numbers or getattr(onp, name))(x1, x2)


def by_standard(name: str, operands: Sequence[Any], out: Any, error: HyError) -> Any:
    """Call the Array API function ``name`` on operands that an operator has refused.

    It also supports dtypes that MXNet lacks, mixed dtypes, and complex numbers.

    Args:
        name: Numpy's name of the function.
        operands: The operands of the call.
        out: Array to write to.
        error: The operator's error, which is raised again if this function fails, too.
    """
    refused = isinstance(error, ArgumentError | DTypeError | KernelError) and out is None
    if not refused or not all(hasattr(x, "buffer") or is_python_number(x) for x in operands):
        raise error
    try:
        return namespaces.extension("np", "by_standard")(name, *operands)
    except HyError:
        raise error from None


def is_python_number(value: Any) -> bool:
    """Return whether a value is a Python number, complex ones included."""
    return is_number(value) or isinstance(value, complex)


def scalar(value: Any) -> dict[str, Any]:
    """Return the parameters of a scalar operator for a number: ``scalar`` and ``is_int``."""
    whole = isinstance(value, int | onp.integer | onp.bool_) or (
        isinstance(value, onp.ndarray) and value.dtype.kind in "biu"
    )
    return {"scalar": float(value), "is_int": whole}


def _integer(value: int, operand: Any) -> dict[str, Any]:
    """Return the parameters of a scalar operator for an integer, as :func:`scalar`.

    Raises:
        ArgumentError: The operand is an array, and the integer is not exact as a float, which
            operator parameters are.
    """
    number = float(value)
    if number != value and hasattr(operand, "buffer"):
        raise ArgumentError(
            f"{value} cannot be represented exactly as a float; convert it with np.array(..., "
            "dtype='int64')"
        )
    return {"scalar": number, "is_int": True}


def operands(values: Iterable[Any], function: str) -> list[Any]:
    """Return the operands that are the items of a list or another iterable: an array has its rows.

    Raises:
        ArgumentError: ``values`` has no items.
    """
    try:
        items = list(values)
    except TypeError:  # a number, or an array without axes
        items = []
    if not items:
        raise ArgumentError(f"{function}: needs a list or another iterable of at least one array")
    return items
