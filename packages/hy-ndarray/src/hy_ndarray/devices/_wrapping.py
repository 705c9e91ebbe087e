"""Records of kernels with functions wrapped to act before or after them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hy_ndarray.devices._protocols import (
    BufferType,
    Describe,
    Kernel,
    KernelFunction,
    Params,
    Specialize,
)

__all__ = ["Wrap", "wrapped"]

Wrap: TypeAlias = Callable[[KernelFunction, Params], KernelFunction]
"""Makes a function of one that has been given some parameters already."""


@dataclass(frozen=True)
class _Wrapped:
    """Record of a wrapped kernel."""

    name: str
    function: KernelFunction
    out: Literal["none", "apart", "in place"]
    pointwise: bool
    threads: int | None
    specialize: Specialize | None
    loads: tuple[str, ...]
    algorithm: Describe | None
    packing: None = None  # the packed form is for the function that is wrapped


def wrapped(record: Kernel, wrap: Wrap) -> Kernel:
    """Return the record of a kernel with ``wrap`` applied to its functions."""
    special = record.specialize

    def specialize(
        types: Sequence[BufferType | None] | None, params: Params
    ) -> KernelFunction | None:
        function = None if special is None else special(types, params)
        return None if function is None else wrap(function, params)

    return _Wrapped(
        record.name,
        wrap(record.function, {}),
        record.out,
        record.pointwise,
        record.threads,
        None if special is None else specialize,
        (),
        record.algorithm,
    )
