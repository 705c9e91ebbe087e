"""Parameters that calls repeat, and what follows from them alone."""

from typing import Any

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

__all__ = ["BoundParams", "Repeated"]


class Repeated:
    """Key of repeated calls: a device caches the function for these parameters under it."""

    __slots__ = ("kernel", "params", "plain")

    def __init__(self, kernel: str, params: Params, plain: bool) -> None:
        self.kernel = kernel
        self.params = params
        self.plain = plain
        """Whether the kernel takes nothing else and gives one result, as its function does then."""


class BoundParams(dict[str, Any]):
    """Parameters that calls repeat; nobody changes them.

    Args:
        op: The operator that is called.
        params: The parameters.
    """

    __slots__ = ("accepted", "key", "latest", "single", "updated")

    def __init__(self, op: Operator, params: Params) -> None:
        super().__init__(params)
        self.accepted: set[Any] = set()
        """Types of operands that the type rule took with these parameters."""
        self.latest: tuple[tuple[Any, Any] | None, ...] = ()
        """Shape and dtype of each operand in the latest of them."""
        self.key = Repeated(op.kernel, params, op.plain)
        self.updated = () if op.plain else op.updated(params, False)
        """Positions of the inputs that a call overwrites outside of training."""
        shows_one = op.plain or (op.num_visible(params) == 1 and op.stores is None)
        self.single = shows_one and bool(op.kernel) and not self.updated
        """Whether all that a call does outside of training is to show one array."""

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
