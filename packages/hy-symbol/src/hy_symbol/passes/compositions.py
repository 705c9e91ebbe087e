"""Decomposition: replaces derived operators by the operators they are composed of."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from hy_ndarray import Params
from hy_ndarray.ops import Composition, Operator, PartialType, Program
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import outputs_of, rewrite
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.target import Target

__all__ = ["open_derived", "with_open_compositions"]


def with_open_compositions(typed: TypedGraph, target: Target) -> TypedGraph:
    """Decompose the derived operators for which the device's tables have no kernel of their own.

    Their parts are then fused, laid out and deduplicated like all other nodes. Operators whose
    decomposition depends on sizes are kept, and their kernel runs the steps: otherwise each
    sequence length would have its own graph, planned and compiled separately.

    Requires: types. Ensures: the same values, variables in the same order, and names of outputs.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> net = sym.contrib.quadratic(sym.var("x"), a=1, b=2, c=3)
        >>> typed = TypedGraph.of(net.graph, [((2,), "float32")])
        >>> made = with_open_compositions(typed, Target(device_of(cpu()))).graph
        >>> [node.op.name for node in made.nodes if node.op]
        ['_mul_scalar', '_plus_scalar', 'elemwise_mul', '_plus_scalar']
    """
    kernels = target.device.kernels

    def is_to_open(op: Operator) -> bool:  # indices are checked in the name of the operator
        return kernels.is_composed(op.kernel) and not op.traits.indices

    derived = {node.op for node in typed.graph.nodes if node.op and node.op.composition}
    if not any(map(is_to_open, derived)):
        return typed
    return typed.rewritten(open_derived(typed.graph, is_to_open, typed.types, for_sizes=False))


def open_derived(
    graph: Graph,
    is_to_open: Callable[[Operator], bool],
    types: Types | None = None,
    *,
    for_sizes: bool = True,
) -> Graph:
    """Return the graph with selected derived operators decomposed.

    Ensures: the same values, variables in the same order, and names of outputs.

    Args:
        graph: The graph.
        is_to_open: Predicate that selects derived operators.
        types: Types of the graph; without them, operators whose decomposition depends on types are
            kept.
        for_sizes: Whether the result may be valid for the sizes in ``types`` only; if not,
            operators whose decomposition depends on sizes are kept.
    """
    levels = _TYPE_LEVELS if for_sizes else _TYPE_LEVELS[:-1]
    known = types
    opened = replace(graph, first=graph.variables)  # some operators use but the shape of an input

    def rule(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        op = node.op
        if op is None or op.composition is None or not is_to_open(op):
            return None
        program = _composition_steps(
            op, node, known, levels if known is not None else _TYPE_LEVELS[:1]
        )
        return None if program is None else _replayed(program, node, inputs)

    while True:
        before, opened = opened, rewrite(opened, rule)
        # Compositions may contain derived operators themselves.
        if opened.outputs == before.outputs:
            return graph if opened.outputs == graph.outputs else opened
        known = None if known is None else known.extended(opened)


def _composition_steps(
    op: Operator, node: Node, types: Types | None, levels: Sequence["_Level"]
) -> Program | None:
    """Return the steps that a node decomposes into, None if they depend on unknown types.

    Types are queried only as far as the steps depend on them, so that guards hold for more types.
    """
    composition = Composition(op)
    operands = node.operands(node.inputs)
    for known in levels:
        known_types = [None if entry is None else known(types, entry) for entry in operands]
        program = composition.program(known_types, node.params)
        if program is not None:
            return program
    return None


def _ranked(types: Types, entry: Entry) -> PartialType:
    rank = types.rank(entry)
    return None if rank is None else (None,) * rank, types.dtype(entry)


_Level: TypeAlias = Callable[[Any, Entry], PartialType]
_TYPE_LEVELS: tuple[_Level, ...] = (
    lambda types, entry: (None, None),  # noqa: ARG005
    lambda types, entry: (None, types.dtype(entry)),
    _ranked,
    lambda types, entry: (types.shape(entry), types.dtype(entry)),
)
"""Levels of detail of the operands' types: nothing, dtype, rank, and last all sizes."""


def _replayed(program: Program, node: Node, inputs: tuple[Entry, ...]) -> list[Entry]:
    """Return the outputs of new nodes for each step; the last has the name of ``node``."""
    names = [f"{node.name}_{step.op.kernel}{k}" for k, step in enumerate(program.steps)]
    left = iter([*names[:-1], node.name])

    def apply(op: Operator, operands: Sequence[Any], params: Params) -> list[Entry]:
        attrs = {
            name: op.params[name].text(value)
            for name, value in params.items()
            if name not in op.defaults or op.defaults[name] != value
        }
        entries = [entry for entry in operands if entry is not None]
        if op.variadic and op.count is not None:
            attrs[op.count] = str(len(entries))
        # Attributes with underscores, such as groups of devices, hold for every step.
        attrs |= {k: v for k, v in node.attrs.items() if k[:2] == k[-2:] == "__"}
        return outputs_of(Node(op, next(left), entries, attrs, params, beside=node))

    return program.replay(node.operands(inputs), apply)
