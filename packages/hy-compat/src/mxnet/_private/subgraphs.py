"""Private functions of ``mxnet.symbol.contrib``: subgraphs of loops."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hy_symbol import AttrScope, Entry, Graph, Node, Symbol, sym
from hy_symbol.graph.rewriting import extract
from mxnet._private import nesting
from mxnet._private.absent import Absent
from mxnet._private.errors import CheckError
from mxnet._private.nesting import _regroup

__all__ = ["_regroup"]

backward_gradientmultiplier = nesting.backward_gradientmultiplier
backward_hawkesll = nesting.backward_hawkesll
backward_index_copy = nesting.backward_index_copy
backward_quadratic = nesting.backward_quadratic
quantize_asym = nesting.quantize_asym
quantized_rnn = nesting.quantized_rnn
_ADAMW = "MXNet 1.9.1's raises for any arguments; mx.nd.contrib.adamw_update takes arrays"
adamw_update = Absent("sym.contrib.adamw_update", _ADAMW)
mp_adamw_update = Absent("sym.contrib.mp_adamw_update", _ADAMW)
_set_value = Absent("sym._internal._set_value", "a graph cannot write; mx.sym.full makes numbers")

_numbers: Counter[str] = Counter()


def _flatten(args: Any, inout_str: str) -> tuple[list[Symbol], Any]:
    """Return the symbols in nested lists, with a group replaced by its outputs."""
    if isinstance(args, Symbol):
        length = len(args.list_outputs())
        return [args], length if length > 1 else 0
    return nesting.flatten(args, inout_str, Symbol, "Symbol")


def _check_data(inputs: Any, in_type: Any, msg: str) -> None:
    """Raise an error unless a value, or each of a list, is of a type.

    Raises:
        CheckError: A value is of another type; the message is ``msg``.
    """
    parts = inputs if isinstance(inputs, list | tuple) else [inputs]
    if not all(isinstance(part, in_type) for part in parts):
        raise CheckError(msg)


def _get_sym_uniq_name(sym: Symbol) -> str:  # MXNet's name
    """Return a unique name for a symbol: its node's name, and the number of its output."""
    node, output = sym.single_entry("_get_sym_uniq_name")
    return f"{node.name}-{output}"


def _get_graph_inputs(subg: Symbol) -> list[Symbol]:
    """Return the variables of a graph as symbols."""
    internals = subg.get_internals()
    outputs = internals.list_outputs()
    names = {*subg.list_arguments(), *subg.list_auxiliary_states()}
    return [internals[i] for i, name in enumerate(outputs) if name in names]


def _get_unique_subgraph_name(subgraph_name: str) -> str:
    """Return the name with a number that makes the name unique."""
    number = _numbers[subgraph_name]
    _numbers[subgraph_name] += 1
    return f"{subgraph_name}{number}"


def _mark(node: Node) -> str | None:
    return node.attrs.get("__subgraph_name__")


def _extract_subgraph(outputs: Sequence[Symbol], name: str | None) -> tuple[Graph, list[Entry]]:
    """Return the nodes of a named subgraph, and its inputs from outside."""
    variables: dict[Entry, Node] = {}

    def variable(entry: Entry) -> Node | None:
        node, i = entry
        if node.op is None or _mark(node) == name:
            return None
        # One variable for each output from outside, however many nodes read it.
        return variables.setdefault(entry, Node(None, node.output_name(i)))

    part, _ = extract([output.single_entry("_cut_subgraph") for output in outputs], variable)
    return part, list(variables)


def _cut_subgraph(subg: Symbol) -> list[Symbol]:
    """Return the inputs of a subgraph from outside, as symbols.

    Args:
        subg: A graph; nodes with the attribute ``__subgraph_name__`` are inside.
    """
    name = _mark(subg.single_entry("_cut_subgraph")[0])
    return (
        [] if name is None else [Symbol.of(entry) for entry in _extract_subgraph([subg], name)[1]]
    )


def _construct_subgraph(
    sym_out: Sequence[Symbol], sym_states: Sequence[Symbol], name: str
) -> Symbol:
    """Return the body of a loop as one graph, in which inputs from outside are variables.

    Args:
        sym_out: Outputs of a step.
        sym_states: States after the step.
        name: Attribute ``__subgraph_name__`` of nodes of the body.
    """
    with AttrScope(__subgraph_name__=name):
        outputs = [
            # An output that comes from outside as it is would have no node in the part.
            out if _mark(out.single_entry("output")[0]) == name else sym.identity(out)
            for out in sym_out
        ]
        states = [sym.identity(state) for state in sym_states]
    return Symbol(_extract_subgraph([*outputs, *states], name)[0])
