"""Loops and branches in graphs: ``sym.contrib.foreach``, ``while_loop`` and ``cond``."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from hy_ndarray import ArgumentError
from hy_ndarray.core.casting import cast_states
from hy_ndarray.foreign import kind_of
from hy_ndarray.nd.nested import Form, flattened, regrouped, steps
from hy_symbol.graph import attribute, name as naming
from hy_symbol.graph.attribute import AttrScope
from hy_symbol.graph.control import CONTROL, check
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import extract
from hy_symbol.infer.trace import current_trace
from hy_symbol.sym._functions import add_node
from hy_symbol.symbol.np_symbol import NumpySymbol
from hy_symbol.symbol.symbol import Symbol

_MARK = "__subgraph_name__"


def _flat_symbols(value: Any, what: str) -> tuple[list[Symbol], Form]:
    """Return the symbols of a nested list, and its structure."""
    return flattened(value, Symbol, what)


class _Part:
    """Subgraph under construction, extracted after a user's function was called on placeholders."""

    def __init__(self, name: str) -> None:
        AttrScope._subgraph_names[name] += 1
        # A part within a part is marked by both names.
        around = attribute.merged(None).get(_MARK)
        self.name = naming.innermost().get(None, name if around is None else f"{around}${name}")
        self.placeholders: list[Node] = []

    def placeholder(self, outer: Symbol, *, sliced: bool = False) -> Symbol:
        """Create the subgraph's variable for an outer symbol, or for a slice of it."""
        node, i = outer.single_entry(self.name)
        variable = Node(None, f"{node.name}-{i}", attrs={_MARK: self.name})
        self.placeholders.append(variable)
        # In a trace the placeholder's type is known, without its first axis where it is sliced.
        trace = current_trace()
        if trace is not None:
            shape, dtype = trace.type_of((node, i))
            trace.declare(variable, shape[1:] if shape is not None and sliced else shape, dtype)
        return Symbol.of((variable, 0))

    def scope(self) -> AttrScope:
        """Scope that marks new nodes as part of the subgraph."""
        return AttrScope(**{_MARK: self.name})

    def cut(self, results: Sequence[Symbol]) -> tuple[Graph, dict[Node, Entry]]:
        """Extract the subgraph of ``results``; return it, and its variables' outer entries.

        A result that is not computed inside is copied by an ``identity`` node. Values computed
        outside become variables of the subgraph; outer variables are used as they are. Placeholders
        are not in the mapping.
        """
        entries = []
        with self.scope():
            for result in results:
                entry = result.single_entry(self.name)
                if not self._is_inside(entry[0]):
                    # An output must be made inside, or the subgraph would be empty.
                    entry = add_node("identity", result).single_entry()
                entries.append(entry)
        own = set(self.placeholders)

        def variable(entry: Entry) -> Node | None:
            node, i = entry
            if self._is_inside(node):
                return None
            # Variables are inputs of the whole graph; computed values are inputs of the subgraph.
            return node if node.op is None else Node(None, node.output_name(i))

        part, stands_for = extract(entries, variable)
        return part, {node: entry for node, entry in stands_for.items() if node not in own}

    def _is_inside(self, node: Node) -> bool:
        return node.op is not None and node.attrs.get(_MARK) == self.name

    def positions(self, graph: Graph, what: str) -> list[int]:
        """Return the position of each placeholder among the variables of the subgraph.

        Raises:
            ArgumentError: A placeholder is not used.
        """
        position = {node: i for i, node in enumerate(graph.variables)}
        unused = [node.name for node in self.placeholders if node not in position]
        if unused:
            raise ArgumentError(f"{what}: the body does not use {', '.join(unused)}")
        return [position[node] for node in self.placeholders]


class _Inputs:
    """Inputs of a control-flow node, in the order in which its subgraphs use them.

    Files and ``list_arguments`` list them in this order. A value that several subgraphs use is one
    input, and so are variables of one name, as branches create them anew.
    """

    def __init__(self, operands: Sequence[Entry] = ()) -> None:
        self.entries: list[Entry] = []
        self._operands = operands
        self._of_operands: dict[int, int] = {}
        self._of_others: dict[Hashable, int] = {}

    def feed(self, part: _Part, graph: Graph, outside: dict[Node, Entry]) -> list[int]:
        """Return for each variable of a subgraph the position of the node's input that feeds it."""
        own = {node: i for i, node in enumerate(part.placeholders)}
        return [
            self._position(self._of_operands, own[node], self._operands[own[node]])
            if node in own
            else self._position(self._of_others, _identity(outside[node]), outside[node])
            for node in graph.variables
        ]

    def _position(self, known: dict[Any, int], key: object, entry: Entry) -> int:
        # The same value read by two parts is one input, as MXNet lists it.
        if key not in known:
            known[key] = len(self.entries)
            self.entries.append(entry)
        return known[key]


def _identity(entry: Entry) -> Hashable:
    node, index = entry
    return node.name if node.is_variable else (id(node), index)


