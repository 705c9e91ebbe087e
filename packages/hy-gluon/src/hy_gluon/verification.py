"""``verify(net, x)``: checks that all modes of execution of a block agree."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon._errors import BlockError
from hy_gluon.block import HybridBlock, SymbolBlock
from hy_gluon.execution.cached_op import CachedOp
from hy_gluon.trace.structure import flatten, regroup
from hy_ndarray import NDArray, autograd, dtype_name, nd, random
from hy_symbol import Symbol
from hy_symbol.execution.tiers import runs_before_code, runs_until_code

__all__ = ["VerificationError", "verify"]

_WAYS: dict[str, dict[str, Any]] = {
    "hybrid": {},
    "static": {"static_alloc": True, "static_shape": True},
}
"""Options of ``hybridize`` by mode of execution."""
_TOLERANCE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2}

Values = list[npt.NDArray[Any]]


class VerificationError(BlockError):
    """Two modes of execution of a block differ; names the first operator that differs."""


def verify(
    net: HybridBlock,
    *inputs: Any,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
    gradients: bool = True,
) -> dict[str, float]:
    """Run ``net`` in all modes of execution, and check that outputs and gradients agree.

    The modes are: operator by operator, hybridized, hybridized with static memory and shapes, and
    exported and loaded again. Outputs are compared in prediction mode; outputs and gradients of
    inputs and parameters in training mode. The block's ``hybridize`` setting is restored.

    Args:
        net: An initialized block.
        inputs: Arguments of the block: arrays, None, or nested lists of them.
        rtol: Relative tolerance; if None, it depends on the dtype of each output.
        atol: Absolute tolerance; if None, ``rtol`` times the largest magnitude, at least 1.
        seed: Random seed of each run, so that Dropout draws the same mask.
        gradients: Whether to check training mode, too; False for a quantized net, for example.

    Returns:
        Largest absolute difference by mode of execution.

    Raises:
        VerificationError: Values differ beyond the tolerance.

    Example:
        >>> from hy_gluon import nn
        >>> from hy_ndarray import nd
        >>> net = nn.HybridSequential()
        >>> net.add(nn.Dense(4, activation="relu"), nn.Dropout(0.5))
        >>> net.initialize()
        >>> sorted(verify(net, nd.ones((2, 3))))
        ['hybrid', 'reimported', 'static']
    """
    active, flags = net._active, dict(net._flags)
    check = _Check(net, inputs, rtol, atol, seed, gradients)
    try:
        return check.run()
    finally:
        net.hybridize(active, **(flags if active else {}))


class _Check:
    def __init__(
        self,
        net: HybridBlock,
        inputs: Sequence[Any],
        rtol: float | None,
        atol: float | None,
        seed: int,
        gradients: bool,
    ) -> None:
        self.net = net
        self.inputs = inputs
        self.rtol, self.atol = rtol, atol
        self.seed = seed
        self.gradients = gradients

    def run(self) -> dict[str, float]:
        self.net.hybridize(False)
        self.net(*self.inputs)  # initializes what waits for a shape, before anything is compared
        eager = self._computed_values(self.net, self.inputs)
        differences = {}
        for way, options in _WAYS.items():
            self.net.hybridize(True, **options)
            differences[way] = self._compare_runs(way, eager, self.net, self.inputs)
        flat = [x for x in flatten(self.inputs, "input")[0] if x is not None]
        differences["reimported"] = self._compare_runs(
            "reimported", eager, self._reimported(), flat
        )
        return differences

    def _compare_runs(
        self, way: str, eager: Values, block: HybridBlock, inputs: Sequence[Any]
    ) -> float:
        """Compare a block's first runs with eager values; return the largest difference.

        Successive runs cover the traced, the interpreted and the compiled graph.
        """
        differences = [self._compare(way, eager, self._computed_values(block, inputs))]
        graph = block._cached_graph
        runs = runs_until_code(len(graph[1].graph.nodes) if graph else 0)
        while len(differences) < runs:
            differences.append(self._compare(way, eager, self._computed_values(block, inputs)))
        return max(differences)

    def _computed_values(self, block: HybridBlock, inputs: Sequence[Any]) -> Values:
        """Return a block's outputs in prediction, then outputs and gradients in training."""
        # Dropout and the like draw the same in every way.
        random.seed(self.seed)
        values = [array.asnumpy() for array in _flat_arrays(block(*inputs))]
        if not self.gradients:
            return values
        # Moving averages change in each training step; every way has to begin from the same.
        states = self._states(block)
        flat, form = flatten(inputs, "input")
        arrays = [None if x is None else _learning(x) for x in flat]
        random.seed(self.seed)
        with autograd.record():
            outputs = _flat_arrays(block(*regroup(arrays, form)))
        values += [array.asnumpy() for array in outputs]
        if any(array.in_graph for array in outputs):
            block.collect_params().zero_grad()  # where gradients are added up
            autograd.backward([array for array in outputs if array.in_graph])
            values += [x.grad.asnumpy() for x in arrays if x is not None and x.grad is not None]
            values += self._gradients(block)
        for parameter, value in states:
            parameter.set_data(value)
        return values

    def _gradients(self, block: HybridBlock) -> Values:
        """Return gradients of the net's parameters as computed by ``block``, matched by name."""
        params = block.collect_params()
        gradients = []
        for name, parameter in self.net.collect_params().items():
            if parameter.grad_req != "null":  # one that is not used is not in a graph, either
                used = name in params
                gradient = params[name].grad() if used else nd.zeros_like(parameter.data())
                gradients.append(gradient.asnumpy())
        return gradients

    @staticmethod
    def _states(block: HybridBlock) -> list[tuple[Any, NDArray]]:
        """Return copies of the parameters without gradients, which training updates."""
        params = block.collect_params().values()
        return [(p, p.data().copy()) for p in params if p.grad_req == "null"]

    def _reimported(self) -> SymbolBlock:
        with tempfile.TemporaryDirectory() as folder:
            symbol_file, params_file = self.net.export(
                str(Path(folder) / "net"), remove_amp_cast=False
            )
            names = [symbol.name or "" for symbol in self.net._get_graph(*self.inputs)[0]]
            return SymbolBlock.imports(symbol_file, names, params_file, ignore_extra=True)

    def _compare(self, way: str, expected: Values, actual: Values) -> float:
        largest = 0.0
        for i, (x, y) in enumerate(zip(expected, actual, strict=True)):
            if x.shape != y.shape:
                raise self._error(way, f"value {i} is {y.shape} instead of {x.shape}")
            tolerance = _TOLERANCE.get(dtype_name(x.dtype), 0.0)
            rtol = tolerance if self.rtol is None else self.rtol
            atol = rtol * _largest_magnitude(x) if self.atol is None else self.atol
            difference = np.abs(x.astype(np.float64) - y.astype(np.float64))
            worst = float(np.nanmax(difference)) if difference.size else 0.0
            largest = max(largest, worst)
            if not np.allclose(x.astype(np.float64), y.astype(np.float64), rtol, atol, True):
                raise self._error(way, f"value {i} differs by {worst:.3g}")
        return largest

    def _error(self, way: str, what: str) -> VerificationError:
        operator = self._first_difference()
        where = f"; the first operator that differs is {operator}" if operator else ""
        return VerificationError(f"{self.net.name}: {way} differs from eager: {what}{where}")

    def _first_difference(self) -> str | None:
        """Return the first node whose value differs between eager and compiled runs, or None."""
        data, out = self.net._get_graph(*self.inputs)
        params = self.net.collect_params()
        flat = [x for x in flatten(self.inputs, "input")[0] if x is not None]
        by_name = {symbol.name: array for symbol, array in zip(data, flat, strict=True)}
        arrays = [by_name[n] if n in by_name else params[n].data() for n in out.list_inputs()]
        alone: dict[str, npt.NDArray[Any]] = {}
        watched = CachedOp(out)
        # A monitor makes the graph run operator by operator.
        watched.monitor(lambda name, _, array: alone.update({name: array.asnumpy()}))
        internals = _operator_outputs(out)
        self._seeded(lambda: watched(*arrays))
        program = CachedOp(internals)
        # Step by step, and compiled.
        for _ in range(runs_before_code(len(internals.graph.nodes)) + 1):
            together = self._seeded(lambda: program(*arrays))
            for name, array in zip(internals.list_outputs(), _flat_arrays(together), strict=True):
                value = array.asnumpy()
                if not np.allclose(alone[name], value, rtol=1e-4, atol=1e-4, equal_nan=True):
                    return repr(name)
        return None

    def _seeded(self, call: Callable[[], Any]) -> Any:
        random.seed(self.seed)
        return call()


def _learning(x: NDArray) -> NDArray:
    """Return a copy with an attached gradient, unless its dtype is integer or bool."""
    copied = x.copy()
    if np.dtype(x.dtype).kind not in "iub":
        copied.attach_grad()
    return copied


def _operator_outputs(out: Symbol) -> Symbol:
    """Return a symbol of all outputs of all operators in a graph."""
    graph = out.get_internals().graph
    return Symbol.of(*((node, i) for node, i in graph.outputs if node.op is not None))


def _flat_arrays(outputs: Any) -> list[NDArray]:
    return [array for array in flatten(outputs, "output")[0] if array is not None]


def _largest_magnitude(values: np.ndarray[Any, Any]) -> float:
    """Return the largest finite magnitude, at least 1, to scale the tolerance."""
    finite = np.abs(values[np.isfinite(values)])
    return max(1.0, float(finite.max(initial=0)))
