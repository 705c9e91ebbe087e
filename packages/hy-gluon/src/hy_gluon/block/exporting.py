"""Export of a block as two files: its graph, and the values of its parameters."""

from collections.abc import Mapping
from typing import Any

from hy_gluon._errors import BlockError
from hy_gluon.execution.optimized import OptimizedOp
from hy_gluon.files import contents_of, np_shape_of
from hy_gluon.trace.structure import structured
from hy_gluon.trace.traceable import Traceable
from hy_io import save_together
from hy_ndarray import NDArray
from hy_symbol import Symbol, inlined

__all__ = ["export", "predicting"]


def export(block: Traceable, path: str, epoch: int, remove_amp_cast: bool) -> tuple[str, str]:
    """Write the graph and the parameters of a block; see :meth:`HybridBlock.export`.

    Raises:
        BlockError: The block has not been traced yet.
    """
    latest = block._hy_traces.latest
    if not latest.graph:
        raise BlockError(
            f"{block.name}: Please first call block.hybridize() and then run forward with this "
            "block at least once before calling export"
        )
    symbol, values = predicting(block)
    text = structured(symbol.tojson(remove_amp_cast), latest.in_format, latest.out_format)
    return _write_files(path, epoch, symbol, text, values)


def predicting(block: Traceable) -> tuple[Symbol, dict[str, NDArray]]:
    """Return the prediction graph of a traced block, and its parameters' values by name.

    Raises:
        BlockError: The block has a backend that has not optimized the graph yet.
    """
    latest = block._hy_traces.latest
    assert latest.graph
    traced = latest.graph[1]
    params = block._hy_graph_params(latest.graph)
    used = [name for name in traced.list_inputs() if name in params]
    values = {name: params[name]._reduce() for name in used}
    if isinstance(latest.op, OptimizedOp) and latest.op.is_requested:
        prediction = latest.op.prediction()
        # An engine's region is a node with a graph inside; files hold operators that MXNet knows.
        graph = Symbol(inlined(prediction.symbol.graph))
        return graph, {**values, **prediction.extra_arrays(values)}
    if block._hy_backends:
        raise BlockError(f"{block.name}: run the block once, or call optimize_for, to export it")
    return traced, values


def _write_files(
    path: str, epoch: int, symbol: Symbol, text: str, values: Mapping[str, NDArray]
) -> tuple[str, str]:
    """Write ``path-symbol.json`` and ``path-0000.params``, both or none; return their names.

    Args:
        path: Prefix of the file names.
        epoch: Number in the name of the parameter file.
        symbol: The graph; values of its inputs are written, in their order.
        text: The graph as JSON.
        values: Values of parameters by name.
    """
    symbol_file, params_file = f"{path}-symbol.json", f"{path}-{epoch:04d}.params"
    # MXNet's prefixes: "aux:" for states that operators update, "arg:" for all else.
    states = set(symbol.list_auxiliary_states())
    arrays = contents_of(
        {
            f"{'aux' if name in states else 'arg'}:{name}": values[name]
            for name in symbol.list_inputs()
            if name in values
        }
    )
    files: dict[str, str | dict[str, Any]] = {f"-{epoch:04d}.params": arrays, "-symbol.json": text}
    save_together(path, files, np_shape=np_shape_of(arrays.values()))
    return symbol_file, params_file
