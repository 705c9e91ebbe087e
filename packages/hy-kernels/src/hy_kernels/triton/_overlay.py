"""Overlay: a kernel of Triton's where it supports its operands, else torch's."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from triton.runtime.errors import OutOfResources

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
        """Return the record: torch's, with this function in front.

        Args:
            strict: Whether a launch that fails is the user's error; else that is reported once, and
                torch's function is called from then on.
        """
        below = self.below or torch_table().find(self.name)
        assert below is not None, self.name
        function = _Selected(ours=self, theirs=below.function, strict=strict)
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
        """Leave such a call to torch, and if no size is the reason all others, too."""
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
    """Return the key of calls whose launches take the same resources."""
    arrays = tuple([(x.shape, x.dtype) if hasattr(x, "shape") else None for x in tensors])
    return arrays, repr([(k, x) for k, x in sorted(params.items()) if not hasattr(x, "shape")])


OVERLAYS: dict[str, Overlay] = {}
"""All of them, by the name of the operator's kernel."""


def overlay(
    *names: str, supports: Callable[..., bool], below: Kernel | None = None
) -> Callable[[F], F]:
    """Enter the decorated function for operators, by default the one of its name.

    Args:
        names: Names of the operators' kernels.
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
