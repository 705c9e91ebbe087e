"""The torch table on CUDA tensors without memory: where a GPU would be waited for, or copied to.

A fake tensor has a type and a device but no numbers: kernels run as far as the host reads none. So
that they do on a torch that was built for CPUs alone, its guard of CPUs serves for CUDA's.
"""

import ctypes
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
)
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from hy_kernels.lowering import Rewriting
from hy_kernels.torch import TorchTable
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._host import DeviceError
from hy_kernels.torch.lower import _rewritings
from hy_kernels.torch.nn.attention import _fused
from hy_kernels.torch.optimizer import steps
from hy_kernels.torch.runtime._memory import TensorMemory
from hy_ndarray import use_kernels

__all__ = ["FakeCuda", "FakeMemory", "Watch", "fake_cuda", "guard_devices", "waits_of"]

_SIZE = "the size of the result depends on numbers"
_STATUS = "the status of a factorization is read"
_WAITS: Mapping[str, str] = {
    "_local_scalar_dense": "a number is read",
    "is_nonzero": "a truth value is read",
    "equal": "tensors are compared",
    **dict.fromkeys(("nonzero", "masked_select", "unique_dim", "_unique2", "bincount"), _SIZE),
    **dict.fromkeys(("_linalg_check_errors", "_linalg_eigh", "_linalg_svd", "linalg_eig"), _STATUS),
    "multinomial": "the weights are checked",
}
"""Functions of torch in which the host waits for a GPU, by name."""


def _same(args: tuple[Any, ...]) -> Any:
    return args[0]


def _convolved(x: Any, weight: Any, bias: Any, *how: Any) -> Any:
    stride, pad, dilate, groups = how
    return torch.convolution(x, weight, bias, stride, pad, dilate, False, [0, 0], groups)


def _recurrent_gradients(x: Any, weights: Any, _: Any, __: Any, h: Any, c: Any) -> Any:
    dc = torch.empty(0) if c is None else torch.empty_like(c)
    return torch.empty_like(x), torch.empty_like(h), dc, [torch.empty_like(w) for w in weights]


_WITHOUT_FAKES: Mapping[str, Callable[[tuple[Any, ...]], Any]] = {
    "exponential_": _same,
    "binomial": lambda args: torch.empty_like(args[0]),
    "_fused_sgd_": lambda _: None,
    "_standard_gamma": lambda args: torch.empty_like(args[0]),
    "_cudnn_rnn_flatten_weight": lambda args: args[0][0].new_empty(sum(x.numel() for x in args[0])),
    "_cudnn_rnn_backward": lambda args: _recurrent_gradients(*args[:6]),
    "cudnn_convolution_relu": lambda args: _convolved(*args),
    "cudnn_convolution_add_relu": lambda args: _convolved(*args[:2], *args[4:]),
}
"""Results of functions that torch computes on a GPU and has no fakes of, by name."""


class Watch(TorchDispatchMode):  # type: ignore[misc,unused-ignore]  # Any without torch
    """Notes what the host waits for, and copies between it and a GPU."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.calls: list[str] = []

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = function.__name__.split(".")[0]
        tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
        devices = {x.device.type for x in tensors}
        self.calls.append(name)
        if "cuda" in devices:
            self._note(name, args, tensors)
        result = _WITHOUT_FAKES[name](args) if name in _WITHOUT_FAKES else function(*args, **kwargs)
        if name in ("_to_copy", "copy_") and {*devices, result.device.type} == {"cpu", "cuda"}:
            self.found.append(f"{name}: a copy {'to' if result.is_cuda else 'from'} the GPU")
        return result

    def _note(self, name: str, args: Any, tensors: list[Any]) -> None:
        if name in _WAITS:
            self.found.append(f"{name}: {_WAITS[name]}")
        if name != "copy_" and any(x.device.type == "cpu" and x.ndim for x in tensors):
            self.found.append(f"{name}: an operand is on the host")
        if name.startswith("index") and isinstance(args[1], list | tuple):
            has_mask = any(x is not None and x.dtype is torch.bool for x in args[1])
            if has_mask and (name == "index" or args[2].numel() != 1):
                self.found.append(f"{name}: {_SIZE}")


_ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
_READS = (DataDependentOutputException, DynamicOutputShapeException, DeviceError)
"""Errors of kernels that need numbers on the host."""


def waits_of(run: Callable[[], object]) -> list[str]:
    """Return waits and host copies of work that is done for the second time."""
    found: list[str] = []
    for _ in range(2):
        with Watch() as watch:
            try:
                run()
            except Exception as error:  # of the kernel, perhaps as hy explains it
                cause: BaseException | None = error
                while cause is not None and not isinstance(cause, _READS):
                    cause = cause.__cause__
                if cause is None:
                    raise
                watch.found.append(str(cause).splitlines()[0])
        found = watch.found
    return found


class FakeMemory(TensorMemory):
    """Memory of fake tensors; numbers are lost where an array becomes one."""

    def __init__(self, mode: FakeTensorMode) -> None:
        self._mode = mode
        self.arrays = 0
        """Arrays of the host that became tensors."""

    def empty(self, shape: tuple[int, ...], dtype: str, device: torch.device) -> Any:
        with self._mode:
            return torch.empty(shape, dtype=torch_type(dtype), device=device)

    def from_numpy(self, array: Any, device: torch.device) -> Any:
        host = np.asarray(array)
        self.arrays += 1
        return self.empty(host.shape, host.dtype.name, device)

    def write(self, target: Any, value: Any) -> None:
        target.copy_(value.reshape(value.shape[max(value.ndim - target.ndim, 0) :]))

    def span(self, buffer: Any) -> tuple[int, int]:
        first = id(buffer.untyped_storage()) << 20
        return first, first + 1

    def overlap(self, one: Any, other: Any) -> bool:
        return one.untyped_storage() is other.untyped_storage()


class _Generator(torch.Generator):  # type: ignore[misc,unused-ignore]  # Any without torch
    """A generator of the CPU that says that it is a GPU's; fakes draw nothing of it."""

    on: torch.device

    @property
    def device(self) -> torch.device:  # type: ignore[override,unused-ignore]
        return self.on


