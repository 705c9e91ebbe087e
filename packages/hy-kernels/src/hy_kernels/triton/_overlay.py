"""Overlay: a kernel of Triton's where it supports its operands, else torch's."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hy_kernels._warning import warn
from hy_kernels.record import Function, Kernel
from hy_kernels.torch import table as torch_table
from hy_kernels.triton.runtime._launch import LaunchError

__all__ = ["OVERLAYS", "Overlay", "overlay"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Overlay:
    """Triton's function for an operator, and when it is to be called."""

    name: str
    function: Function
    supports: Callable[..., bool]
    """Takes what the function does; says whether it is made for that."""
    below: Kernel | None = None
    """What computes an operator that is this table's own where it is not; None: torch's kernel."""

    def kernel(self, *, strict: bool) -> Kernel:
        """The record: torch's, with this function in front.

        Args:
            strict: Whether a launch that fails is the user's error; else that is told once, and
                torch's function is called from then on.
        """
        below = self.below or torch_table().find(self.name)
        assert below is not None, self.name
        function = _Selected(self, below.function, strict)
        return replace(below, function=function, specialize=None, threads=None)


class _Selected:
    """Calls Triton's function where it supports the operands, else torch's."""

    def __init__(self, ours: Overlay, theirs: Function, strict: bool) -> None:
        self._supports = ours.supports
        self._ours = ours.function
        self._theirs = theirs
        self._name = ours.name
        self._strict = strict
        self._works = True

    def __call__(self, *tensors: Any, **params: Any) -> Any:
        if self._works and self._supports(*tensors, **params):
            try:
                return self._ours(*tensors, **params)
            except LaunchError as error:
                if self._strict:
                    raise
                self._works = False
                warn(
                    f"{self._name}: torch computes it from now on, as Triton cannot: {error}",
                    RuntimeWarning,
                )
        return self._theirs(*tensors, **params)


OVERLAYS: dict[str, Overlay] = {}
"""All of them, by the name of the operator's kernel."""


def overlay(
    *names: str, supports: Callable[..., bool], below: Kernel | None = None
) -> Callable[[F], F]:
    """Enter the decorated function for operators, by default the one of its name.

    Args:
        names: Of the operators' kernels.
        supports: As of :class:`Overlay`.
        below: As of :class:`Overlay`.

    Raises:
        ValueError: There is one for the operator.
    """

    def enter(function: F) -> F:
        for name in names or (function.__name__,):
            if name in OVERLAYS:
                raise ValueError(f"Triton's kernel {name!r} is defined twice")
            OVERLAYS[name] = Overlay(name, function, supports, below)
        return function

    return enter
