"""Quantization of blocks to int8."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.block import HybridBlock, SymbolBlock
from hy_gluon.quantization.calibration import batches_of, block_of, collect, collector_for
from hy_gluon.quantization.model import calib_graph, folded, quantized_symbol
from hy_gluon.quantization.options import CALIBRATIONS, Options, QuantizationError, check
from hy_ndarray import ArgumentError, Context, NDArray, cpu, nd
from hy_symbol import ranged_tensors

__all__ = ["quantize_net", "quantize_net_v2"]

_CPU = cpu()


def quantize_net(
    network: HybridBlock,
    quantized_dtype: Any = "auto",
    quantize_mode: Any = "full",
    exclude_layers: Sequence[str] | None = None,
    exclude_layers_match: Sequence[str] | None = None,
    exclude_operators: Sequence[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str = "none",
    num_calib_examples: int | None = None,
    ctx: Context = _CPU,
    logger: Any = None,
) -> SymbolBlock:
    """Return a quantized block like :func:`quantize_net_v2`, with one range per weight."""
    return quantize_net_v2(
        network,
        quantized_dtype,
        quantize_mode,
        "tensor-wise",
        exclude_layers,
        exclude_layers_match,
        exclude_operators,
        calib_data,
        data_shapes,
        calib_mode,
        num_calib_examples,
        ctx,
        None,
        logger,
    )


def quantize_net_v2(
    network: HybridBlock,
    quantized_dtype: Any = "auto",
    quantize_mode: Any = "full",
    quantize_granularity: str = "tensor-wise",
    exclude_layers: Sequence[str] | None = None,
    exclude_layers_match: Sequence[str] | None = None,
    exclude_operators: Sequence[str] | None = None,
    calib_data: Any = None,
    data_shapes: Sequence[Any] | None = None,
    calib_mode: str = "none",
    num_calib_examples: int | None = None,
    ctx: Context = _CPU,
    LayerOutputCollector: Any = None,  # noqa: N803  # MXNet's name
    logger: Any = None,
) -> SymbolBlock:
    """Return a quantized copy of a block, which computes with 8-bit integers.

    Batch normalizations are first folded into the layers before them.

    Args:
        network: The block, which is hybridized if it is not. It shares no arrays with the copy.
        quantized_dtype: ``"int8"``, ``"uint8"``, or ``"auto"``: ``uint8`` for tensors without
            negative values.
        quantize_mode: ``"full"`` or ``"smart"``; see :func:`quantize_graph`.
        quantize_granularity: ``"tensor-wise"`` or ``"channel-wise"``.
        exclude_layers: Names of graph nodes that are not quantized, such as ``"net_conv0_fwd"``.
        exclude_layers_match: Substrings of names of nodes that are not quantized.
        exclude_operators: Operators that are not quantized, such as ``"Convolution"``.
        calib_data: Examples for calibration: a data loader, an iterator of ``mx.io``, or batches;
            arrays after the inputs are ignored.
        data_shapes: Shapes of the inputs as tuples or :class:`DataDesc`; required if there are no
            examples and the block has not been called.
        calib_mode: ``"none"``, ``"naive"``, ``"entropy"`` or ``"customize"``.
        num_calib_examples: Number of examples to use; None for all.
        ctx: Context of the copy's parameters, and for the calibration.
        LayerOutputCollector: See :func:`quantize_graph`.
        logger: Logger for messages.

    Raises:
        ArgumentError: ``network`` is not a HybridBlock.
        QuantizationError: An option is invalid, or examples or shapes are missing.
    """
    if not isinstance(network, HybridBlock):
        raise ArgumentError(f"quantize_net: takes a HybridBlock, not a {type(network).__name__}")
    check("calib_mode", calib_mode, CALIBRATIONS)
    if calib_mode != "none" and calib_data is None:
        raise QuantizationError(f"calib_data must be given for calib_mode={calib_mode!r}")
    inputs = _traced(network, calib_data, data_shapes)
    sym, values = network._hy_to_export()
    states = set(sym.list_auxiliary_states())
    arguments = {name: array for name, array in values.items() if name not in states}
    auxiliary = {name: array for name, array in values.items() if name in states}
    excluded = _excluded(sym.graph.nodes, exclude_layers, exclude_layers_match)
    sym, arguments, auxiliary, names = folded(sym, arguments, auxiliary, excluded)
    options = Options(
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        excluded=names,
        excluded_operators=exclude_operators,
    )
    qsym, qarguments = quantized_symbol(sym, arguments, options, logger)
    layers = ranged_tensors(qsym.graph)
    collector = collector_for(calib_mode, layers, LayerOutputCollector, logger)
    if collector is not None:
        params = {**arguments, **auxiliary}
        collecting: dict[str, Any] = {
            "contexts": [ctx],
            "max_batches": num_calib_examples,
            "logger": logger,
        }
        collect(sym, params, inputs, collector, layers, calib_data, **collecting)
        qsym, qarguments, _ = calib_graph(
            qsym, qarguments, auxiliary, collector, calib_mode, quantized_dtype, logger
        )
    # Copies: the new block must not share memory with the network, which goes on training.
    copies = {name: array.copy() for name, array in {**qarguments, **auxiliary}.items()}
    return block_of(qsym, inputs, copies, [ctx])


def _traced(network: HybridBlock, calib_data: Any, data_shapes: Sequence[Any] | None) -> list[str]:
    """Return the input names of a block's graph; the block is traced if necessary."""
    if not network._cached_graph:
        network.hybridize()
        # Tracing needs one call, by examples or by zeros of the given shapes.
        network(*_examples(network, calib_data, data_shapes))
    if not network._cached_graph:
        raise QuantizationError(f"{network.name} has no graph: it runs as Python")
    return [str(variable.name) for variable in network._cached_graph[0]]


def _examples(
    network: HybridBlock, calib_data: Any, data_shapes: Sequence[Any] | None
) -> Sequence[NDArray]:
    """Return example arguments of a block: zeros of given shapes, or the first batch."""
    if data_shapes is not None:
        shapes = [tuple(getattr(one, "shape", one)) for one in data_shapes]
        return [nd.zeros(shape) for shape in shapes]
    if calib_data is None:
        raise QuantizationError(
            f"{network.name}: data_shapes must be given, or calib_data, or the block called once"
        )
    return next(batches_of(calib_data, 1))


def _excluded(
    nodes: Sequence[Any], names: Sequence[str] | None, parts: Sequence[str] | None
) -> Sequence[str]:
    """Return the names of nodes excluded by name or by a part of their name."""
    for what, excluded in (("exclude_layers", names), ("exclude_layers_match", parts)):
        if isinstance(excluded, str):
            raise QuantizationError(f"{what}={excluded!r} must be a list of names")
    matched = (node.name for node in nodes if any(part in node.name for part in parts or ()))
    return [*(names or ()), *matched]
