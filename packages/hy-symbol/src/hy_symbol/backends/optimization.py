"""``optimize_for``: applies backends to a graph, one after another."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError, Context, Device, NDArray, device_of, dtype_name
from hy_symbol.graph.node import Graph
from hy_symbol.infer.api import inferred
from hy_symbol.infer.engine import Types
from hy_symbol.passes.backends import Optimized, Request
from hy_symbol.passes.constants import evaluate
from hy_symbol.passes.pipeline import optimized
from hy_symbol.regions.protocols import Facts
from hy_symbol.regions.registry import find_backend

__all__ = ["Choice", "optimize", "optimized_graph"]

Choice = tuple[str, Mapping[str, Any]]
"""The name of a backend, and its options."""


def optimize(
    graph: Graph,
    choices: Sequence[Choice],
    *,
    types: Types,
    arrays: Mapping[str, NDArray],
    parameters: Collection[str],
    device: Device | None = None,
) -> Optimized:
    """Return a graph rewritten by several backends, one after the other.

    Ensures: as many outputs as before; every variable is one of the graph's own or a new one with a
    value in the result.

    Args:
        graph: The graph.
        choices: The backends, in order.
        types: Shapes and dtypes, as far as they are known.
        arrays: Values of variables, as far as they are known.
        parameters: Names of the variables that seldom change. Values that depend on these only are
            split off, to be computed once.
        device: The device on which the graph will run, if known.

    Raises:
        BackendError: A backend is unknown, or it returned an invalid graph.
    """
    facts = Facts(types, arrays, device)
    done = Optimized(graph)
    for name, options in choices:
        request = Request(name, find_backend(name), options, graph, facts, parameters)
        done = optimized(done, request)
    return done


def optimized_graph(
    graph: Graph,
    backend: str,
    args: Mapping[str, NDArray] | Sequence[NDArray] | None,
    aux: Mapping[str, NDArray] | Sequence[NDArray] | None,
    ctx: Context | None,
    shape_dict: Mapping[str, Sequence[int]] | None,
    type_dict: Mapping[str, object] | None,
    *,
    skip_infer: bool,
    options: Mapping[str, Any],
) -> Graph:
    """Return the graph rewritten by a backend; implements ``Symbol.optimize_for``."""
    find_backend(backend)
    arrays = {
        **_by_name("args", [node.name for node in graph.arguments], args),
        **_by_name("aux", [node.name for node in graph.states], aux),
    }
    shapes = {name: array.shape for name, array in arrays.items()} | dict(shape_dict or {})
    dtypes: dict[str, object] = {name: dtype_name(array.dtype) for name, array in arrays.items()}
    dtypes |= type_dict or {}
    types = Types(graph) if skip_infer else inferred(graph, shapes, dtypes)
    # As in MXNet, parameters that a backend adds are put into the caller's dictionary.
    grows = args if isinstance(args, dict) else None
    result = optimize(
        graph,
        [(backend, options)],
        types=types,
        arrays=arrays,
        parameters=() if grows is None else tuple(arrays),
        device=None if ctx is None else device_of(ctx),
    )
    new = {**result.arrays, **evaluate(result.prepared, {**arrays, **result.arrays}, ctx)}
    if new and grows is None:
        raise ArgumentError(
            f"optimize_for: backend {backend!r} adds {', '.join(map(repr, new))}; give args as a "
            "dict, to which their values are added"
        )
    if grows is not None:
        grows.update(new)
    return result.graph


def _by_name(
    what: str, names: Sequence[str], values: Mapping[str, NDArray] | Sequence[NDArray] | None
) -> dict[str, NDArray]:
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return {name: values[name] for name in names if name in values}
    if len(values) != len(names):
        raise ArgumentError(
            f"optimize_for: {what} has {len(values)} arrays for {len(names)}: {', '.join(names)}"
        )
    return dict(zip(names, values, strict=True))
