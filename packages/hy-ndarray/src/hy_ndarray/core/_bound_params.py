"""BoundParams: parsed parameters with cached facts about them, shared by equal calls."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator

Description: TypeAlias = tuple[Any, Any, Callable[[], Any]]
"""Shape, dtype and weak reference of a buffer."""


class KernelKey:
    """Key under which a device caches the kernel specialised for these parameters."""

    __slots__ = ("in_place", "kernel", "params", "plain")

    def __init__(self, kernel: str, params: Params, plain: bool, *, in_place: bool = False) -> None:
        self.kernel = kernel
        self.params = params
        self.plain = plain
        """Whether the kernel takes no further arguments and returns one result."""
        self.in_place = in_place
        """Whether the kernel has to overwrite operands; its function is None if it cannot."""


class BoundParams(dict[str, Any]):
    """Parsed parameters of an operator, immutable and shared by all calls with equal ones.

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
        """Shape, dtype and weak reference of each operand of the last call with other types."""
        self.key = KernelKey(op.kernel, params, op.plain)
        updated = () if op.plain else op.updated(params, False)
        self.overwritten = (0, *updated)
        """Positions of the inputs that a call outside of training overwrites if ``out`` is the
        first."""
        self.update_key = KernelKey(op.kernel, params, plain=True, in_place=True)
        """Key of the kernel that overwrites these inputs."""
        self.shows_one = op.plain or (op.num_visible(params) == 1 and op.stores is None)
        """Whether the result is one array, whose storage type does not depend on the parameters."""
        self.single = self.shows_one and bool(op.kernel) and not updated
        """Whether a call outside of training only returns one array: no updates, hidden outputs."""

    # Pickled as plain parameters: caches belong to a process.
    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
