"""Fusion of pointwise steps: one kernel that runs them in turn, or is compiled by torch.

One-element tensors on the CPU are computed as numbers, without tensor operations.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch

from hy_kernels.numbers import Arithmetic, arithmetic
from hy_kernels.pointwise import Group
from hy_kernels.record import Function, Kernel
from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.torch.runtime._compiled import Compiled


class _Call(NamedTuple):
    function: Function
    operands: tuple[int, ...]
    params: Mapping[str, Any]
    result: int | None
    """Index of the group's result that it computes, if any."""
    ended: tuple[int, ...]
    """Values whose last use this is."""


def fuse(group: Group, find: Callable[[str], Kernel | None], compiler: str | None = None) -> Kernel:
    """Return one kernel for a group of pointwise steps.

    The kernel takes ``out=``, an out buffer or None for each result. An out buffer may be an input
    that no step reads after the result is written.

    Args:
        group: The steps, all of pointwise kernels.
        find: Returns a kernel by its name.
        compiler: Backend of ``torch.compile`` that compiles the steps to one function; None: they
            run in turn.
    """
    # Each value is freed after its last use: the allocator reuses its memory within the group.
    last = {value: k for k, step in enumerate(group.steps) for value in step.operands}
    position = {value: j for j, value in enumerate(group.results)}
    calls = []
    for k, step in enumerate(group.steps):
        record = find(step.kernel)
        assert record is not None, step.kernel
        # Results stay, whoever reads them last.
        ended = tuple({value for value in step.operands if last[value] == k} - position.keys())
        result = position.get(group.inputs + k)
        calls.append(_Call(record.function, tuple(step.operands), step.params, result, ended))
    name = "+".join(step.kernel for step in group.steps)
    results = tuple(group.results)
    fused: Function = _Fused(calls, results)
    if compiler is not None:
        fused = Compiled(calls, group.inputs, results, compiler)
    compute = arithmetic(group)
    if compute is None:
        return Kernel(name, fused, out="in place")
    return Kernel(name, _Numbers(compute, fused, *group.type), out="in place")


class _Numbers:
    """Fused kernel that computes one-element tensors on CPUs as Python numbers."""

    def __init__(
        self, compute: Arithmetic, fused: Function, shape: tuple[int, ...], dtype: str
    ) -> None:
        self._compute = compute
        self._fused = fused
        self._shape = shape
        self._dtype = torch_type(dtype)
        self._number = np.dtype(dtype).type

    def __call__(self, *tensors: Tensor, out: OutBuffers = None) -> tuple[Tensor, ...]:
        """Return the results, in the out buffers where there are any."""
        # ``item()`` on a GPU would wait for all that is queued.
        if not tensors[0].is_cpu:
            results: tuple[Tensor, ...] = self._fused(*tensors, out=out)
            return results
        # numpy's scalar of the dtype: rounding and overflow are those of arrays.
        values = self._compute(*[self._number(x.item()) for x in tensors])
        targets = out or (None,) * len(values)
        return tuple([self._to_out(*each) for each in zip(values, targets, strict=True)])

    def _to_out(self, value: Any, memory: Tensor | None) -> Tensor:
        number = value.item()
        if memory is None:
            return torch.full(self._shape, number, dtype=self._dtype)
        return memory.fill_(number)


class _Fused:
    """Fused kernel that runs its steps in turn, and frees each value after its last use."""

    def __init__(self, calls: list[_Call], results: tuple[int, ...]) -> None:
        self._calls = calls
        self._results = results

    def __call__(self, *tensors: Tensor, out: OutBuffers = None) -> tuple[Tensor, ...]:
        """Return the results, in the out buffers where there are any."""
        values: list[Any] = list(tensors)
        for call in self._calls:
            operands = [values[i] for i in call.operands]
            memory = None if out is None or call.result is None else out[call.result]
            outs = None if memory is None else (memory,)
            values.append(call.function(*operands, **call.params, out=outs))
            for i in call.ended:
                values[i] = None
        return tuple([values[i] for i in self._results])
