"""Type promotion of pointwise operators: the dtypes they compute in, and that of their result.

Floats are computed in their own dtype, 16-bit ones in float32. Integers are computed as integers
where the numpy table does so, else in float64 with a truncated result. Booleans are computed as
int8; any nonzero result is true.
"""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, isnan
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch

from hy_kernels.torch._dtypes import NAMES, accumulator, torch_type
from hy_kernels.torch._tensor import fitting

DType: TypeAlias = torch.dtype
Params: TypeAlias = Mapping[str, Any]


class Numbers(NamedTuple):
    """Dtype of an operator's result, and the types it computes in."""

    result: DType
    computed: tuple[str, ...] = ()
    """Names of the types that the operands are converted to first; empty: no conversion."""
    function: str = ""
    """Name of the device function, if it is not that of the operator."""


_COMPUTE_DTYPES = {torch.float16: "float32", torch.bfloat16: "float32", torch.bool: "int8"}
_DECIMALS = 300
"""Largest number of decimals: float64 represents ``10 ** 300``."""
_UNSIGNED_AND_SIGNED = torch.int16
"""The dtype that int8 and uint8 promote to; no kernel returns it."""


def compute_type(dtype: DType) -> str:
    """Return the name of the type that values of a dtype are computed in."""
    return _COMPUTE_DTYPES.get(dtype, NAMES.get(dtype, "int16"))


