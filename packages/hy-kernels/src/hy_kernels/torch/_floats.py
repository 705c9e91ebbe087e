"""Kernels made for floats: of integers, numpy's compute what they mean."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, cast

from hy_kernels.torch._host import numpy_s
from hy_kernels.torch._tensor import Tensor

__all__ = ["floats_only"]

F = TypeVar("F", bound=Callable[..., Any])


def floats_only(*, unless: Callable[[Mapping[str, Any]], bool] | None = None) -> Callable[[F], F]:
    """Let the kernel of the numpy table take the place of a function for whole numbers.

    It computes on the CPU alone, with the roundings and overflows that it has.

    Args:
        unless: Whether the function itself takes them, by its parameters.
    """

    def decorate(function: F) -> F:
        for_integers = numpy_s(function.__name__)

        @wraps(function)
        def chosen(data: Tensor, *inputs: Tensor | None, **params: Any) -> Any:
            if data.dtype.is_floating_point or (unless is not None and unless(params)):
                return function(data, *inputs, **params)
            return for_integers(data, *inputs, **params)

        return cast("F", chosen)

    return decorate
