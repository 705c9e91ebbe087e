"""Constants: splits off parts of a graph that depend on known values only."""

from collections.abc import Callable, Collection, Mapping, Sequence

from hy_ndarray import Context, NDArray, autograd, current_context
from hy_symbol.graph.interpreter import interpret
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.purity import is_pure
from hy_symbol.graph.rewriting import on_inputs, rewrite
from hy_symbol.regions.running import node_outputs

__all__ = ["constant_nodes", "evaluate", "split_constants", "with_constants"]


def split_constants(
    graph: Graph, known: Collection[str], *, among: Callable[[Node], bool] | None = None
) -> tuple[Graph, dict[str, Entry]]:
    """Split off the parts of a graph that depend on certain variables only.

    Requires: the variables have different names. Ensures: the new graph computes the same if its
    new variables hold the values of the returned entries, which use variables of ``known`` only.
    Random operators, operators that overwrite an input, and operators that differ between training
    and prediction are not split off.

    Args:
        graph: The graph.
        known: Names of the variables with known values.
        among: Predicate of the nodes that may be split off; all if None.

    Returns:
        The graph with a new variable in place of each part, named after the replaced node, and the
        replaced entries by variable name.
    """
    constant = constant_nodes(graph, frozenset(known), among=among)
    parts: dict[str, Entry] = {}
    fresh: dict[Entry, Entry] = {}
    taken = {node.name for node in graph.variables}

    def moved(entry: Entry) -> Entry:
        node, i = entry
        if node not in constant or node.op is None:
            return entry
        if (node, i) not in fresh:
            # Files and reports show these variables under the names of what they stand for.
            name = _unused_name(node.name if node.num_visible == 1 else f"{node.name}{i}", taken)
            taken.add(name)
            parts[name] = entry
            fresh[node, i] = (Node(None, name), 0)
        return fresh[node, i]

    def cut(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
        if node in constant:
            return None
        return on_inputs(node, tuple(map(moved, inputs)))

    body = rewrite(graph, cut)
    return Graph(tuple(moved(entry) for entry in body.outputs), body.first), parts


def constant_nodes(
    graph: Graph, known: Collection[str], *, among: Callable[[Node], bool] | None = None
) -> set[Node]:
    """Return the nodes that depend on known variables only, including these variables.

    Args:
        graph: The graph.
        known: Names of the variables with known values.
        among: As for :func:`split_constants`.
    """
    constant: set[Node] = set()
    for node in graph.nodes:
        if node.op is None:
            fixed = node.name in known
        else:
            fixed = (
                all(source in constant for source, _ in node.inputs)
                and is_pure(node)
                # A generator, or the mode, differs between the runs that would share the value.
                and not node.op.needs - {"device"}
                and (among is None or among(node))
            )
        if fixed:
            constant.add(node)
    return constant


def _unused_name(name: str, taken: Collection[str]) -> str:
    """Return ``name``, with a number appended if it is taken."""
    candidate, k = name, 0
    while candidate in taken:
        k += 1
        candidate = f"{name}_{k}"
    return candidate


def evaluate(
    parts: Mapping[str, Entry], arrays: Mapping[str, NDArray], ctx: Context | None = None
) -> dict[str, NDArray]:
    """Compute entries that depend on known arrays only; return the values by name.

    Args:
        parts: The entries by name, as :func:`split_constants` returns them.
        arrays: Values of the variables that the entries depend on, by name.
        ctx: Context to compute on; that of the first array if None.
    """
    if not parts:
        return {}
    graph = Graph(tuple(parts.values()))
    selected = ctx or next((a.context for a in arrays.values()), current_context())
    values = {(node, 0): arrays[node.name].as_in_context(selected) for node in graph.variables}

    def compute(node: Node, inputs: list[NDArray]) -> Sequence[NDArray]:
        return node_outputs(node, inputs, selected, is_train=False)

    # Constants have no gradients, also if a user records meanwhile.
    with autograd.pause():
        interpret(graph.nodes, values, compute, set(graph.outputs))
    return {name: values[entry] for name, entry in parts.items()}


def with_constants(
    graph: Graph, arrays: Mapping[str, NDArray], ctx: Context | None = None
) -> tuple[Graph, dict[str, NDArray]]:
    """Fold the parts of a graph that depend on known arrays only into new variables.

    Requires: ``arrays`` fit the graph. Ensures: the new graph computes the same, given the returned
    values and the arrays that it still uses.

    Args:
        graph: The graph.
        arrays: Values of variables by name; empty: fold only what depends on no variable.
        ctx: Context to compute on; that of the first array if None.

    Returns:
        The graph and the values of its new variables.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import Symbol, sym
        >>> net = sym.broadcast_add(sym.var("x"), sym.sqrt(sym.var("b"), name="root"))
        >>> graph, values = with_constants(net.graph, {"b": nd.array([4, 9])})
        >>> Symbol(graph).list_arguments(), values["root"].asnumpy()
        (['x', 'root'], array([2., 3.], dtype=float32))
    """
    body, parts = split_constants(graph, arrays)
    return body, evaluate(parts, arrays, ctx)
