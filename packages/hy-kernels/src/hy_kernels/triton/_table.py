"""TritonTable: Triton's kernels, with the torch table as the fallback."""

from functools import cache
from importlib import import_module
from typing import NamedTuple

import torch
import triton

from hy_kernels._warning import warn
from hy_kernels.lowering import Rewriting
from hy_kernels.pointwise import Group
from hy_kernels.record import Kernel
from hy_kernels.steps import Rule, Step
from hy_kernels.torch import table as torch_table
from hy_kernels.torch.runtime._forks import check_process
from hy_kernels.triton._overlay import OVERLAYS, Overlay
from hy_kernels.triton.elementwise.pointwise import fused, unsupported
from hy_kernels.triton.lower import rewritings
from hy_kernels.triton.optimizer.updates import step_of
from hy_kernels.triton.runtime._launch import LaunchError, interpreting, runs_on
from hy_kernels.triton.runtime._limits import TritonLimits

_FAMILIES = (
    "elementwise.fused",
    "elementwise.pointwise",
    "elementwise.prelu",
    "linalg.matmul",
    "nn.attention.dot_product",
    "nn.attention.operator",
    "nn.attention.steps",
    "nn.conv",
    "nn.deconv",
    "nn.dropout",
    "nn.embedding",
    "nn.loss",
    "nn.nhwc",
    "nn.normalization.batch_norm",
    "nn.normalization.fused_norm",
    "nn.normalization.fused_rms",
    "nn.normalization.norm",
    "nn.pool",
    "nn.softmax",
    "reduce.np_reduce",
    "reduce.reductions",
    "reduce.statistics",
    "reduce.sums",
    "vision.region",
    "vision.suppression",
)


class _Loaded(NamedTuple):
    """Overlays registered by the modules of ``_FAMILIES``, and what failed to import."""

    overlays: dict[str, Overlay]
    failure: str
    """Modules that cannot be imported, with the errors; empty if all can."""


@cache
def _loaded() -> _Loaded:
    failures = []
    for family in _FAMILIES:  # of each, the import is done by one thread alone
        try:
            import_module(f"hy_kernels.triton.{family}")
        except Exception as error:  # whatever another version of Triton lacks
            failures.append(f"{family} ({type(error).__name__}: {error})")
    return _Loaded(OVERLAYS, ", ".join(failures))


@cache
def _report(what: str) -> None:
    """Warn once that the torch kernels are used instead, for the reason ``what``."""
    message = f"falling back to the torch kernels: Triton {triton.__version__} {what}"
    warn(message, RuntimeWarning)


class TritonTable:
    """Kernel table of Triton on torch tensors, with the torch table as the fallback.

    Without a GPU the kernels run on the CPU if ``TRITON_INTERPRET=1`` is set: slowly, in Triton's
    interpreter, for tests.

    Args:
        strict: Whether a kernel that cannot be loaded, compiled or launched raises an error, as in
            the table that users select; else it warns once and falls back to torch.
    """

    name = "triton"
    fallback = "torch"
    buffer_type = torch.Tensor
    memory = torch_table().memory
    limits = TritonLimits()
    numbers: tuple[str, ...] = ()
    is_overlay = True  # torch's kernels come before compositions, too

    def __init__(self, *, strict: bool = True) -> None:
        self._strict = strict
        self._kernels: dict[str, Kernel] = {}

    @property
    def device_types(self) -> tuple[str, ...]:
        """Types of device that the kernels run on: ``"gpu"``, and ``"cpu"`` in the interpreter."""
        return ("cpu", "gpu") if interpreting() else ("gpu",)

    def count(self, device_type: str) -> int:
        """Return the number of CUDA devices, or for ``"cpu"`` 1 in the interpreter, else 0."""
        if device_type == "cpu":
            return int(interpreting())
        if device_type != "gpu":
            return 0
        check_process()
        return int(torch.cuda.device_count())

    def device(self, device_type: str, device_id: int) -> torch.device:
        """Return the ``torch.device`` of a device type and number."""
        return torch_table().device(device_type, device_id)

    def find(self, kernel: str) -> Kernel | None:
        """Return Triton's kernel of that name, with torch's as fallback; None if there is none."""
        result = self._kernels.get(kernel)
        if result is None:
            overlay = self._overlays().get(kernel)
            if overlay is None:
                return None
            # Two threads may get here: the first record stays, and with it what a failed launch
            # reported.
            result = self._kernels.setdefault(kernel, overlay.kernel(strict=self._strict))
        return result

    def rewritings(self, *, prepares: bool) -> tuple[Rewriting, ...]:
        """Return the rewritings to this table's operators; see :mod:`hy_kernels.triton.lower`."""
        return rewritings(prepares=prepares)

    def _overlays(self) -> dict[str, Overlay]:
        result = _loaded()
        if result.failure and self._strict:
            raise LaunchError(f"Triton {triton.__version__} cannot load {result.failure}")
        if result.failure:
            _report(f"cannot load: {result.failure}")
        return result.overlays

    def step(self, rule: Rule) -> Step | None:
        """Return the function that updates weights by an optimizer's rule; see :func:`step_of`."""
        return step_of(rule, strict=self._strict)

    def fuse(self, group: Group) -> Kernel:
        """Return one kernel for pointwise steps; if unsupported, warn and return torch's."""
        fused_kernel, below = fused(group), torch_table().fuse(group)
        if fused_kernel is None:
            _report(f"has no step for, and the steps around it: {unsupported(group)}")
            return below
        name, function = fused_kernel.name, fused_kernel.function
        entry = Overlay(name, function, lambda *inputs, **_: runs_on(*inputs), below)
        return entry.kernel(strict=self._strict)

    def names(self) -> tuple[str, ...]:
        """Return the names of the kernels that Triton has, sorted."""
        return tuple(sorted(self._overlays()))

    def lenient(self) -> "TritonTable":
        """Return the table with ``strict=False``, for when it was not selected explicitly."""
        return _LENIENT

    def generator(self, seed: int, device: torch.device) -> torch.Generator:
        """Return a seeded random generator of the device, as the torch table does."""
        return torch_table().generator(seed, device)

    def synchronize(self, device: torch.device) -> None:
        """Wait until all work queued on ``device`` is done."""
        torch_table().synchronize(device)


_STRICT, _LENIENT = TritonTable(), TritonTable(strict=False)


def table() -> TritonTable:
    """Return the strict table: the entry point ``hy.kernels: triton``."""
    return _STRICT