def _node(
    op: str, inputs: Sequence[Entry], graphs: Sequence[Graph], **params: Any
) -> Callable[[int], Symbol]:
    """Create a control-flow node; return a function from the index of an output to its symbol."""
    record = CONTROL[op]
    params["num_args"] = len(inputs) + len(graphs)
    params["num_outputs"] = len(graphs[-1].outputs)
    attrs = {**record.texts(params), **attribute.merged(None)}
    name_out = naming.innermost().get(None, op)
    node = Node(record, name_out, inputs, attrs, record.parse(params), graphs)
    check(node)
    return lambda i: Symbol.of((node, i))


def _in_class_of(operands: Sequence[Symbol], results: list[Symbol]) -> list[Symbol]:
    """Return the results as NumPy symbols if any operand is one."""
    if any(isinstance(x, NumpySymbol) for x in operands):
        return [x.as_np_ndarray() for x in results]
    return results


def foreach(
    body: Callable[[Any, Any], tuple[Any, Any]],
    data: Any,
    init_states: Any,
    name: str = "foreach",
) -> tuple[Any, Any]:
    """Call ``body`` for each slice of ``data`` along axis 0, passing states on, like a scan.

    Args:
        body: ``body(slice, states) -> (outputs, states)``; called once, on symbols.
        data: A symbol, or a nested list of symbols with the same number of slices.
        init_states: The states before the first step: a symbol or a nested list of symbols.
        name: Name of the subgraph.

    Returns:
        The outputs of all steps, stacked along a new first axis, and the last states, in the
        structures that the body returned.

    Raises:
        ArgumentError: ``data`` or a result of the body is not a nested list of symbols, the body
            returns states of another structure, or it does not use a slice or a state.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import sym
        >>> sums, last = foreach(lambda x, s: (x + s, x + s), sym.var("x"), sym.var("s"))
        >>> sums.eval(x=nd.array([[1], [2], [3]]), s=nd.array([0]))[0].asnumpy()
        array([[1.],
               [3.],
               [6.]], dtype=float32)
    """
    items, data_form = _flat_symbols(data, "foreach: data")
    states, state_form = _flat_symbols(init_states, "foreach: init_states")
    states = cast_states(states)
    if not items:
        raise ArgumentError("foreach: data is empty; give a symbol or a list of symbols")
    part = _Part(name)
    slices = [part.placeholder(x, sliced=True) for x in items]
    old_states = [part.placeholder(x) for x in states]
    with part.scope():
        returned = body(regrouped(data_form, slices), regrouped(state_form, old_states))
        outputs, out_form, new_states, form = _returned("foreach", returned)
    if form != state_form:
        raise ArgumentError("foreach: the body must return states in the structure of init_states")
    graph, outside = part.cut([*outputs, *new_states])
    positions = part.positions(graph, "foreach")
    own = set(part.placeholders)
    remain = [i for i, node in enumerate(graph.variables) if node not in own]
    inputs = [x.single_entry("foreach") for x in (*items, *states)]
    inputs += [outside[graph.variables[i]] for i in remain]
    result = _node(
        "_foreach",
        inputs,
        [graph],
        num_out_data=len(outputs),
        in_data_locs=positions[: len(items)],
        in_state_locs=positions[len(items) :],
        remain_locs=remain,
    )
    results_out = _in_class_of([*items, *states], [result(i) for i in range(len(graph.outputs))])
    return regrouped(out_form, results_out[: len(outputs)]), regrouped(
        state_form, results_out[len(outputs) :]
    )


def _returned(what: str, returned: Any) -> tuple[list[Symbol], Form, list[Symbol], Form]:
    """Flatten a body's result to outputs, their structure, states and their structure."""
    if not isinstance(returned, list | tuple) or len(returned) != 2:  # noqa: PLR2004
        raise ArgumentError(f"{what}: the body must return outputs and states")
    outputs, out_form = _flat_symbols(returned[0], f"{what}: outputs")
    new_states, form = _flat_symbols(returned[1], f"{what}: states")
    return outputs, out_form, cast_states(new_states), form


