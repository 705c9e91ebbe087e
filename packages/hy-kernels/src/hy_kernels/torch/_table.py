"""TorchTable: the kernel table of torch tensors."""

import os
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import Any

import torch

from hy_kernels.lowering import Rewriting
from hy_kernels.numbers import NUMBERS
from hy_kernels.numpy import table as numpy_table
from hy_kernels.pointwise import Group
from hy_kernels.record import Kernel
from hy_kernels.steps import Rule, Step
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._floats import OF_INTEGERS
from hy_kernels.torch._fusion import fuse
from hy_kernels.torch._host import ELSEWHERE, HOST
from hy_kernels.torch._index import MODULES
from hy_kernels.torch._kernels import KERNELS
from hy_kernels.torch.lower import rewritings
from hy_kernels.torch.optimizer.steps import step_of
from hy_kernels.torch.runtime._capture import capture
from hy_kernels.torch.runtime._cudnn import autotune
from hy_kernels.torch.runtime._forks import check_process
from hy_kernels.torch.runtime._limits import TensorLimits
from hy_kernels.torch.runtime._memory import TensorMemory


class TorchTable:
    """Kernel table of torch tensors, on CPUs, CUDA devices and Apple's GPUs.

    Its buffers are exactly of type ``torch.Tensor``: parameters of modules and other subclasses
    must be converted. Torch's autograd records nothing of what kernels do.

    Args:
        compiler: The backend of ``torch.compile``, such as ``"inductor"``, that compiles pointwise
            steps on large arrays to one function; None: they run in turn. The table that
            :func:`table` returns uses the environment variable ``HY_TORCH_COMPILE``.

    Example:
        >>> kernel = table().find("relu")
        >>> kernel.function(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    name = "torch"
    device_types: tuple[str, ...] = ("cpu", "gpu")
    capture_types: tuple[str, ...] = ("gpu",)
    # Generators are registered with the graph, so draws can be captured.
    captures_draws = True
    fallback = None
    buffer_type = torch.Tensor
    memory = TensorMemory()
    limits = TensorLimits()
    numbers = frozenset(NUMBERS)

    # HY_TORCH_COMPILE names a backend of torch.compile for fused groups; unset, none is compiled.
    def __init__(self, *, compiler: str | None = None) -> None:
        self._compiler = compiler

    def count(self, device_type: str) -> int:
        """Return the number of devices of a type: 1 for the CPU, all CUDA devices, or Apple's GPU.

        Raises:
            ForkedError: This process was forked from one that had used a GPU.
        """
        if device_type == "cpu":
            return 1
        if device_type != "gpu":
            return 0
        check_process()
        # One MPS device, if there is any.
        return torch.cuda.device_count() or int(torch.backends.mps.is_available())

    def device(self, device_type: str, device_id: int) -> torch.device:
        """Return the ``torch.device`` of a device type and number.

        Raises:
            ForkedError: It is a GPU, and the process was forked from one that had used a GPU.
        """
        if device_type == "cpu":
            return torch.device("cpu")
        check_process()
        if torch.cuda.device_count():
            autotune()
            return torch.device("cuda", device_id)
        return torch.device("mps", device_id)

    def find(self, kernel: str) -> Kernel | None:
        """Return the kernel of that name, or None; imports the module that defines it."""
        if kernel in MODULES:
            import_module(MODULES[kernel])
        return KERNELS.find(kernel)

    # `explain` asks, so that users see which steps leave the device.
    def borrowed(self, kernel: str, device_type: str, dtypes: Sequence[str]) -> str:
        """Return a phrase for reports if numpy's kernel may run instead of this table's, or ""."""
        self.find(kernel)  # its family says what it leaves to numpy's
        by_numpy = "numpy's, on the CPU"
        if kernel in HOST or (kernel in ELSEWHERE and device_type == "cpu"):
            return by_numpy
        if kernel not in OF_INTEGERS or not dtypes or torch_type(dtypes[0]).is_floating_point:
            return ""
        return by_numpy if OF_INTEGERS[kernel] is None else f"with some parameters {by_numpy}"

    def rewritings(self, *, prepares: bool) -> tuple[Rewriting, ...]:
        """Return the rewritings to the table's own operators; see :mod:`hy_kernels.torch.lower`."""
        return rewritings(prepares=prepares)

    def step(self, rule: Rule) -> Step | None:
        """Return the function that updates weights by an optimizer's rule; see :func:`step_of`."""
        return step_of(rule)

    def fuse(self, group: Group) -> Kernel:
        """Return one kernel for a group of pointwise steps; see :func:`fuse`."""
        return fuse(group, self.find, self._compiler)

    def capture(
        self,
        run: Callable[[list[torch.Tensor]], tuple[torch.Tensor, ...]],
        inputs: Sequence[torch.Tensor],
        fixed: Collection[int],
        lent: Collection[int],
        device: torch.device,
        draws: tuple[torch.Generator, Callable[[], torch.Generator]] | None = None,
    ) -> Callable[[Sequence[torch.Tensor]], tuple[torch.Tensor, ...]] | None:
        """Return a function that replays ``run`` as a CUDA graph, or None; see :func:`.capture`."""
        return capture(run, inputs, fixed, lent, device, draws)

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run tasks on sparse arrays in the numpy table's threads; return their results.

        Torch parallelizes each operator by itself, so that other kernels need no threads of hy.
        """
        # Sparse arrays only: dense operators are shared by torch itself.
        return numpy_table().together(tasks)

    def names(self) -> tuple[str, ...]:
        """Return the names of all kernels, sorted."""
        return tuple(sorted(MODULES))

    def generator(self, seed: int, device: torch.device) -> torch.Generator:
        """Return a random generator of the device: Mersenne Twister on CPUs, Philox on GPUs."""
        result = torch.Generator(device)
        result.manual_seed(seed)
        return result

    def synchronize(self, device: torch.device) -> None:
        """Wait until all work queued on ``device`` is done."""
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        elif device.type == "mps":
            torch.mps.synchronize()


_TABLE = TorchTable(compiler=os.environ.get("HY_TORCH_COMPILE") or None)
# OpenMP's threads do not survive a fork; a child that waited for them would hang.
os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


def table() -> TorchTable:
    """Return the table: the entry point ``hy.kernels: torch``."""
    return _TABLE
