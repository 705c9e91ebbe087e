"""Conversion of graphs, models and blocks to mixed precision by inserting cast nodes."""

from collections.abc import Mapping, Sequence

from hy_gluon._errors import BlockError
from hy_gluon.amp.policy import AMPError, Conditions, Policy
from hy_gluon.block import HybridBlock, SymbolBlock
from hy_ndarray import FLAGS, ArgumentError, Context, NDArray, numpy_type
from hy_symbol import Entry, Graph, Node, Symbol, is_op, rewrite, with_precision

__all__ = ["convert_hybrid_block", "convert_model", "convert_symbol"]


def convert_symbol(
    sym: Symbol,
    target_dtype: object = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Conditions | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    data_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> Symbol:
    """Return the symbol with casts before all operators that compute in another dtype.

    Floating outputs are cast to float32. ``tojson(remove_amp_cast=False)`` keeps the casts.

    Args:
        sym: The symbol.
        target_dtype: ``"float16"`` or ``"bfloat16"``.
        target_dtype_ops: Operators to compute in ``target_dtype``; :func:`list_lp16_ops` if None.
        fp32_ops: Operators to compute in float32; :func:`list_fp32_ops` if None.
        conditional_fp32_ops: Triples ``(operator, parameter, values)``: operators to compute in
            float32 if the parameter has one of the values; :func:`list_conditional_fp32_ops` if
            None.
        excluded_sym_names: Names of nodes to compute in float32.
        data_names: Names of the inputs; all other variables are parameters, whose dtypes are stored
            in the graph as attributes. If None, no dtypes are stored, and parameters are the
            variables that declare a dtype, as those of Gluon blocks do.
        cast_optional_params: Whether parameters that are only used in the target dtype are declared
            in it, instead of being cast.

    Raises:
        ArgumentError: ``sym`` is not a symbol.
        DTypeError: ``target_dtype`` is neither float16 nor bfloat16.
        AMPError: An operator, node or input is unknown, or an operator is listed twice.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True, name="fc")
        >>> for node in convert_symbol(net).graph.nodes:
        ...     print(node)
        <Node data (variable)>
        <Node data_amp_cast_float16 (amp_cast)>
        <Node fc_weight (variable)>
        <Node fc_weight_amp_cast_float16 (amp_cast)>
        <Node fc (FullyConnected)>
        <Node fc_output_amp_cast_float32 (amp_cast)>
    """
    if not isinstance(sym, Symbol):
        raise ArgumentError(f"convert_symbol: takes a Symbol, not a {type(sym).__name__}")
    policy = Policy(target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops)
    excluded = _names("excluded_sym_names", excluded_sym_names)
    _require("excluded_sym_names", excluded, [node.name for node in sym.graph.nodes])
    graph = with_precision(sym.graph, policy, excluded=excluded)
    # MXNet's cast_optional_params: parameters whose every use is in 16 bits are stored so,
    # which halves the file and leaves out their casts.
    low = policy.target_dtype if cast_optional_params else None
    lowered = _only_used_as(graph, low)
    if data_names is None:
        lowered = {node for node in lowered if "__dtype__" in node.attrs}
        declared = lowered
    else:
        inputs = _names("data_names", data_names)
        _require("data_names", inputs, sym.list_inputs())
        declared = {node for node in graph.variables if node.name not in inputs}
    return Symbol(_with_declared_params(graph, declared, lowered, low))


def convert_model(
    sym: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
    target_dtype: object = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Conditions | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    cast_optional_params: bool = False,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]:
    """Return a symbol and its parameters converted to mixed precision.

    Args:
        sym: The symbol.
        arg_params: Parameters by name; all other arguments of the symbol are inputs.
        aux_params: Auxiliary states by name.
        target_dtype: See :func:`convert_symbol`, also for the next four arguments.
        target_dtype_ops: See :func:`convert_symbol`.
        fp32_ops: See :func:`convert_symbol`.
        conditional_fp32_ops: See :func:`convert_symbol`.
        excluded_sym_names: See :func:`convert_symbol`.
        cast_optional_params: Whether parameters that are only used in the target dtype are cast
            once, now, instead of by casts in the graph.

    Returns:
        The symbol, parameters and auxiliary states; arrays that are not cast are shared with the
        arguments.

    Raises:
        ArgumentError: Parameters are not dicts of arrays. Also the errors of
            :func:`convert_symbol`.
    """
    if not isinstance(sym, Symbol):
        raise ArgumentError(f"convert_model: takes a Symbol, not a {type(sym).__name__}")
    for what, arrays in (("arg_params", arg_params), ("aux_params", aux_params)):
        whole = isinstance(arrays, Mapping)
        if not whole or not all(isinstance(x, NDArray) for x in arrays.values()):
            raise ArgumentError(f"convert_model: {what} must be a dict of NDArrays by name")
    converted = convert_symbol(
        sym,
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        [name for name in sym.list_arguments() if name not in arg_params],
        cast_optional_params,
    )
    # Cast here once, as the graph declares its parameters, rather than at every call.
    dtypes = {
        node.name: numpy_type(int(node.attrs["__dtype__"]))
        for node in converted.graph.variables
        if "__dtype__" in node.attrs
    }

    def cast(arrays: Mapping[str, NDArray]) -> dict[str, NDArray]:
        return {
            name: array if name not in dtypes else array.astype(dtypes[name], copy=False)
            for name, array in arrays.items()
        }

    return converted, cast(arg_params), cast(aux_params)


def convert_hybrid_block(
    block: HybridBlock,
    target_dtype: object = "float16",
    target_dtype_ops: Sequence[str] | None = None,
    fp32_ops: Sequence[str] | None = None,
    conditional_fp32_ops: Conditions | None = None,
    excluded_sym_names: Sequence[str] | None = None,
    ctx: Context | Sequence[Context] | None = None,
    cast_optional_params: bool = False,
) -> SymbolBlock:
    """Return a copy of a block that computes in mixed precision.

    Args:
        block: A hybridized block that has run once. It stays unchanged, and shares no arrays with
            the copy.
        target_dtype: See :func:`convert_symbol`, also for the next four arguments.
        target_dtype_ops: See :func:`convert_symbol`.
        fp32_ops: See :func:`convert_symbol`.
        conditional_fp32_ops: See :func:`convert_symbol`.
        excluded_sym_names: See :func:`convert_symbol`.
        ctx: Context or contexts of the copy's parameters; those of ``block`` if None.
        cast_optional_params: See :func:`convert_model`.

    Raises:
        ArgumentError: ``block`` is not a HybridBlock.
        BlockError: ``block`` has not been traced yet.
    """
    if not isinstance(block, HybridBlock):
        raise ArgumentError(
            f"convert_hybrid_block: takes a HybridBlock, not a {type(block).__name__}"
        )
    # The graph comes from the trace of a call: only that knows how many inputs there are.
    if not block._cached_graph:
        raise BlockError(
            f"{block.name}: call hybridize() and run the block once before it is converted"
        )
    inputs = block._cached_graph[0]
    sym, values = block._hy_to_export()
    states = set(sym.list_auxiliary_states())
    converted, arguments, auxiliary = convert_model(
        sym,
        {name: array for name, array in values.items() if name not in states},
        {name: array for name, array in values.items() if name in states},
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        cast_optional_params,
    )
    outputs = converted if converted.num_outputs == 1 else list(converted)
    block_out = SymbolBlock(outputs, [_variable(converted, str(x.name)) for x in inputs])
    contexts = _contexts(block, ctx)
    for name, array in {**arguments, **auxiliary}.items():
        # Copies, so that training the converted block leaves the old one as it was.
        block_out.params[name]._load_init(array.copy(), contexts)
    return block_out


def _contexts(block: HybridBlock, ctx: Context | Sequence[Context] | None) -> list[Context]:
    if ctx is not None:
        return [ctx] if isinstance(ctx, Context) else list(ctx)
    return next((list(p.list_ctx()) for p in block.collect_params().values()), [])


def _variable(symbol: Symbol, name: str) -> Symbol:
    """Return the graph's variable called ``name`` as a symbol, or a new variable."""
    # SymbolBlock takes as many inputs as the block, even one that no operator reads.
    nodes = (node for node in symbol.graph.variables if node.name == name)
    return Symbol.of((next(nodes, Node(None, name)), 0))


def _names(what: str, names: Sequence[str] | None) -> list[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names or ()):
        raise AMPError(f"{what}={names!r} must be a list of names")
    return list(names or ())


def _require(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    missing = [name for name in names if name not in known]
    if missing:
        raise AMPError(f"{what}: the graph has no {', '.join(missing)}")


def _with_declared_params(
    graph: Graph, params: set[Node], lowered: set[Node], low: str | None
) -> Graph:
    """Return the graph with each parameter's dtype as an attribute of its variable.

    Those among ``lowered`` are declared in dtype ``low``, and their casts are removed.
    """
    cast: set[Node] = set()

    def rule(node: Node, sources: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if node in params:
            copied = node.copy()
            dtype = low if low is not None and node in lowered else "float32"
            copied.attrs["__dtype__"] = str(FLAGS[dtype])
            if node in lowered:
                cast.add(copied)
            return [(copied, 0)]
        if is_op(node, "amp_cast") and sources[0][0] in cast:
            return sources
        return None

    return rewrite(graph, rule)


def _only_used_as(graph: Graph, dtype: str | None) -> set[Node]:
    """Return the variables that every user casts to ``dtype`` first."""
    if dtype is None:
        return set()
    cast: set[Node] = set()
    otherwise = {node for node, _ in graph.outputs}
    for node in graph.nodes:
        lowers = is_op(node, "amp_cast") and node.params["dtype"] == dtype
        (cast if lowers else otherwise).update(source for source, _ in node.inputs)
    return set(graph.variables) & (cast - otherwise)