def while_loop(
    cond: Callable[..., Symbol],
    func: Callable[..., tuple[Any, Any]],
    loop_vars: Any,
    max_iterations: int | None = None,
    name: str = "while_loop",
) -> tuple[Any, Any]:
    """While loop: call ``func`` on its own results as long as ``cond`` of them holds.

    Args:
        cond: ``cond(*loop_vars)`` returns a symbol with one element, nonzero to continue; called
            once.
        func: ``func(*loop_vars) -> (outputs, loop_vars)``; called once, on symbols. Outputs may be
            None, and a single loop variable need not be in a list.
        loop_vars: A symbol, or a list of symbols.
        max_iterations: Maximal number of steps.
        name: Name prefix of the nodes inside.

    Returns:
        The outputs of all steps, stacked along a new first axis of size ``max_iterations`` with
        zeros after the last step, and the last values of ``loop_vars``, in the same structure.

    Raises:
        ArgumentError: ``max_iterations`` is missing or below 1, ``loop_vars`` is empty, ``func``
            returns another number of variables, the condition is not a symbol, or ``func`` does not
            use a variable.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import sym
        >>> _, last = while_loop(lambda i: i < 100, lambda i: ([], i * 3), sym.var("i"), 9)
        >>> last.eval(i=nd.array([1]))[0].asnumpy()
        array([243.], dtype=float32)
    """
    max_steps = steps(max_iterations)
    if max_steps < 1:
        raise ArgumentError(f"while_loop: max_iterations={max_steps} must be at least 1 in a graph")
    variables, form = _flat_symbols(loop_vars, "while_loop: loop_vars")
    if not variables:
        raise ArgumentError("while_loop: loop_vars is empty; give at least one")
    variables = cast_states(variables)
    condition, body = _Part(f"{name}_cond"), _Part(f"{name}_func")
    placeholders = [condition.placeholder(x) for x in variables]
    with condition.scope():
        holds = cond(*_arguments(form, placeholders))
    if not isinstance(holds, Symbol):
        raise ArgumentError(f"while_loop: the condition must be a Symbol, not {kind_of(holds)}")
    before = [body.placeholder(x) for x in variables]
    with body.scope():
        returned: Any = func(*_arguments(form, before))
        if isinstance(returned, list | tuple) and returned and returned[0] is None:
            # A body without outputs may return None for them, as in MXNet.
            returned = [], *returned[1:]
        outputs, out_form, new_states, _ = _returned("while_loop", returned)
    if len(new_states) != len(variables):
        raise ArgumentError(
            f"while_loop: {len(variables)} loop_vars go in, but the function returns "
            f"{len(new_states)}"
        )
    condition_graph, condition_outside = condition.cut([holds])
    body_graph, body_outside = body.cut([*outputs, *new_states])
    positions = body.positions(body_graph, "while_loop")
    inputs = _Inputs([x.single_entry("while_loop") for x in variables])
    locations = {
        "cond_input_locs": inputs.feed(condition, condition_graph, condition_outside),
        "func_input_locs": inputs.feed(body, body_graph, body_outside),
    }
    result = _node(
        "_while_loop",
        inputs.entries,
        [condition_graph, body_graph],
        num_out_data=len(outputs),
        max_iterations=max_steps,
        func_var_locs=positions,
        **locations,
    )
    result_symbols = _in_class_of(variables, [result(i) for i in range(len(body_graph.outputs))])
    return regrouped(out_form, result_symbols[: len(outputs)]), regrouped(
        form, result_symbols[len(outputs) :]
    )


def _arguments(form: Form, symbols: Sequence[Symbol]) -> list[Any]:
    """Return the positional arguments of a user's function: list items, or a single symbol."""
    arguments = regrouped(form, symbols)
    return arguments if isinstance(arguments, list) else [arguments]


def cond(
    pred: Symbol,
    then_func: Callable[[], Any],
    else_func: Callable[[], Any],
    name: str = "cond",
) -> Any:
    """Return one of two results, selected by a symbol with one element.

    Both branches are computed, and gradients flow only through the selected one.

    Args:
        pred: The condition, a symbol with one element; nonzero selects ``then_func``.
        then_func: Function without arguments that returns a symbol or a nested list of symbols.
        else_func: Likewise, with the same number of symbols; the result has the structure of
            ``then_func``'s.
        name: Name prefix of the nodes inside.

    Raises:
        ArgumentError: The branches return different numbers of symbols, or none.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import sym
        >>> a, b = sym.var("a"), sym.var("b")
        >>> cond(sym.sum(a) > sym.sum(b), lambda: a, lambda: b).eval(
        ...     a=nd.array([1, 2]), b=nd.array([3, 4]))[0].asnumpy()
        array([3., 4.], dtype=float32)
    """
    parts = [_Part(f"{name}_{kind}") for kind in ("pred", "then", "else")]
    results = []
    forms = []
    functions: tuple[Callable[[], Any], ...] = (lambda: pred, then_func, else_func)
    for part, function in zip(parts, functions, strict=True):
        with part.scope():
            returned = function()
            symbols, form = _flat_symbols(returned, "cond: a branch")
            results.append(cast_states(symbols))
        forms.append(form)
    if len(results[1]) != len(results[2]):
        counts = f"{len(results[1])} and {len(results[2])}"
        raise ArgumentError(f"cond: the branches return {counts} results; they must return as many")
    if not results[1]:
        raise ArgumentError(
            "cond: the branches return nothing; they must return a symbol or a list of them"
        )
    cuts = [part.cut(symbols) for part, symbols in zip(parts, results, strict=True)]
    inputs = _Inputs()
    feeds = [
        inputs.feed(part, graph, outside)
        for part, (graph, outside) in zip(parts, cuts, strict=True)
    ]
    result = _node(
        "_cond",
        inputs.entries,
        [graph for graph, _ in cuts],
        cond_input_locs=feeds[0],
        then_input_locs=feeds[1],
        else_input_locs=feeds[2],
    )
    outputs = _in_class_of(results[1], [result(i) for i in range(len(results[1]))])
    return regrouped(forms[1], outputs)
