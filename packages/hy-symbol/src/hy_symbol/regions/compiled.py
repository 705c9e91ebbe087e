"""CompiledRegion: a graph compiled by a backend with constants, for all signatures."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from hy_ndarray import Buffer, Device, HyError, NDArray, dtype_name
from hy_symbol._errors import RegionRefused
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.infer.inference_cache import Known
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.regions.grouping import grouped
from hy_symbol.regions.protocols import Run, Runner
from hy_symbol.regions.region import region_node

__all__ = ["CompiledRegion"]

_MAX_RUNS = 16
"""Signatures whose functions are cached."""
_Signature: TypeAlias = tuple[tuple[tuple[int, ...], Any], ...]


class CompiledRegion:
    """Runs a graph that a backend compiles for the first signature, then once for dynamic sizes.

    Nodes that the backend refuses run on the device's kernels, and the other nodes as separate
    regions. Thread-safe.

    Args:
        graph: The graph.
        constants: Values of the variables that are constants.
        device: The device on which it runs.
        runner: The backend.
        named: Name of the backend, and its options.
        compute: Fallback that computes a graph node by node, given a buffer for each variable.
    """

    def __init__(
        self,
        graph: Graph,
        constants: Mapping[Node, NDArray],
        device: Device,
        runner: Runner,
        named: tuple[str, Mapping[str, Any]],
        compute: Callable[..., Sequence[Buffer]],
    ) -> None:
        self._graph = graph
        self._constants = constants
        self._device = device
        self._runner = runner
        self._backend, self._options = named
        self._compute = compute
        self._lock = threading.RLock()
        self._runs: dict[_Signature, Run] = {}
        self._without: dict[tuple[Any, ...], Run] = {}
        self._first: list[Known] | None = None
        self._open: tuple[list[Known], Run] | None = None
        self._opens = True
        self.refused: dict[str, str] = {}
        """Reason why the backend leaves a node out, by operator and name; ``""``: all nodes."""
        self.regions: list[Node] = []
        """The regions that the backend runs after it refused other nodes."""

    def run(self, data: Sequence[Buffer]) -> Sequence[Buffer]:
        """Return the outputs for one buffer per variable that is not a constant."""
        signature = tuple([(x.shape, x.dtype) for x in data])
        run = self._runs.get(signature) or self._new(signature, data)
        try:
            return run(*data)
        # Some engines refuse a node only when they run it; later runs use the fallback at once.
        except RegionRefused as refused:
            with self._lock:
                run = self._runs[signature] = self._fallback(refused)
            return run(*data)

    def _new(self, signature: _Signature, data: Sequence[Buffer]) -> Run:
        with self._lock:
            # Another thread may have compiled it while this one waited.
            run = self._runs.get(signature)
            if run is None:
                kinds = tuple([dtype for _, dtype in signature])
                run = self._without.get(kinds)
                if run is None:
                    dtype = self._device.memory.dtype
                    try:
                        run = self._compile([(tuple(x.shape), dtype(x)) for x in data])
                    except RegionRefused as refused:
                        run = self._without[kinds] = self._fallback(refused)
                # The oldest go first; dictionaries keep the order.
                while len(self._runs) >= _MAX_RUNS:
                    del self._runs[next(iter(self._runs))]
                self._runs[signature] = run
            return run

    def _compile(self, data: list[Known]) -> Run:
        first, self._first = self._first, self._first or data
        if self._open is not None and _matches_sizes(data, self._open[0]):
            return self._open[1]
        # The second signature tells which sizes vary: one compilation for all of them.
        sizes = _opened(first, data) if first is not None and self._opens else None
        if sizes is not None:
            try:
                self._open = sizes, self._compiled_for(sizes)
            except HyError:
                # A backend that refuses open sizes is not asked again.
                self._opens = False
            else:
                return self._open[1]
        return self._compiled_for(data)

    def _compiled_for(self, data: Sequence[Known]) -> Run:
        """Compile the graph for the types of the inputs that are not constants."""
        rest = iter(data)
        constants = self._constants
        known = [
            (constants[node].shape, dtype_name(constants[node].dtype))
            if node in constants
            else next(rest)
            for node in self._graph.variables
        ]
        typed = TypedGraph.of(self._graph, known)
        return self._runner.compile(typed, constants, self._device, self._options)

    def _fallback(self, refused: RegionRefused) -> Run:
        """Return a function that runs the nodes the backend refuses on the device's kernels."""
        graph = self._graph
        names = {node.name for node in graph.nodes if node.op is not None} & refused.nodes.keys()
        if not names:
            self.refused[""] = str(refused)
            return lambda *data: self._compute(graph, buffers=self._all_buffers(data))
        for node in graph.nodes:
            if node.op is not None and node.name in names:
                self.refused[f"{node.op.name} '{node.name}'"] = refused.nodes[node.name]

        def takes(node: Node) -> bool:
            return node.name not in names and self._runner.takes(node)

        def make(body: Graph, inputs: Sequence[Entry], name: str) -> Node:
            fixed = [k for k, (node, _) in enumerate(inputs) if node in self._constants]
            return region_node(body, inputs, name, self._backend, self._options, fixed)

        split = grouped(graph, takes, make)
        split = Graph(split.outputs, graph.variables)
        self.regions = [node for node in split.nodes if node.is_region]
        return lambda *data: self._compute(split, buffers=self._all_buffers(data))

    def _all_buffers(self, data: Sequence[Buffer]) -> list[Buffer]:
        """Return a buffer for each variable: of ``data``, or of a constant."""
        rest, constants = iter(data), self._constants
        return [
            constants[node].buffer if node in constants else next(rest)
            for node in self._graph.variables
        ]


def _opened(first: Sequence[Known], second: Sequence[Known]) -> list[Known] | None:
    """Return types with None for sizes that differ, or None if an axis would need two sizes."""
    opened: list[Known] = []
    for (one, dtype), (other, kind) in zip(first, second, strict=True):
        if one is None or other is None or dtype != kind or len(one) != len(other):
            return None
        opened.append(
            (tuple(a if a == b else None for a, b in zip(one, other, strict=True)), dtype)
        )
    return opened if _matches_sizes(first, opened) and _matches_sizes(second, opened) else None


def _matches_sizes(data: Sequence[Known], opened: Sequence[Known]) -> bool:
    """Return whether types match ``opened``, with the same size for all open sizes of an axis."""
    sizes: dict[int, int | None] = {}
    for (shape, dtype), (wanted, kind) in zip(data, opened, strict=True):
        if shape is None or wanted is None or dtype != kind or len(shape) != len(wanted):
            return False
        for axis, (size, fixed) in enumerate(zip(shape, wanted, strict=True)):
            if size != (sizes.setdefault(axis, size) if fixed is None else fixed):
                return False
    return True
