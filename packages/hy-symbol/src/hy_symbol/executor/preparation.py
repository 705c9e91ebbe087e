"""Preparation: a graph as a kernel table predicts with it, and what is computed once for that."""

from collections.abc import Sequence

from hy_ndarray import Device, NDArray, dtype_name
from hy_symbol.backends import PREDICTION, optimize
from hy_symbol.compile.arena import Pool
from hy_symbol.execution.program import Program
from hy_symbol.graph.rewriting import is_op
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["Preparation"]


_KINDS = "Convolution", "_contrib_quantized_conv"
_LEAST = 1 << 20
"""Bytes of weights that are worth another layout: with few channels, runs of memory are short."""


def _has_large_convolutions(typed: TypedGraph, device: Device) -> bool:
    """Whether a graph has convolutions whose weights can be held as suits the device."""
    if device.lowers is None:
        return False
    convolutions = [node for node in typed.graph.nodes if any(is_op(node, k) for k in _KINDS)]
    weights = {node.inputs[1] for node in convolutions}
    return sum(map(typed.types.nbytes, weights)) >= _LEAST


class Preparation:
    """A graph as it is predicted with, and what of that follows from variables alone.

    Normalisation is part of the layer in front of it. Large convolutions are as the kernel table
    has them for prediction.

    Executors share it; each has values of its own.

    Requires: names of variables are unique.

    Args:
        typed: The graph.
        device: Where it will run.
    """

    def __init__(self, typed: TypedGraph, device: Device) -> None:
        names = [node.name for node in typed.graph.variables]
        choices = (
            PREDICTION if _has_large_convolutions(typed, device) else [("fold_batch_norm", {})]
        )
        made = optimize(
            typed.graph, choices, types=typed.types, arrays={}, parameters=names, device=device
        )
        self.plan = made
        self.names = names
        """Of the variables, in order."""
        self.device = device
        self._program: Program | None = None

    @classmethod
    def of(cls, typed: TypedGraph, device: Device) -> "Preparation | None":
        """That of a graph, None where nothing follows from variables alone."""
        variables = typed.graph.variables
        if len({node.name for node in variables}) < len(variables):
            return None
        found = cls(typed, device)
        return found if found.plan.prepared else None

    def program(self, inputs: Sequence[NDArray], pool: Pool) -> Program:
        """The program for arrays of these types, in memory of a pool."""
        if self._program is None:
            known = [(array.shape, dtype_name(array.dtype)) for array in inputs]
            typed = TypedGraph.of(self.plan.graph, known)
            self._program = Program.of(typed, self.device, is_train=False, pool=Pool())
        return self._program.in_memory_of(pool)