class FakeCuda(TorchTable):
    """The torch table on two GPUs that are not there."""

    name = "fake"
    device_types: tuple[str, ...] = ("gpu",)
    capture_types: tuple[str, ...] = ()
    buffer_type = FakeTensor

    def __init__(self, memory: FakeMemory) -> None:
        super().__init__()
        self.memory = memory

    def rewritings(self, *, prepares: bool) -> tuple[Rewriting, ...]:
        return _rewritings(prepares, alone=False)  # as where there is a GPU

    def count(self, device_type: str) -> int:
        return 2 if device_type == "gpu" else 0

    def device(self, device_type: str, device_id: int) -> torch.device:
        assert device_type == "gpu"
        return torch.device("cuda", device_id)

    def generator(self, seed: int, device: torch.device) -> torch.Generator:
        generator = _Generator()
        generator.manual_seed(seed)
        generator.on = device
        return generator


def _gradients(ys: Any, xs: Any, heads: Any) -> tuple[torch.Tensor, ...]:
    """Return what torch's own backward pass returns, whose threads need a GPU."""
    return tuple([torch.empty_like(x) for x in xs])


def guard_devices() -> None:
    """Let torch's guard of CPUs, which does nothing, be that of CUDA where that is missing."""
    if torch.cuda.is_available():
        return
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / "libc10.so"))
    guards = (ctypes.c_void_p * 2).in_dll(library, "_ZN3c104impl26device_guard_impl_registryE")
    guards[1] = guards[0]  # CUDA, CPU


def _forget_fakes() -> None:
    """Empty the caches of the table's modules: they hold fakes of the CPU's tensors, too."""
    for name in [name for name in sys.modules if name.startswith("hy_kernels.torch")]:
        for value in [*vars(sys.modules[name]).values()]:
            if callable(clear := getattr(value, "cache_clear", None)):
                clear()


@contextmanager
def fake_cuda(*, libraries: bool = False) -> Iterator[FakeMemory]:
    """Run what is on ``gpu(0)`` and ``gpu(1)`` on fake tensors.

    Args:
        libraries: Whether the GPUs have cuDNN and torch's fused attention.
    """
    guard_devices()
    log = logging.getLogger("torch._subclasses.fake_tensor")
    level = log.level
    log.setLevel(logging.CRITICAL)
    mode = FakeTensorMode(allow_non_fake_inputs=True)  # numbers that other calls cached
    memory = FakeMemory(mode)
    table = FakeCuda(memory)
    try:
        with (
            patch.object(steps, "Tensor", FakeTensor),
            patch.object(torch.autograd, "grad", _gradients),
            patch.object(torch.backends.cudnn, "is_available", lambda: libraries),  # else a driver
            patch.object(_fused, "has_fused", lambda _: libraries),  # is asked, here too
            sdpa_kernel(_ATTENTION if libraries else SDPBackend.MATH),
            use_kernels(table, device="gpu"),
            use_kernels("numpy"),  # the CPU's tensors would be fakes, too
            mode,
        ):
            yield memory
    finally:
        log.setLevel(level)
        _forget_fakes()
