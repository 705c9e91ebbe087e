"""The numpy table's kernels on CPU tensors, with which they share memory.

Tensors on other devices raise an error. The kernels are those of ``HOST`` for any operands; on CPUs
those decorated by :func:`numpy_on_cpus`, where numpy is faster; and for integers those of
:mod:`hy_kernels.torch._floats`.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import torch

from hy_kernels.numpy import table as numpy_table
from hy_kernels.record import Function, Kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.torch.runtime._memory import array_of, tensor_of

F = TypeVar("F", bound=Callable[..., Any])

HOST = ("imdecode", "imread")
"""Names of kernels that are always numpy's: they decode files on the host."""

ELSEWHERE: dict[str, Function] = {}
"""Functions decorated by :func:`numpy_on_cpus`, by name."""


class DeviceError(RuntimeError):
    """A kernel that runs on CPUs only was called with a tensor on another device."""


def _on_host(record: Kernel) -> Function:
    """Return a numpy table's kernel as a function of CPU tensors, without copies."""
    compute, name = record.function, record.name

    def run(*inputs: Tensor | None, out: OutBuffers = None, **params: Any) -> Any:
        # Shares memory with numpy, so no copies in either direction.
        arrays = [None if x is None else _host_array(x, name) for x in inputs]
        for key, value in params.items():
            if isinstance(value, torch.Generator):
                # Numpy's kernel draws from a generator of its own, seeded by torch's:
                # `mx.random.seed` decides it.
                params[key] = _Draws(value, name)
            elif isinstance(value, torch.device):
                _check_on_cpu(value, name)
                params[key] = None
        if out is None:
            # Results of numpy's kernels become tensors of their memory.
            return _tensors(compute(*arrays, **params))
        memory = tuple([None if x is None else _host_array(x, name) for x in out])
        return _to_out(compute(*arrays, **params, out=memory), memory, out)

    return run


def _check_on_cpu(device: torch.device, name: str) -> None:
    if device.type != "cpu":
        raise DeviceError(
            f"{name}: the torch table computes it on the CPU alone, and this is on {device}; "
            "move tensors there with as_in_context(mx.cpu()), or call it with ctx=mx.cpu()"
        )


def _host_array(tensor: Tensor, name: str) -> npt.NDArray[Any]:
    """Return a numpy array that shares the memory of a CPU tensor.

    Raises:
        DeviceError: The tensor is not on the CPU; the message names the kernel ``name``.
    """
    _check_on_cpu(tensor.device, name)
    return array_of(tensor)


class _Draws:
    """Numpy generator that is seeded from torch's generator on its first draw."""

    def __init__(self, generator: torch.Generator, name: str) -> None:
        _check_on_cpu(generator.device, name)
        self._generator = generator

    @cached_property
    def _new_generator(self) -> np.random.Generator:
        seed = torch.randint(0, 2**63 - 1, (), generator=self._generator)
        return np.random.Generator(np.random.PCG64(int(seed)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._new_generator, name)


def _tensors(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple([tensor_of(np.asarray(each)) for each in result])
    return tensor_of(np.asarray(result))


def _to_out(result: Any, memory: Sequence[Any], out: Sequence[Tensor | None]) -> Any:
    """Return results as tensors; arrays of ``memory`` become the tensors of ``out`` themselves."""
    if not isinstance(result, tuple):
        # What was written to memory that was given is that tensor itself, not another one of its
        # memory.
        return out[0] if result is memory[0] else _tensors(result)
    pairs = zip(result, memory, out, strict=False)
    known = [tensor if value is array else _tensors(value) for value, array, tensor in pairs]
    return (*known, *map(_tensors, result[len(known) :]))


def numpy_kernel(name: str) -> Function:
    """Return the numpy table's kernel of that name as a function of CPU tensors."""
    record = numpy_table().find(name)
    assert record is not None, name
    return _on_host(record)


def numpy_on_cpus(function: F) -> F:
    """Decorate a kernel to leave CPU tensors to the numpy table's kernel, which is faster there."""
    on_cpu = numpy_kernel(function.__name__)
    ELSEWHERE[function.__name__] = function

    @wraps(function)
    def selected(data: Tensor, *inputs: Tensor | None, **params: Any) -> Any:
        # On CPUs numpy's kernel is faster (it goes box by box); on GPUs torch's avoids a wait.
        return (on_cpu if data.is_cpu else function)(data, *inputs, **params)

    return cast("F", selected)
