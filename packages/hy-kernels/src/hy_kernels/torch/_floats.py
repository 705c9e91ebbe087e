"""Kernels written for floats: integers are computed by the numpy table's kernels."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

from hy_kernels.record import Function
from hy_kernels.torch._dtypes import refuse_complex
from hy_kernels.torch._host import numpy_kernel
from hy_kernels.torch._tensor import Tensor

__all__ = ["OF_INTEGERS", "of_integers", "with_integer_fallback"]

F = TypeVar("F", bound=Callable[..., Any])
Unless: TypeAlias = Callable[[Mapping[str, Any]], bool]

OF_INTEGERS: dict[str, Unless | None] = {}
"""By name of the kernels that leave integers to numpy's: with which parameters they do not."""


def of_integers(name: str, unless: Unless | None = None) -> Function:
    """Return the numpy table's kernel of that name for integers, on CPU tensors."""
    OF_INTEGERS[name] = unless
    return numpy_kernel(name)


def with_integer_fallback(*, unless: Unless | None = None) -> Callable[[F], F]:
    """Return a decorator of kernels that leaves integers to the numpy table's kernel.

    It computes on the CPU alone, with the roundings and overflows that it has.

    Args:
        unless: Whether the function itself takes them, by its parameters.
    """

    def decorate(function: F) -> F:
        for_integers = of_integers(function.__name__, unless)

        @wraps(function)
        def selected(data: Tensor, *inputs: Tensor | None, **params: Any) -> Any:
            # By the first operand: types of the others follow from it.
            if data.dtype.is_floating_point or (unless is not None and unless(params)):
                return function(data, *inputs, **params)
            refuse_complex(data.dtype)
            return for_integers(data, *inputs, **params)

        return cast("F", selected)

    return decorate
