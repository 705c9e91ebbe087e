"""Backends of a hybridized block: their selection, and the runner of the block's graph."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from hy_gluon._errors import BlockError
from hy_gluon.execution.cached_op import CachedOp
from hy_gluon.execution.optimized import OptimizedOp
from hy_gluon.parameter import Parameter
from hy_gluon.trace.cache import TracedGraph
from hy_gluon.trace.inference import graph_types
from hy_gluon.trace.structure import flatten
from hy_gluon.trace.traceable import Traceable
from hy_ndarray import Device, NDArray, current_context, device_of
from hy_symbol import Graph, InferenceCache, Types
from hy_symbol.backends import (
    Choice,
    Optimized,
    Runner,
    find_backend,
    known_backends,
    optimize,
    prediction_choices,
)
from hy_symbol.execution.tiers import runs_before_code

__all__ = ["op_of", "select_backend"]

# A prediction that writes less than four bytes for each byte of parameters ends sooner than
# preparing the parameters would; a second call shows that it is repeated.
_MAX_GROWTH = 4  # bytes of intermediate values per byte of parameters


def select_backend(
    backend: str | None,
    options: Mapping[str, Any] | None,
    kwargs: dict[str, Any],
    flags: Collection[str],
) -> list[Choice]:
    """Return the requested backend with its options, or an empty list if there is none.

    Options passed as keywords are removed from ``kwargs``.

    Raises:
        BackendError: There is no such backend, or it cannot run here.
        BlockError: Options are given, but no backend.
    """
    if backend is None:
        if options:
            known = ", ".join(known_backends())
            raise BlockError(f"hybridize: backend_opts without a backend; known are {known}")
        return []
    selected = dict(options or {})
    selected |= {key: kwargs.pop(key) for key in list(kwargs) if key not in flags}
    registered = find_backend(backend)
    # Options are checked before anything is traced.
    if isinstance(registered, Runner):
        registered.prepare(selected)
    return [(backend, selected)]


def op_of(
    block: Traceable,
    graph: TracedGraph,
    params: Mapping[str, Parameter],
    flags: Sequence[tuple[str, Any]],
    args: Sequence[Any],
    inference_cache: InferenceCache | None = None,
) -> CachedOp:
    """Return the operator that runs a block's traced graph, optimized by its backends if any."""
    assert graph
    out = graph[1]
    planned = () if block._hy_backends else prediction_choices(out.graph, params)
    if not block._hy_backends and not planned:
        return CachedOp(out, flags, inference_cache)
    types = graph_types(graph, params, args, param_dtypes=True, inference_cache=inference_cache)

    def plan(choices: Sequence[Choice], device: Device) -> Optimized:
        # Values of parameters that exist; those of deferred ones follow at the first call.
        arrays = {name: p._data[0] for name, p in params.items() if p._data is not None}
        return optimize(
            out.graph,
            choices,
            types=types,
            arrays=arrays,
            parameters=tuple(params),
            device=device,
        )

    if planned:
        optimizing = partial(plan, planned)
        # The first predictions may be the only ones: they run the traced graph as it is.
        is_early = _computes_little(out.graph, types, params)
        early = runs_before_code(len(out.graph.nodes)) if is_early else 0
        return OptimizedOp(
            out, flags, optimizing, planned=True, early=early, inference_cache=inference_cache
        )
    optimized = plan(block._hy_backends, _device(args))
    return OptimizedOp(out, flags, lambda _: optimized, inference_cache=inference_cache)


def _device(args: Sequence[Any]) -> Device:
    """Return the device of the first array in the arguments, or the current one."""
    arrays = (x for x in flatten(args, "input")[0] if isinstance(x, NDArray))
    return next((x.device for x in arrays), device_of(current_context()))


def _computes_little(graph: Graph, types: Types, params: Mapping[str, Parameter]) -> bool:
    """Return whether intermediate values are small compared with the parameters.

    A single prediction then costs less than preparing (packing) the parameters for it.
    """
    computed = [(node, 0) for node in graph.nodes if node.op is not None]
    parameters = [(node, 0) for node in graph.variables if node.name in params]
    return sum(map(types.nbytes, computed)) < _MAX_GROWTH * sum(map(types.nbytes, parameters))
