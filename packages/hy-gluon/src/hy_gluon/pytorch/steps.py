"""Steps: a graph's nodes as calls of the torch table's kernels, which PyTorch can trace."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch

from hy_gluon.pytorch.mapping import is_transformed, mapped_kernel
from hy_gluon.pytorch.tensors import torch_device
from hy_symbol import Entry, Node, topological

__all__ = ["Steps"]


class _Step(NamedTuple):
    """Kernel call on values numbered from the inputs on."""

    kernel: Callable[..., Any]
    operands: tuple[int | None, ...]
    params: dict[str, Any]
    needs: tuple[str, ...]
    number: int
    """Number of results, including updated states."""
    draws: bool
    """Whether the kernel draws random numbers."""


class Steps:
    """Computes graph entries from others on tensors of any device, without writing to inputs.

    Args:
        inputs: Entries whose values are passed to a call.
        outputs: The entries to compute.
        is_train: Whether operators run in training mode.
    """

    def __init__(
        self, inputs: Sequence[Entry], outputs: Sequence[Entry], *, is_train: bool
    ) -> None:
        self.is_train = is_train
        self._steps: list[_Step] = []
        index = {entry: k for k, entry in enumerate(inputs)}
        self._count = len(index)
        states: dict[Entry, int] = {}
        # Inputs end the walk, so a backward graph can start at saved values.
        for node in topological(outputs, set(inputs).__contains__):
            changed = self._add(node, index)
            states.update((entry, index[entry]) for entry in changed)
        self.states: tuple[Entry, ...] = tuple(states)
        """The inputs that the graph updates."""
        self._results = tuple([index[entry] for entry in outputs] + list(states.values()))
        self._own = len(inputs)
        self._outputs = len(outputs)

    def _add(self, node: Node, index: dict[Entry, int]) -> list[Entry]:
        """Append the kernel call of a node; return the input entries that the node updates."""
        op = node.op
        assert op is not None
        entries = node.operands(node.inputs)
        operands = tuple(None if entry is None else index[entry] for entry in entries)
        changed = [entries[i] for i in op.updated(node.params, self.is_train)]
        targets = [*((node, i) for i in range(node.num_outputs)), *changed]
        # The torch table's kernels, whichever table serves hy.
        kernel = op.kernel_on(torch_device(), is_train=self.is_train)
        needs, draws = tuple(sorted(op.needs)), op.draws(node.params, self.is_train)
        step = _Step(
            kernel,
            operands=operands,
            params=dict(node.params),
            needs=needs,
            number=len(targets),
            draws=draws,
        )
        self._steps.append(step)
        index.update((entry, self._count + k) for k, entry in enumerate(targets))
        self._count += len(targets)
        return changed

    def __call__(self, *tensors: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Return the outputs, all distinct tensors, and the updated values of the states."""
        values = list(tensors)
        is_mapped = is_transformed()
        for kernel, operands, params, needs, number, draws in self._steps:
            args = [None if i is None else values[i] for i in operands]
            keywords = self._with_needs(params, needs, tensors[0])
            if is_mapped:
                # Under vmap each kernel is mapped by itself: one that PyTorch cannot map does not
                # spoil the others.
                whole = mapped_kernel(partial(kernel, **keywords), draws=draws)
                outputs = whole(*args)
            else:
                outputs = kernel(*args, **keywords)
            if isinstance(outputs, tuple):
                values.extend(outputs[:number])
            else:
                values.append(outputs)
        results: list[Any] = []
        taken = set(range(self._own))
        for k in self._results:
            # Autograd functions must not return an input, or one tensor twice.
            results.append(values[k].clone() if k in taken else values[k])
            taken.add(k)
        return tuple(results[: self._outputs]), tuple(results[self._outputs :])

    def _with_needs(
        self, params: dict[str, Any], needs: tuple[str, ...], tensor: Any
    ) -> dict[str, Any]:
        if not needs:
            return params
        known = {"is_train": self.is_train, "device": tensor.device}
        return params | {key: _generator(tensor) if key == "rng" else known[key] for key in needs}


def _generator(tensor: Any) -> Any:
    """Return PyTorch's default generator for a tensor's device; while compiling, the device."""
    # A generator cannot be an argument of a compiled program; the device stands for its default
    # one.
    if torch.compiler.is_compiling():
        return tensor.device
    if tensor.device.type == "cuda":
        return torch.cuda.default_generators[tensor.device.index]
    return torch.mps._get_default_mps_generator() if tensor.is_mps else torch.default_generator
