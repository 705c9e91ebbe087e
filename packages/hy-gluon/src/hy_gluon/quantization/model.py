"""Quantization of symbols together with their parameters."""

import logging
from collections.abc import Sequence
from typing import Any

from hy_gluon.quantization.calibration import collect, collector_for, ranges_of
from hy_gluon.quantization.collector import Range
from hy_gluon.quantization.options import (
    CALIBRATIONS,
    Arrays,
    Options,
    QuantizationError,
    check,
)
from hy_gluon.quantization.parameters import quantized_parameters
from hy_ndarray import ArgumentError, Context, NDArray, cpu
from hy_symbol import (
    Symbol,
    is_op,
    ranged_tensors,
    weights_by_filter,
    with_quantization,
    with_ranges,
)

__all__ = [
    "Quantized",
    "calib_graph",
    "folded",
    "quantize_graph",
    "quantize_model",
    "quantize_model_mkldnn",
    "quantized_symbol",
]

Quantized = tuple[Symbol, dict[str, NDArray], dict[str, NDArray]]
"""A symbol, its arguments and its auxiliary states."""

_DATA_NAMES = ("data",)
_LABELS = ("softmax_label",)
_CPU = cpu()


def quantized_symbol(
    sym: Symbol, arg_params: Arrays, options: Options, logger: Any = None
) -> tuple[Symbol, dict[str, NDArray]]:
    """Return a symbol quantized with ranges computed in each call, and its arguments.

    Raises:
        ArgumentError: ``sym`` is not a symbol, or ``arg_params`` not a dict of arrays.
    """
    if not isinstance(sym, Symbol):
        raise ArgumentError(f"quantization takes a Symbol, not a {type(sym).__name__}")
    if not all(isinstance(array, NDArray) for array in dict(arg_params).values()):
        raise ArgumentError("arg_params must be a dict of NDArrays by name")
    nodes = options.nodes(sym.graph, logger)
    graph = with_quantization(
        sym.graph, nodes, dtype=options.dtype, parameters=frozenset(arg_params)
    )
    quantized = type(sym)(graph)
    by_filter = weights_by_filter(sym.graph, nodes) if options.by_filter else ()
    return quantized, quantized_parameters(quantized, arg_params, by_filter)


def calibrated(qsym: Symbol, ranges: dict[str, Range]) -> Symbol:
    """Return a quantized symbol with fixed ranges for its tensors."""
    return type(qsym)(with_ranges(qsym.graph, ranges))


def quantize_graph(
    sym: Symbol,
    arg_params: Arrays,
    aux_params: Arrays,
    ctx: Context = _CPU,  # noqa: ARG001  # integers are where the parameters are
    excluded_sym_names: Sequence[str] | None = None,
    excluded_op_names: Sequence[str] | None = None,
    calib_mode: str = "entropy",
    quantized_dtype: Any = "int8",
    quantize_mode: Any = "full",
    quantize_granularity: str = "tensor-wise",
    LayerOutputCollector: Any = None,  # noqa: N803  # MXNet's name
    logger: Any = None,
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray], Any]:
    """Return a quantized symbol and its parameters, and a collector for :func:`calib_graph`.

    Args:
        sym: The symbol.
        arg_params: Parameters by name; other arguments of the symbol are inputs.
        aux_params: Auxiliary states by name.
        ctx: Has no effect: quantized parameters stay on the context of the parameters.
        excluded_sym_names: Names of nodes that are not quantized.
        excluded_op_names: Names of operators that are not quantized.
        calib_mode: ``"naive"`` or ``"entropy"``; ``"customize"`` uses ``LayerOutputCollector``;
            with ``"none"`` the graph computes ranges in each call.
        quantized_dtype: ``"int8"``, ``"uint8"``, or ``"auto"``: ``uint8`` for tensors without
            negative values.
        quantize_mode: ``"full"`` quantizes all supported operators; ``"smart"`` convolutions and
            dense layers, and the operators between them.
        quantize_granularity: ``"tensor-wise"`` (one range per weight) or ``"channel-wise"`` (one
            range per filter).
        LayerOutputCollector: Collector for ``"customize"``: an object with ``collect(name,
            array)``, ``include_layer`` and ``min_max_dict``.
        logger: Logger for the progress, or None.

    Returns:
        The quantized symbol, its arguments, its auxiliary states, and the collector (None for
        ``"none"``).

    Raises:
        QuantizationError: An option is invalid, or the collector is missing.
        ArgumentError: ``sym`` is not a symbol, or a parameter is not an array.
    """
    check("calib_mode", calib_mode, CALIBRATIONS)
    options = Options(
        quantized_dtype, quantize_mode, quantize_granularity, excluded_sym_names, excluded_op_names
    )
    qsym, arguments = quantized_symbol(sym, arg_params, options, logger)
    layers = ranged_tensors(qsym.graph)
    collector = collector_for(calib_mode, layers, LayerOutputCollector, logger)
    return qsym, arguments, dict(aux_params), collector


