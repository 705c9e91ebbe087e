"""Groups of pointwise steps compiled to one function by ``torch.compile``, on request."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import torch

from hy_kernels.record import Function
from hy_kernels.torch._tensor import OutBuffers, Tensor


class Call(Protocol):
    """A step: a kernel's function, its operands by number, and its parameters."""

    @property
    def function(self) -> Function: ...
    @property
    def operands(self) -> Sequence[int]: ...
    @property
    def params(self) -> Mapping[str, Any]: ...


class Compiled:
    """Kernel that runs steps as one function of ``torch.compile``, compiled on first use.

    Args:
        calls: The steps, in order.
        inputs: Number of inputs.
        results: Numbers of the values to return.
        compiler: A backend of ``torch.compile``.
    """

    def __init__(
        self, calls: Sequence[Call], inputs: int, results: Sequence[int], compiler: str
    ) -> None:
        self._calls = calls
        self._inputs = inputs
        self._results = results
        self._compiler = compiler
        self._runs: dict[tuple[bool, ...], Callable[..., tuple[Tensor, ...]]] = {}
        """Compiled functions, by which results have out buffers."""

    def __call__(self, *tensors: Tensor, out: OutBuffers = None) -> tuple[Tensor, ...]:
        """Return the results, in the out buffers where there are any."""
        buffers = out or (None,) * len(self._results)
        operands = tuple([memory is not None for memory in buffers])
        run = self._runs.get(operands)
        if run is None:
            module = self._module(operands)
            # dynamic=False: shapes of a step are fixed, and torch compiles faster for them.
            result = torch.compile(module, backend=self._compiler, dynamic=False)
            run = self._runs.setdefault(operands, result)
        with torch.no_grad():
            return run(*tensors, *[memory for memory in buffers if memory is not None])

    def _module(self, has_memory: Sequence[bool]) -> torch.nn.Module:
        """Return the steps as a module, whose code torch compiles separately from other groups."""
        # A GraphModule has code of its own; torch recompiles one code object eight times at most.
        graph = torch.fx.Graph()
        values = [graph.placeholder(f"x{k}") for k in range(self._inputs)]
        buffers = [
            graph.placeholder(f"out{k}") if there else None for k, there in enumerate(has_memory)
        ]
        for call in self._calls:
            operands = tuple([values[i] for i in call.operands])
            values.append(graph.call_function(call.function, operands, dict(call.params)))
        result = []
        # Results are copied into memory after all reads, since ``out`` may be an operand's memory.
        for i, memory in zip(self._results, buffers, strict=True):
            value = values[i]
            result.append(value if memory is None else graph.call_method("copy_", (memory, value)))
        graph.output(tuple(result))
        return torch.fx.GraphModule(torch.nn.Module(), graph)
