"""Integer fallback: kernels written for floats leave integers to the numpy table's kernels."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

from hy_kernels.record import Function
from hy_kernels.torch._dtypes import refuse_complex
from hy_kernels.torch._host import numpy_kernel
from hy_kernels.torch._tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])
Unless: TypeAlias = Callable[[Mapping[str, Any]], bool]

OF_INTEGERS: dict[str, Unless | None] = {}
"""Kernels that fall back to numpy for integers, and predicates of parameters with which they do
not; None: they always do."""


def of_integers(name: str, unless: Unless | None = None) -> Function:
    """Return the numpy table's kernel for integers on CPU tensors, and register the fallback."""
    OF_INTEGERS[name] = unless
    return numpy_kernel(name)


def with_integer_fallback(*, unless: Unless | None = None) -> Callable[[F], F]:
    """Return a decorator that makes a kernel fall back to the numpy table's for integers.

    That kernel runs on CPUs only, with numpy's rounding and overflow.

    Args:
        unless: Predicate of the parameters with which the function itself supports integers.
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