def calib_graph(
    qsym: Symbol,
    arg_params: Arrays,
    aux_params: Arrays,
    collector: Any,
    calib_mode: str = "entropy",
    quantized_dtype: str = "int8",
    logger: Any = logging,
) -> Quantized:
    """Return the symbol of :func:`quantize_graph` with fixed ranges from its collector.

    Args:
        qsym: The quantized symbol.
        arg_params: Parameters of the float symbol, or those that :func:`quantize_graph` returned.
        aux_params: The auxiliary states.
        collector: The collector, after its ``collect`` was called with tensors of the float model.
        calib_mode: Argument of :func:`quantize_graph`.
        quantized_dtype: Argument of :func:`quantize_graph`.
        logger: Logger for the progress, or None.

    Returns:
        The symbol, its arguments and its auxiliary states.

    Raises:
        QuantizationError: The mode is invalid, or nothing was collected although nodes are
            quantized.
    """
    check("calib_mode", calib_mode, CALIBRATIONS[1:])
    ranges = ranges_of(collector, quantized_dtype)
    if not ranges and ranged_tensors(qsym.graph):
        raise QuantizationError("the collector has seen no tensors")
    if logger is not None:
        logger.info("ranges of %d tensors were found", len(ranges))
    quantized = calibrated(qsym, ranges)
    return quantized, quantized_parameters(quantized, arg_params), dict(aux_params)


def quantize_model(
    sym: Symbol,
    arg_params: Arrays,
    aux_params: Arrays,
    data_names: Sequence[str] = _DATA_NAMES,
    label_names: Sequence[str] | None = _LABELS,  # noqa: ARG001  # no tensor needs labels
    ctx: Context = _CPU,
    excluded_sym_names: Sequence[str] | None = None,
    excluded_op_names: Sequence[str] | None = None,
    calib_mode: str = "entropy",
    calib_data: Any = None,
    num_calib_examples: int | None = None,
    quantized_dtype: Any = "int8",
    quantize_mode: Any = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: Any = None,
) -> Quantized:
    """Return a quantized symbol and its parameters, with ranges calibrated on examples.

    Args:
        sym: The symbol.
        arg_params: Parameters by name.
        aux_params: Auxiliary states by name.
        data_names: Names of the inputs, in the order of the arrays of a batch.
        label_names: Has no effect, as labels are not needed.
        ctx: Context for the calibration.
        excluded_sym_names: See :func:`quantize_graph`.
        excluded_op_names: See :func:`quantize_graph`.
        calib_mode: ``"naive"``: ranges from minimum to maximum; ``"entropy"``: clipped ranges with
            minimum Kullback-Leibler divergence; ``"none"``: ranges computed in each call.
        calib_data: The examples: an iterator of ``mx.io``, a data loader, or batches. Not needed
            for ``"none"``.
        num_calib_examples: Number of examples to use; None for all.
        quantized_dtype: See :func:`quantize_graph`.
        quantize_mode: See :func:`quantize_graph`.
        quantize_granularity: See :func:`quantize_graph`.
        logger: Logger for the progress, or None.

    Returns:
        The symbol, its arguments and its auxiliary states.

    Raises:
        QuantizationError: An option is invalid, or there are no examples.
        ArgumentError: ``sym`` is not a symbol, or a parameter is not an array.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, no_bias=True, name="fc")
        >>> params = {"fc_weight": nd.array([[1, -2], [0.5, 0.25]])}
        >>> examples = [nd.array([[1, 0.1], [-0.6, 1]])]
        >>> qsym, integers, _ = quantize_model(net, params, {}, calib_mode="naive",
        ...                                    calib_data=examples)
        >>> integers["fc_weight_quantize"].asnumpy()
        array([[  64, -127],
               [  32,   16]], dtype=int8)
        >>> qsym.eval(data=examples[0], **integers)[0].asnumpy().round(1)
        array([[ 0.8,  0.5],
               [-2.6, -0. ]], dtype=float32)
    """
    if calib_mode == "customize":
        raise QuantizationError("calib_mode='customize' is for quantize_graph and quantize_net_v2")
    qsym, arguments, states, collector = quantize_graph(
        sym,
        arg_params,
        aux_params,
        ctx,
        excluded_sym_names,
        excluded_op_names,
        calib_mode,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        None,
        logger,
    )
    if collector is None:
        return qsym, arguments, states
    if calib_data is None:
        raise QuantizationError(f"calib_data must be given for calib_mode={calib_mode!r}")
    # Parameters are no inputs, whatever the caller lists.
    own = [name for name in sym.list_inputs() if name not in {**arg_params, **aux_params}]
    if unknown := [name for name in data_names if name not in own]:
        raise QuantizationError(
            f"data_names: {', '.join(unknown)} is not an input; inputs are {', '.join(own)}"
        )
    collect(
        sym,
        {**arg_params, **aux_params},
        list(data_names),
        collector,
        ranged_tensors(qsym.graph),
        calib_data,
        contexts=[ctx],
        max_batches=num_calib_examples,
        logger=logger,
    )
    return calib_graph(qsym, arguments, states, collector, calib_mode, quantized_dtype, logger)


