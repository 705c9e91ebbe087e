"""Element-wise functions of one array.

Most are the legacy operators under NumPy's names. Predicates such as ``isnan`` return booleans.
"""

from collections.abc import Callable
from typing import Any

from hy_ndarray._errors import DTypeError
from hy_ndarray.ops.adjoints import no_gradient
from hy_ndarray.ops.elementwise import (
    activations,
    exponential,
    identity,
    rounding,
    trigonometry,
    unary as elementwise,
)
from hy_ndarray.ops.elementwise.unary import abs as absolute
from hy_ndarray.ops.families import pointwise_family
from hy_ndarray.ops.record.schema import OperatorFunction, Saved, pointwise, synonym
from hy_ndarray.ops.record.types import TensorType


def _numbers_only(rule: Callable[..., Any]) -> Callable[..., TensorType]:
    """Return ``rule`` with a check that ``data`` is not boolean, as in MXNet."""

    def checked(x: TensorType) -> TensorType:
        if x.dtype == "bool":
            raise DTypeError(f"{x!r} holds booleans; cast it to numbers with astype")
        output: TensorType = rule(x)
        return output

    checked.__module__ = rule.__module__
    return checked


def _declare_np(module: Any, *names: str) -> None:
    for name in names:
        of: OperatorFunction = getattr(module, name)
        synonym(f"_npi_{name}", of=of, inputs=("x",), rule=_numbers_only(of.op.rule))


synonym(
    "_npi_absolute", "_npi_abs", of=absolute, inputs=("x",), rule=_numbers_only(absolute.op.rule)
)
_declare_np(elementwise, "cbrt", "negative", "reciprocal", "sign", "sqrt", "square")
_declare_np(exponential, "exp", "expm1", "log", "log10", "log1p", "log2")
_declare_np(rounding, "ceil", "fix", "floor", "rint", "trunc")
_declare_np(trigonometry, "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh")
_declare_np(trigonometry, "cos", "cosh", "degrees", "radians", "sin", "sinh", "tan", "tanh")
synonym("_np_copy", of=identity.copy, inputs=("a",))
synonym("_npx_relu", of=activations.relu)
synonym("_npx_sigmoid", of=activations.sigmoid)


def _of_test(x: TensorType) -> TensorType:
    """Return the type of a test of each element."""
    return x.with_dtype("bool")


_test = pointwise_family(_of_test, kernel="np_{}", name="_npi_{}", grad=no_gradient)

np_isnan = _test("isnan", text="Return whether each element is nan, as booleans.")
np_isinf = _test("isinf", text="Return whether each element is infinite, as booleans.")
np_isfinite = _test(
    "isfinite", text="Return whether each element is neither infinite nor nan, as booleans."
)
np_isposinf = _test(
    "isposinf", text="Return whether each element is positive infinity, as booleans."
)
np_isneginf = _test(
    "isneginf", text="Return whether each element is negative infinity, as booleans."
)
np_logical_not = _test("logical_not", text="Return whether each element is 0, as booleans.")


@pointwise("_npi_bitwise_not")
def np_bitwise_not(x: TensorType) -> TensorType:
    """Return the bitwise complement of integers, or the negation of booleans.

    Args:
        x: ``[*shape]``, integers or booleans.
    """
    if x.dtype is not None and "float" in x.dtype:
        raise DTypeError(f"{x!r} must hold integers or booleans")
    return x


@pointwise("_npi_around", grad=no_gradient)
def np_around(x: TensorType, *, decimals: int = 0) -> TensorType:
    """Return each element rounded to ``decimals`` decimals, halves to even.

    Args:
        x: ``[*shape]``.
        decimals: Number of decimals; negative numbers round digits before the decimal point.
    """
    return x


def _grad_nan_to_num(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * finite_mask(saved.inputs[0]),)


@pointwise("_npi_nan_to_num", grad=_grad_nan_to_num)
def np_nan_to_num(
    data: TensorType,
    *,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> TensorType:
    """Return ``data`` with nan and infinities replaced by numbers.

    Args:
        data: ``[*shape]``, any dtype.
        copy: Accepted for NumPy's signature; the result is always a new array.
        nan: Replacement of nan.
        posinf: Replacement of infinity; the largest number of the dtype if None.
        neginf: Replacement of negative infinity; the lowest number of the dtype if None.
    """
    return data


@pointwise("_np_finite_mask", grad=no_gradient)
def finite_mask(data: TensorType) -> TensorType:
    """Return 1 where ``data`` is finite, else 0, in the dtype of ``data``."""
    return data
