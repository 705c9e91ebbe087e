"""BoundParams: parsed parameters with cached facts about them, shared by equal calls."""

from typing import Any

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

__all__ = ["BoundParams", "KernelKey"]


class KernelKey:
    """Key under which a device caches the kernel specialised for these parameters."""

    __slots__ = ("kernel", "params", "plain")

    def __init__(self, kernel: str, params: Params, plain: bool) -> None:
        self.kernel = kernel
        self.params = params
        self.plain = plain
        """Whether the kernel takes no further arguments and returns one result."""


class BoundParams(dict[str, Any]):
    """Parsed parameters of an operator, immutable and shared by all calls with equal ones.

    Args:
        op: The operator that is called.
        params: The parameters.
    """

    __slots__ = ("accepted", "key", "latest", "shows_one", "single", "updated")

    def __init__(self, op: Operator, params: Params) -> None:
        super().__init__(params)
        self.accepted: set[Any] = set()
        """Types of operands that the type rule accepted with these parameters."""
        self.latest: tuple[tuple[Any, Any] | None, ...] = ()
        """Shape and dtype of each operand in the latest call."""
        self.key = KernelKey(op.kernel, params, op.plain)
        self.updated = () if op.plain else op.updated(params, False)
        """Positions of the inputs that a call overwrites outside of training."""
        self.shows_one = op.plain or (op.num_visible(params) == 1 and op.stores is None)
        """Whether the result is one array, whose storage type does not depend on the parameters."""
        self.single = self.shows_one and bool(op.kernel) and not self.updated
        """Whether a call outside of training only returns one array: no updates, hidden outputs."""

    # Pickled as plain parameters: caches belong to a process.
    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