def quantize_model_mkldnn(
    sym: Symbol,
    arg_params: Arrays,
    aux_params: Arrays,
    data_names: Sequence[str] = _DATA_NAMES,
    label_names: Sequence[str] | None = _LABELS,
    ctx: Context = _CPU,
    excluded_sym_names: Sequence[str] | None = None,
    excluded_op_names: Sequence[str] | None = None,
    calib_mode: str = "entropy",
    calib_data: Any = None,
    num_calib_examples: int | None = None,
    quantized_dtype: Any = "int8",
    quantize_mode: Any = "smart",
    quantize_granularity: str = "tensor-wise",
    logger: Any = None,
) -> Quantized:
    """Quantize like :func:`quantize_model`, after folding batch normalizations into layers.

    The result has the operators of :func:`quantize_model`, none of oneDNN.
    """
    excluded = excluded_sym_names
    sym, arguments, states, excluded = folded(sym, arg_params, aux_params, excluded)
    return quantize_model(
        sym,
        arguments,
        states,
        data_names,
        label_names,
        ctx,
        excluded,
        excluded_op_names,
        calib_mode,
        calib_data,
        num_calib_examples,
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        logger,
    )


def folded(
    sym: Symbol, arg_params: Arrays, aux_params: Arrays, excluded: Sequence[str] | None
) -> tuple[Symbol, dict[str, NDArray], dict[str, NDArray], Sequence[str] | None]:
    """Return a symbol with batch normalizations folded into the layers before them.

    Returns:
        The symbol, its arguments and states, and the names of excluded nodes; a folded layer gets
        the name of its batch normalization.
    """
    arguments = dict(arg_params)
    # Folded first: a BatchNorm between quantized layers would run on floats.
    folded_symbol = sym.optimize_for("fold_batch_norm", arguments, dict(aux_params))
    names = set(folded_symbol.list_arguments())
    states = {k: v for k, v in aux_params.items() if k in folded_symbol.list_auxiliary_states()}
    if excluded is not None and not isinstance(excluded, str):
        # A BatchNorm of an excluded layer was not folded, and must be excluded by its own name.
        excluded = [
            *excluded,
            *(
                node.name
                for node in sym.graph.nodes
                if is_op(node, "BatchNorm") and node.inputs[0][0].name in excluded
            ),
        ]
    return folded_symbol, {k: v for k, v in arguments.items() if k in names}, states, excluded