def numbers(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return a kernel's dtypes for operands of ``dtypes``; None if Triton does not support them."""
    return _RULES.get(name, _same_dtype)(name, dtypes, params)


def _is_integer(dtype: DType) -> bool:
    return not dtype.is_floating_point


# --- operands of one dtype -------------------------------------------------------------------

_SUBTRACTIONS = frozenset(
    {"broadcast_sub", "elemwise_sub", "negative", "np_subtract", "relu_backward", "same_sign"}
)
"""Not defined for booleans."""
_ROUNDINGS = frozenset(
    {"ceil", "fix", "floor", "np_nan_to_num", "rint", "round", "round_ste", "trunc"}
)
"""The identity on integers."""
_OF_FLOATS = frozenset({"leaky_relu", "leaky_relu_backward", "leaky_relu_curve"})
_CLOSED_ON_INTEGERS = frozenset(
    f"{prefix}_{name}"
    for prefix in ("broadcast", "elemwise")
    for name in (
        *("add", "sub", "mul", "div", "mod", "power", "maximum", "minimum"),
        *("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal"),
        *("logical_and", "logical_or", "logical_xor"),
    )
) | {
    *("abs", "negative", "square", "sign", "sign_ste", "relu", "relu_backward", "logical_not"),
    *("activation", "activation_backward", "add_n", "grad_add", "scatter_elemwise_div"),
    *("np_add", "np_subtract", "np_multiply", "np_mod", "np_power", "finite_mask"),
    *("plus_scalar", "minus_scalar", "rminus_scalar", "mul_scalar", "div_scalar", "rdiv_scalar"),
    *("mod_scalar", "rmod_scalar", "power_scalar", "rpower_scalar"),
    *("maximum_scalar", "minimum_scalar", "scatter_plus_scalar", "scatter_minus_scalar"),
}
"""Computed in integer arithmetic on integers; other kernels use float64 and truncate."""


def _same_dtype(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of an operator whose operands and result share one dtype."""
    first, count = dtypes[0], len(dtypes)
    if any(each is not first for each in dtypes) or _is_missing(name, first, params):
        return None
    if not _is_integer(first):
        return Numbers(first)
    if name in _ROUNDINGS:
        return Numbers(first, function="identity")
    if name not in _CLOSED_ON_INTEGERS:
        return Numbers(first, ("float64",) * count)
    return Numbers(first, ("int8",) * count if first is torch.bool else ())


def _is_missing(name: str, dtype: DType, params: Params) -> bool:
    """Return whether the operator is not defined for this integer or boolean dtype."""
    if dtype is torch.bool and name in _SUBTRACTIONS:
        return True
    layer = name in _OF_FLOATS or params.get("act_type", "relu") != "relu"
    return layer and _is_integer(dtype)


def _in_float64(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of a gamma function, whose series is summed in float64 for precision."""
    return Numbers(dtypes[0], ("float64",))


def _rounded(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of rounding to decimals, computed in float64 for precision."""
    (dtype,) = dtypes
    if abs(params["decimals"]) > _DECIMALS:
        return None
    if _is_integer(dtype) and dtype is not torch.bool and params["decimals"] >= 0:
        return Numbers(dtype, function="identity")
    return Numbers(dtype, ("float64",))


# --- operands of several dtypes --------------------------------------------------------------


def _common(dtypes: Sequence[DType]) -> DType | None:
    """Return the widest floating dtype, else the promoted one; None for float16 with bfloat16."""
    floating = {each for each in dtypes if not _is_integer(each)}
    if floating:
        size = max(each.itemsize for each in floating)
        widest = [each for each in floating if each.itemsize == size]
        return widest[0] if len(widest) == 1 else None
    promoted = dtypes[0]
    for each in dtypes[1:]:
        promoted = torch.promote_types(promoted, each)
    return promoted


def _promoted(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of an operator that promotes its operands to their common dtype."""
    common = _common(dtypes)
    if len(set(dtypes)) == 1:
        return _same_dtype(name, dtypes, params)
    if common is None or common is _UNSIGNED_AND_SIGNED:
        return None
    return Numbers(common, (compute_type(common),) * len(dtypes))


def _compared(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of a comparison: boolean, computed in a dtype that holds both operands."""
    common: DType | None = dtypes[0]
    if len({*map(_is_integer, dtypes)}) > 1:
        common = torch.float64
    elif len(set(dtypes)) > 1:
        common = torch.promote_types(*dtypes)
    elif common is not torch.bool:
        return Numbers(torch.bool)
    assert common is not None
    return Numbers(torch.bool, (compute_type(common),) * len(dtypes))


def _divided(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of a true division; integers give float32."""
    if all(map(_is_integer, dtypes)):
        return Numbers(torch.float32, ("float64",) * len(dtypes))
    return _promoted(name, dtypes, params)


def _in_own_dtype(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of an operator with its first operand's dtype; integers use float64."""
    first = dtypes[0]
    if _is_missing(name, first, params):
        return None
    if any(map(_is_integer, dtypes)):
        return Numbers(first, ("float64",) * len(dtypes))
    if len(set(dtypes)) == 1:
        return Numbers(first)
    return Numbers(first, (compute_type(torch.promote_types(*dtypes)),) * len(dtypes))


def _shifted(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of ``x * 2 ** y``, whose result has the dtype of ``x``."""
    first = dtypes[0]
    return Numbers(first, ("float64" if _is_integer(first) else compute_type(first),) * len(dtypes))


def _bits(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of an operator on integers or booleans; None for floats."""
    if not all(map(_is_integer, dtypes)):
        return None
    common = _common(dtypes)
    if common is None or common is _UNSIGNED_AND_SIGNED:
        return None
    transposed = name == "np_bitwise_not" and common is torch.bool
    function = "logical_not" if transposed else ""
    return Numbers(result=common, computed=(compute_type(common),) * len(dtypes), function=function)


# --- an operand and a number -----------------------------------------------------------------


def _with_scalar(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of an operator on an array and a scalar; int with a float gives float64."""
    (dtype,) = dtypes
    if not _is_integer(dtype):
        return Numbers(dtype)
    if not params["is_int"]:
        return Numbers(torch.float64, ("float64",))
    result = torch.int64 if dtype is torch.bool else dtype
    fraction = name == "power_scalar" and params["scalar"] < 0 and dtype is not torch.bool
    return Numbers(
        result,
        ("float64" if fraction or name not in _CLOSED_ON_INTEGERS else compute_type(result),),
    )


def _compared_with_number(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of a comparison with a scalar: float64 if the dtype cannot hold it."""
    result = _with_scalar(name, dtypes, params)
    if result is None or not _is_integer(result.result):
        return result
    scalar = params["scalar"]
    # A fraction is cut off the number, as in an integer dtype.
    fits = isfinite(scalar) and int(own(scalar, result.result)) == int(scalar)
    return result._replace(computed=(compute_type(result.result) if fits else "float64",))


def _compared_exactly(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of a comparison with a scalar that computes integers in float64."""
    (dtype,) = dtypes
    return Numbers(torch.bool, ("float64",) if _is_integer(dtype) else ())


def _divided_by_number(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of a division by a scalar; integers give float32."""
    (dtype,) = dtypes
    return Numbers(torch.float32, ("float32",)) if _is_integer(dtype) else Numbers(dtype)


# --- conditions, conversions -----------------------------------------------------------------


def _boolean(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    return Numbers(torch.bool)


def _selected(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of a selection between two alternatives; None if theirs differ."""
    return Numbers(dtypes[1]) if len({*dtypes[1:]}) == 1 else None


def _selected_number(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    return Numbers(torch.float32)


def _first(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    """Return the dtypes of an operator whose result has the dtype of its first operand."""
    return Numbers(dtypes[0])


def _cast(name: str, dtypes: Sequence[DType], params: Params) -> Numbers | None:
    if name == "amp_cast" and _is_integer(dtypes[0]):
        return Numbers(dtypes[0])
    return Numbers(torch_type(params["dtype"]))


Rule: TypeAlias = Callable[[str, Sequence[DType], Params], Numbers | None]
_NAMES: Sequence[tuple[Rule, Sequence[str]]] = (
    (_in_float64, ("digamma", "gamma", "gammaln", "trigamma")),
    (_rounded, ("np_around",)),
    (_promoted, ("np_add", "np_subtract", "np_multiply", "np_mod", "np_power")),
    (_compared, ("np_equal", "np_not_equal", "np_greater", "np_greater_equal")),
    (_compared, ("np_less", "np_less_equal")),
    (_divided, ("np_true_divide",)),
    (_in_own_dtype, ("np_arctan2", "np_copysign", "same_sign")),
    (_shifted, ("np_ldexp",)),
    (_bits, ("np_bitwise_and", "np_bitwise_or", "np_bitwise_xor", "np_bitwise_not", "np_lcm")),
    (_bits, ("np_bitwise_and_scalar", "np_bitwise_or_scalar", "np_bitwise_xor_scalar")),
    (_bits, ("np_lcm_scalar",)),
    (_with_scalar, ("plus_scalar", "minus_scalar", "rminus_scalar", "mul_scalar")),
    (_with_scalar, ("div_scalar", "rdiv_scalar", "mod_scalar", "rmod_scalar")),
    (_with_scalar, ("power_scalar", "rpower_scalar", "maximum_scalar", "minimum_scalar")),
    (_with_scalar, ("hypot_scalar", "scatter_plus_scalar", "scatter_minus_scalar")),
    (_with_scalar, ("np_arctan2_scalar", "np_rarctan2_scalar", "np_copysign_scalar")),
    (_with_scalar, ("np_rcopysign_scalar", "np_ldexp_scalar", "np_rldexp_scalar")),
    (
        _compared_with_number,
        ("equal_scalar", "not_equal_scalar", "greater_scalar", "lesser_scalar"),
    ),
    (_compared_with_number, ("greater_equal_scalar", "lesser_equal_scalar", "logical_and_scalar")),
    (_compared_with_number, ("logical_or_scalar", "logical_xor_scalar")),
    (_compared_exactly, ("np_equal_scalar", "np_not_equal_scalar", "np_greater_scalar")),
    (_compared_exactly, ("np_greater_equal_scalar", "np_less_scalar", "np_less_equal_scalar")),
    (_divided_by_number, ("np_true_divide_scalar", "np_rtrue_divide_scalar")),
    (_boolean, ("np_isnan", "np_isinf", "np_isfinite", "np_isposinf", "np_isneginf")),
    (_boolean, ("np_logical_not",)),
    (_selected, ("where", "np_where", "np_where_lscalar", "np_where_rscalar")),
    (_selected_number, ("np_where_scalar2",)),
    (_first, ("like_of", "replace_nan")),
    (_cast, ("cast", "amp_cast")),
)
_RULES: Mapping[str, Rule] = {name: rule for rule, names in _NAMES for name in names}

# --- parameters ------------------------------------------------------------------------------

_UNROUNDED = frozenset({"logical_and_scalar", "logical_or_scalar", "logical_xor_scalar"})
_NEAREST = frozenset({"maximum_scalar", "minimum_scalar"})


def own(value: float, dtype: DType) -> float:
    """Return a number cast to a dtype; for integers by way of int64, which wraps around."""
    with np.errstate(all="ignore"):
        exact = np.float64(value)
        whole = exact.astype(np.int64) if _is_integer(dtype) and dtype is not torch.bool else exact
        result: float = whole.astype(NAMES[dtype]).item()
    return result


def fitted(name: str, params: Params, dtypes: Sequence[DType], result: Numbers) -> dict[str, Any]:
    """Return the parameters with their numbers cast to the dtype that an operator computes in.

    Args:
        name: Name of the kernel.
        params: Its parameters.
        dtypes: Dtypes of its operands.
        result: The dtypes that it computes in.
    """
    if name == "np_nan_to_num" and not _is_integer(dtypes[0]):
        limit = torch.finfo(dtypes[0]).max
        ends = {"posinf": limit, "neginf": -limit}
        params = {**params, **{k: v for k, v in ends.items() if params[k] is None}}
    return {
        key: _number(name, value, dtypes[0], result) if isinstance(value, float) else value
        for key, value in params.items()
    }


def _number(name: str, value: float, dtype: DType, numbers_of: Numbers) -> float:
    """Return a scalar cast as the operator needs it; ``dtype`` is that of the first operand."""
    result = numbers_of.result
    if name in _UNROUNDED or any(each.startswith("float") for each in numbers_of.computed):
        return value
    if _RULES.get(name) in (_compared_with_number, _compared_exactly) and not _is_integer(dtype):
        return own(value, dtype)
    if not _is_integer(result):
        return fitting(value, accumulator(result))
    if name in _NEAREST and not isnan(value):
        limits = torch.iinfo(result)
        return int(min(max(value, limits.min), limits.max))
    return int(own(value, result))
