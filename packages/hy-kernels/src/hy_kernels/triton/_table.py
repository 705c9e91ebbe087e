"""TritonTable: Triton's kernels over the torch table's."""

from functools import cache
from importlib import import_module

import torch

from hy_kernels.lowering import Graph
from hy_kernels.pointwise import Group
from hy_kernels.record import Kernel
from hy_kernels.torch import table as torch_table
from hy_kernels.triton._launch import interpreting
from hy_kernels.triton._limits import TritonLimits
from hy_kernels.triton._overlay import OVERLAYS, Overlay
from hy_kernels.triton.lower import lower
from hy_kernels.triton.pointwise import fused

__all__ = ["TritonTable", "table"]

_FAMILIES = (
    "attention",
    "batch_norm",
    "conv",
    "dropout",
    "embedding",
    "joined",
    "matmul",
    "multi_update",
    "norm",
    "pointwise",
    "pool",
    "reduce",
    "region",
    "softmax",
    "suppression",
)


@cache
def _overlays() -> dict[str, Overlay]:
    for family in _FAMILIES:  # of each, the import is done by one thread alone
        import_module(f"hy_kernels.triton.{family}")
    return OVERLAYS


class TritonTable:
    """Kernels in Triton where they suit, over those of the torch table on the same tensors.

    Without a GPU they run on the CPU if the environment says ``TRITON_INTERPRET=1``: slowly, by
    Triton's interpreter, for tests.

    Args:
        strict: Whether a kernel that cannot be compiled or started raises an error, as one does
            for those who chose the table; else that is told once, and torch's takes its place.
    """

    name = "triton"
    fallback = "torch"
    buffer_type = torch.Tensor
    memory = torch_table().memory
    limits = TritonLimits()

    def __init__(self, *, strict: bool = True) -> None:
        self._strict = strict
        self._found: dict[str, Kernel] = {}

    @property
    def device_types(self) -> tuple[str, ...]:
        """CUDA's devices; the CPU as well, where Triton interprets."""
        return ("cpu", "gpu") if interpreting() else ("gpu",)

    def count(self, device_type: str) -> int:
        """The CUDA devices; one CPU, where Triton interprets."""
        if device_type == "cpu":
            return int(interpreting())
        return torch.cuda.device_count() if device_type == "gpu" else 0

    def device(self, device_type: str, device_id: int) -> torch.device:
        """Torch's name of a device."""
        return torch_table().device(device_type, device_id)

    def find(self, kernel: str) -> Kernel | None:
        """Triton's kernel of that name, which leaves to torch's what does not suit it, or None."""
        found = self._found.get(kernel)
        if found is None:
            overlay = _overlays().get(kernel)
            if overlay is None:
                return None
            found = self._found.setdefault(kernel, overlay.kernel(strict=self._strict))
        return found

    def lower(self, graph: Graph, *, joins: bool, prepares: bool) -> Graph:
        """The graph in the operators this table is good at; see :mod:`hy_kernels.triton.lower`."""
        return lower(graph, joins=joins, prepares=prepares)

    def fuse(self, group: Group) -> Kernel:
        """One kernel for pointwise steps; by torch's in turn if one of them is not here."""
        found = fused(group)
        return torch_table().fuse(group) if found is None else found

    def names(self) -> tuple[str, ...]:
        """Names of the kernels that are Triton's where they suit, sorted."""
        return tuple(sorted(_overlays()))

    def lenient(self) -> "TritonTable":
        """The table for those who did not choose it."""
        return _LENIENT

    def generator(self, seed: int, device: torch.device) -> torch.Generator:
        """A generator of the device, as the torch table's."""
        return torch_table().generator(seed, device)

    def synchronize(self, device: torch.device) -> None:
        """Wait until all work queued on ``device`` is done."""
        torch_table().synchronize(device)


_STRICT, _LENIENT = TritonTable(), TritonTable(strict=False)


def table() -> TritonTable:
    """Entry point ``hy.kernels: triton``."""
    return _STRICT
