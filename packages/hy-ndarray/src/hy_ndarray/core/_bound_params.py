"""BoundParams: parsed parameters, shared by all equal calls, with what follows from them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

__all__ = ["BoundParams", "Description", "KernelKey"]

Description: TypeAlias = tuple[Any, Any, Callable[[], Any]]
"""Shape, dtype and weak reference of a buffer."""


class KernelKey:
    """Key under which a device caches the kernel specialised for these parameters."""

    __slots__ = ("in_place", "kernel", "params", "plain")

    def __init__(self, kernel: str, params: Params, plain: bool, *, in_place: bool = False) -> None:
        self.kernel = kernel
        self.params = params
        self.plain = plain
        """Whether the kernel takes nothing else and returns one result."""
        self.in_place = in_place
        """Whether it is to overwrite operands; a device has None if it cannot."""


class BoundParams(dict[str, Any]):
    """Parameters that equal calls share; nobody changes them.

    Args:
        op: The operator that is called.
        params: The parameters.
    """

    __slots__ = ("accepted", "key", "latest", "overwritten", "shows_one", "single", "update_key")

    def __init__(self, op: Operator, params: Params) -> None:
        super().__init__(params)
        self.accepted: set[Any] = set()
        """Types of operands that the type rule accepted with these parameters."""
        self.latest: Sequence[Description] = ()
        """Shape, dtype and weak reference of each operand when types last changed."""
        self.key = KernelKey(op.kernel, params, op.plain)
        updated = () if op.plain else op.updated(params, False)
        self.overwritten = (0, *updated)
        """Positions of the inputs that a call outside of training overwrites if ``out`` is the
        first."""
        self.update_key = KernelKey(op.kernel, params, plain=True, in_place=True)
        """Key of the kernel that does so."""
        self.shows_one = op.plain or (op.num_visible(params) == 1 and op.stores is None)
        """Whether the result is one array, whose storage does not depend on what is stored."""
        self.single = self.shows_one and bool(op.kernel) and not updated
        """Whether all that a call does outside of training is to return one array."""

    # Pickled as plain parameters: caches belong to a process.
    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
