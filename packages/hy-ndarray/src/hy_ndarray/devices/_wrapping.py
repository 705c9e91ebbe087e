"""Kernel records whose functions are wrapped to act before or after each call."""

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

Wrap: TypeAlias = Callable[[KernelFunction, Params], KernelFunction]
"""Function that wraps a kernel function; it also gets the parameters that are already bound."""


@dataclass(frozen=True)
class _Wrapped:
    """Record of a kernel with wrapped functions."""

    name: str
    function: KernelFunction
    out: Literal["none", "apart", "first", "in place"]
    pointwise: bool
    threads: int | None
    specialize: Specialize | None
    loads: tuple[str, ...]
    algorithm: Describe | None
    packing: None = None  # the packed form is for the function that is wrapped


def wrapped(record: Kernel, wrap: Wrap) -> Kernel:
    """Return a kernel's record with ``wrap`` applied to its function and specialised functions."""
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
        # Parameters stay numbers, not buffers: index checks read them on the host, and captured
        # steps, which load them, are not wrapped.
        (),
        record.algorithm,
    )
