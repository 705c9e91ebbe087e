"""Tracing: calls a block with symbols in place of arrays to get its graph and a runner.

Traces are created under the setup lock, and published when they are complete.
"""

from collections.abc import Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import hy_symbol
from hy_gluon._errors import StructureError, TracingError
from hy_gluon.parameter import Parameter, ParameterDict
from hy_gluon.trace.backends import op_of
from hy_gluon.trace.cache import Trace, TraceCache, TracedGraph, variables_of
from hy_gluon.trace.donation import arrays_of
from hy_gluon.trace.fallback import (
    TRACING_FAILURES,
    Untraceable,
    refuse_draws,
    restoring_generators,
    warn_at,
)
from hy_gluon.trace.guards import Guards, with_types
from hy_gluon.trace.inputs import Inputs
from hy_gluon.trace.scope_path import entered
from hy_gluon.trace.structure import flatten, regroup, swaps_none
from hy_gluon.trace.traceable import Traceable
from hy_ndarray import NDArray, dtype_name, np, user_line
from hy_ndarray.random import before_draws
from hy_symbol import Group, Symbol, setup_lock, sym
from hy_symbol.graph.collector import without_collections
from hy_symbol.symbol.np_symbol import NumpySymbol

__all__ = ["graph_of", "prepared", "retraced"]


def prepared(block: Traceable, args: Sequence[Any]) -> tuple[Trace, list[NDArray]]:
    """Return the trace for a call, created if missing, and its input arrays.

    Both are from one consistent state of the block, as the setup lock excludes casts, moves and
    ``hybridize`` in other threads.

    Raises:
        Untraceable: The block's overridden ``forward`` cannot be traced.
    """
    with setup_lock():
        traces = block._hy_traces
        # Another thread may have found out while this one waited for the lock.
        if traces.why_eager is not None:
            raise Untraceable(traces, None)
        data, guards = block._hy_guards(traces, args)
        traced = traces.find(guards, data)
        # Looked for again under the lock: of threads that call at once, one traces and the others
        # find its trace.
        if traced is not None and not traced.is_current:
            block._clear_cached_op()  # a parameter was cast by itself, or replaced below
            traces = block._hy_traces
            traced = None
        if traced is None:
            # MXNet raises here, too, instead of tracing a second graph.
            _check_none(block, traces, args)
            try:
                traced = _new_trace(block, args)
            except TRACING_FAILURES as error:
                if block.is_plain:
                    # Only plain forwards fall back: hybrid_forward is written for symbols, so its
                    # failure is an error.
                    raise Untraceable(traces, error) from error
                raise
            traces.add(traced)
        elif traced.inputs.waiting:
            block._hy_finish_deferred(*args, graph=traced.graph)
        return traced, traced.inputs.of(data, data[0].context)


def _check_none(block: Traceable, traces: TraceCache, args: Sequence[Any]) -> None:
    """Raise an error if None replaces an array of an earlier trace, or the reverse, as in MXNet."""
    if block.is_plain:
        return
    form = flatten(args, "input")[1]
    for trace in traces:
        if swaps_none(form, trace.in_format):
            raise StructureError(
                f"{block.name}: the arguments have the structure {form}, but the block was traced "
                f"with {trace.in_format}, where -1 is None; call hybridize() again to retrace"
            )


def retraced(block: Traceable, args: Sequence[Any]) -> Any:
    """Trace for the shapes of ``args`` after a trace for any shapes failed; return the result.

    Later calls with these shapes use the new trace, others the general one.

    Raises:
        ShapeError: The shapes are invalid; no trace is added.
    """
    with setup_lock():
        traces = block._hy_traces
        data, guards = block._hy_guards(traces, args)
        # Guards with shapes: the general trace stays for all other calls.
        traced = replace(_new_trace(block, args, retrace=True), guards=with_types(guards, data))
        arrays = traced.inputs.of(data, data[0].context)
    assert traced.op is not None
    out = traced.op(*arrays)
    # Added after it ran: a trace that fails for these shapes as well is not remembered.
    with setup_lock():
        traces.add(traced)
    return traced.regrouped(out)


def _new_trace(block: Traceable, args: Sequence[Any], *, retrace: bool = False) -> Trace:
    """Return a new trace with a runner; reuses a graph without a runner unless ``retrace``."""
    traced = trace(block, args) if retrace else graph_of(block, args)
    assert traced.graph
    data, out = traced.graph
    positions = {symbol.name: i for i, symbol in enumerate(data)}
    params = block._hy_graph_params(traced.graph)
    names = out.list_inputs()
    order = [(True, positions[n]) if n in positions else (False, params[n]) for n in names]
    inputs = Inputs(order)
    if inputs.waiting:
        # Sizes of deferred parameters follow from the graph, before types and plans are made of it.
        block._hy_finish_deferred(*args, graph=traced.graph)
    _warn_of_unused(block, positions, params, set(names))
    flags = [
        ("data_indices", [i for i, name in enumerate(names) if name in positions]),
        ("param_indices", [i for i, name in enumerate(names) if name not in positions]),
        ("kind", np.ndarray if isinstance(data[0], NumpySymbol) else NDArray),
        *block._flags,
    ]
    if argnums := dict(block._flags).get("donate_argnums"):
        donated = arrays_of(args, argnums)
        flags.append(("donated", [i for i, n in enumerate(names) if positions.get(n) in donated]))
    op = op_of(block, traced.graph, params, flags, args, traced.inference_cache)
    if block._hy_op_hook is not None:
        op.monitor(*block._hy_op_hook)
    # Answers of type rules served while tracing and would keep symbols alive.
    return replace(
        traced,
        order=order,
        op=op,
        inputs=inputs,
        variables=variables_of(order),
        inference_cache=None,
    )


