"""What ``optimize_for`` does: a graph through backends, one after the other."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hy_ndarray import ArgumentError, Context, Device, NDArray, device_of, dtype_name
from hy_symbol._errors import BackendError
from hy_symbol.graph.node import Entry, Graph
from hy_symbol.graph.rewriting import substitute
from hy_symbol.infer.api import inferred
from hy_symbol.infer.engine import Types
from hy_symbol.passes.constants import evaluate, split_constants
from hy_symbol.passes.grouping import grouped
from hy_symbol.passes.validity import check_graph
from hy_symbol.regions.protocols import Facts, Rewriter, Runner
from hy_symbol.regions.region import region_node
from hy_symbol.regions.registry import find_backend

__all__ = ["Choice", "Optimized", "optimize", "optimized_graph"]

Choice = tuple[str, Mapping[str, Any]]
"""The name of a backend, and options for it."""


@dataclass(frozen=True, slots=True)
class Optimized:
    """A graph that backends made of another, for prediction."""

    graph: Graph
    arrays: Mapping[str, NDArray]
    """Fixed values of variables that are new in it, by name."""
    prepared: Mapping[str, Entry]
    """Further new variables by name, and the entries over old parameters that compute them."""


def optimize(
    graph: Graph,
    choices: Sequence[Choice],
    *,
    types: Types,
    arrays: Mapping[str, NDArray],
    parameters: Collection[str],
    device: Device | None = None,
) -> Optimized:
    """Hand a graph to backends, one after the other.

    Ensures: as many outputs as before; every variable is one of the graph's or a new one of the
    result.

    Args:
        graph: The graph.
        choices: The backends, in order.
        types: What is known of shapes and dtypes.
        arrays: Values of variables, as far as they are known.
        parameters: Names of the variables that seldom change: what backends want to be computed
            once from these alone is cut off.
        device: Where it will run, if that is known.

    Raises:
        BackendError: A backend is unknown, or what it returned is no such graph.
    """
    new: dict[str, NDArray] = {}
    prepared: dict[str, Entry] = {}
    body, known = graph, types
    for k, (name, options) in enumerate(choices, 1):
        backend = find_backend(name)
        parts: dict[str, Entry] = {}
        if isinstance(backend, Runner):
            backend.prepare(options)
            make = partial(region_node, backend=name, options=options)
            made = body = grouped(body, backend.takes, make)
        else:
            assert isinstance(backend, Rewriter)
            facts = Facts(known, {**arrays, **new}, device)
            result = backend.rewrite(body, facts, options)
            _check(name, body, result.graph, {*result.arrays})
            new.update(result.arrays)
            made = result.graph
            body, parts = _prepared(made, result.once, {*parameters, *new}, prepared)
        if k < len(choices):
            known = _types(known, made, body, parts)
    return Optimized(body, new, prepared)


def _prepared(
    graph: Graph, once: Sequence[Entry], known: Collection[str], prepared: dict[str, Entry]
) -> tuple[Graph, dict[str, Entry]]:
    """Cut off what is to be computed once from parameters, and add it to ``prepared``.

    Returns:
        The rest, and by the names of its new variables the entries that they stand for.
    """
    behind = set(Graph(tuple(once)).nodes)
    before = {node.name: node for node in graph.variables if node.name in prepared}
    body, parts = split_constants(graph, {*known, *prepared}, among=lambda node: node in behind)
    mapping = {node: prepared[name] for name, node in before.items()}
    entries = substitute(Graph(tuple(parts.values())), mapping).outputs
    prepared.update(zip(parts, entries, strict=True))
    needed = {node.name for node in body.variables}
    for name in [name for name in prepared if name not in needed]:
        del prepared[name]
    return body, parts


def _types(types: Types, made: Graph, body: Graph, parts: Mapping[str, Entry]) -> Types:
    """The types of what is left of a rewritten graph; ``parts`` were cut off."""
    whole = types.extended(made)
    if body is made:
        return whole
    new = [node for node in body.variables if node.name in parts]
    return whole.told({(node, 0): whole.get(parts[node.name]) for node in new}).extended(body)


def _check(name: str, before: Graph, graph: Graph, new: Collection[str]) -> None:
    try:
        check_graph(graph, before)
    except (ValueError, TypeError) as error:
        raise BackendError(f"backend {name!r} made a graph that is none: {error}") from error
    own = {node.name for node in before.variables}
    foreign = [n.name for n in graph.variables if n.name not in own and n.name not in new]
    if foreign:
        raise BackendError(
            f"backend {name!r} made variables without values: {', '.join(map(repr, foreign))}"
        )


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
    """What :meth:`hy_symbol.Symbol.optimize_for` returns."""
    find_backend(backend)
    arrays = {
        **_by_name("args", [node.name for node in graph.arguments], args),
        **_by_name("aux", [node.name for node in graph.states], aux),
    }
    shapes = {name: array.shape for name, array in arrays.items()} | dict(shape_dict or {})
    dtypes: dict[str, object] = {name: dtype_name(array.dtype) for name, array in arrays.items()}
    dtypes |= type_dict or {}
    types = Types(graph) if skip_infer else inferred(graph, shapes, dtypes)
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
    what: str, names: Sequence[str], given: Mapping[str, NDArray] | Sequence[NDArray] | None
) -> dict[str, NDArray]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {name: given[name] for name in names if name in given}
    if len(given) != len(names):
        raise ArgumentError(
            f"optimize_for: {what} has {len(given)} arrays for {len(names)}: {', '.join(names)}"
        )
    return dict(zip(names, given, strict=True))
