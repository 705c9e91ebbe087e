"""Overlay: a Triton kernel, with torch's kernel as the fallback for other operands."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from triton.runtime.errors import OutOfResources

from hy_kernels._warning import warn
from hy_kernels.record import Function, Kernel
from hy_kernels.torch import table as torch_table
from hy_kernels.triton.runtime._launch import LaunchError

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Overlay:
    """Triton's function for an operator, and the predicate that selects it."""

    name: str
    function: Function
    supports: Callable[..., bool]
    """Takes the arguments of ``function``; returns whether it supports them."""
    below: Kernel | None = None
    """Fallback of an operator that only this table has; None: torch's kernel of that name."""

    def kernel(self, *, strict: bool) -> Kernel:
        """Return a kernel record: torch's, with a function that tries Triton first.

        Args:
            strict: Whether a failed launch raises an error; else it warns once, and the fallback is
                used from then on.
        """
        below = self.below or torch_table().find(self.name)
        assert below is not None, self.name
        function = _Selected(ours=self, theirs=below.function, strict=strict)
        return replace(below, function=function, specialize=None, threads=None)


class _Selected:
    """Function that calls Triton's where it supports the operands, else torch's."""

    def __init__(self, ours: Overlay, theirs: Function, strict: bool) -> None:
        self._supports = ours.supports
        self._ours = ours.function
        self._theirs = theirs
        self._name = ours.name
        self._strict = strict
        self._works = True
        self._too_large: set[Hashable] = set()

    def __call__(self, *tensors: Any, **params: Any) -> Any:
        if self._works and self._supports(*tensors, **params):
            # Shapes are asked for only after one was too large: that takes as long as a short call.
            if self._too_large and _shapes(tensors, params) in self._too_large:
                return self._theirs(*tensors, **params)
            try:
                return self._ours(*tensors, **params)
            except LaunchError as error:
                if self._strict:
                    raise
                self._give_up(error, _shapes(tensors, params))
        return self._theirs(*tensors, **params)

    def _give_up(self, error: LaunchError, shapes: Hashable) -> None:
        """Warn, and use torch from now on: for these shapes if resources ran out, else always."""
        where = "such operands"
        # Tiles, and with them registers and shared memory, follow from shapes: another shape of the
        # same kernel may fit. A kernel that does not compile for one will not for others.
        if isinstance(error.__cause__, OutOfResources):
            self._too_large.add(shapes)
        else:
            self._works, where = False, "it"
        warn(
            f"{self._name}: torch computes {where} from now on, as Triton cannot: {error}",
            RuntimeWarning,
        )


def _shapes(tensors: tuple[Any, ...], params: Mapping[str, Any]) -> Hashable:
    """Return a key of shapes, dtypes and parameters, on which the resources of a launch depend."""
    arrays = tuple([(x.shape, x.dtype) if hasattr(x, "shape") else None for x in tensors])
    return arrays, repr([(k, x) for k, x in sorted(params.items()) if not hasattr(x, "shape")])


OVERLAYS: dict[str, Overlay] = {}
"""All overlays, by the name of the operator's kernel."""


def overlay(
    *names: str, supports: Callable[..., bool], below: Kernel | None = None
) -> Callable[[F], F]:
    """Return a decorator that registers a function as the overlay of operators.

    Args:
        names: Names of the operators' kernels; by default the name of the function.
        supports: See :class:`Overlay`.
        below: See :class:`Overlay`.

    Raises:
        ValueError: An operator has an overlay already.
    """

    def enter(function: F) -> F:
        for name in names or (function.__name__,):
            if name in OVERLAYS:
                raise ValueError(f"Triton's kernel {name!r} is defined twice")
            OVERLAYS[name] = Overlay(name, function, supports, below)
        return function

    return enter