def graph_of(block: Traceable, args: Sequence[Any]) -> Trace:
    """Return a trace for a call that may lack a runner: the fixed or latest one, else a new one.

    The caller must hold the setup lock.

    Raises:
        TracingError: All arguments are None.
    """
    traces = block._hy_traces
    if traces.fixed is not None:
        return traces.fixed
    known = traces.latest
    # `infer_shape` and `export` trace without running: such a graph is taken over.
    if known.op is None and known.graph:
        data, guards = block._hy_guards(traces, args)
        if known.guards in (guards, with_types(guards, data)):
            return known
    return trace(block, args)


def _warn_of_unused(
    block: Traceable,
    inputs: dict[str | None, int],
    params: Mapping[str, Parameter],
    used: set[str],
) -> None:
    """Warn about inputs and parameters that no operator of the graph uses."""
    unused = ", ".join(str(i) for name, i in inputs.items() if name not in used)
    names = ", ".join(name for name in params if name not in used)
    for what, which in (("inputs", unused), ("parameters", names)):
        if which:
            warn_at(
                user_line(),
                f"{block.name}: {what} {which} are not used by any computation of the block; "
                "is that intended?",
            )


# --- the graph --------------------------------------------------------------------------------


# Tracing makes many objects that all stay; the collector would walk them again and again.
@without_collections
def trace(block: Traceable, args: Sequence[Any]) -> Trace:
    """Return the graph of ``block`` called with symbols in place of ``args``, without a runner.

    Raises:
        TracingError: All arguments are None.
    """
    block.apply(lambda inner: inner._hy_clear_state())
    # In a context of its own: whatever happens, the scopes of the thread are what they were.
    context = copy_context()
    if not block.is_plain:
        return context.run(_trace, block, args)
    with restoring_generators():
        return context.run(_trace, block, args)


def _trace(block: Traceable, args: Sequence[Any]) -> Trace:
    # In this context only: initializers of other threads draw as usual.
    before_draws.set(refuse_draws)
    flat, in_format = flatten(args, "input")
    count = sum(arg is not None for arg in flat)
    if count == 0:
        raise TracingError(f"{block.name}: all arguments are None")
    # MXNet's names of inputs in exported graphs.
    names = iter(["data"] if count == 1 else [f"data{i}" for i in range(count)])
    numpy = any(isinstance(arg, np.ndarray) for arg in flat)
    inputs = [None if arg is None else _variable(sym.var(next(names)), numpy) for arg in flat]
    scope = _typed_scope(block, flat, inputs)
    nested = regroup(inputs, in_format)
    with scope, block.name_scope(), entered(block, as_root=True):
        if block.is_plain:
            out = _forward(block, nested)
        else:
            registered = block._reg_params.items()
            params = {name: _variable(parameter.var(), numpy) for name, parameter in registered}
            out = block.hybrid_forward(sym, *nested, **params)
    try:
        outputs, out_format = flatten(out, "output")
    except StructureError as error:
        # With the traceback, whose innermost line of the user's code the warning names.
        raise TracingError(str(error)).with_traceback(error.__traceback__) from error
    if not all(isinstance(x, Symbol) for x in outputs):
        raise TracingError(
            f"{block.name}: a result is None, or an array that does not follow from the arguments; "
            "does the block return what it computes?"
        )
    graph: TracedGraph = [x for x in inputs if x is not None], Group(outputs)
    data, guards = block._hy_guards(block._hy_traces, args)
    # A plain forward may have read shapes unseen, in Python; its traces hold for their shapes only.
    by_types = scope.guarded or block.is_plain
    known = with_types(guards, data) if by_types else Guards(*guards)
    classic = numpy and not any(isinstance(x, NumpySymbol) for x in outputs)
    return Trace(
        graph,
        in_format,
        out_format,
        classic=classic,
        guards=known,
        compared=scope.compared,
        inference_cache=scope.inference_cache,
    )


def _forward(block: Traceable, args: Sequence[Any]) -> Any:
    try:
        return block.forward(*args)
    except Exception as error:
        # A failure that is not about symbols is the user's own, and gets a hint in place of the
        # fallback.
        if not isinstance(error, TRACING_FAILURES):
            error.add_note(
                f"while {block.name} was traced with symbols in the place of arrays; if its "
                "forward is right for arrays only, do not hybridize it"
            )
        raise


def _variable(symbol: Symbol, numpy: bool) -> Symbol:
    """Return a symbol as the symbol of an ``mx.np`` array if ``numpy``, else unchanged."""
    return symbol.as_np_ndarray() if numpy else symbol


def _typed_scope(
    block: Traceable, flat: Sequence[Any], inputs: Sequence[Symbol | None]
) -> hy_symbol.Trace:
    """Return a tracing scope in which the types of arguments and parameters are declared."""
    # Shapes are known while tracing, so that `x.shape` in a forward gives numbers.
    scope = hy_symbol.Trace({}, reversible=block.is_plain)
    for symbol, array in zip(inputs, flat, strict=True):
        if symbol is not None and isinstance(array, NDArray):
            scope.declare(symbol.graph.outputs[0][0], array.shape, dtype_name(array.dtype))
    params = ParameterDict()
    block._hy_add_params(params)
    for parameter in params.values():
        node = parameter.var().graph.outputs[0][0]
        scope.declare(node, parameter._partial_shape, parameter._hy_dtype_name)
    return scope
