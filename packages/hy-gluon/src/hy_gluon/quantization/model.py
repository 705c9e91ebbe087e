"""Quantization of symbols with their parameters."""

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
    """Return a quantized symbol whose ranges are computed in each call, and its arguments.

    Raises:
        ArgumentError: ``sym`` is no symbol, or ``arg_params`` no dict of arrays.
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
    """Return a quantized symbol with fixed ranges of its tensors."""
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
    """Return a quantized symbol, and the float symbol and collector for :func:`calib_graph`.

    Args:
        sym: The symbol.
        arg_params: Its parameters by name; other arguments are inputs.
        aux_params: Its auxiliary states by name.
        ctx: Accepted: integers are made where the parameters are.
        excluded_sym_names: Names of nodes that stay on floats.
        excluded_op_names: Operators that do.
        calib_mode: ``"naive"``, ``"entropy"``; ``"customize"``: by ``LayerOutputCollector``;
            ``"none"``: the graph finds ranges in each call.
        quantized_dtype: ``"int8"``, ``"uint8"``, or ``"auto"``: ``uint8`` where no number is
            negative.
        quantize_mode: ``"full"``: all that can be on integers; ``"smart"``: convolutions and dense
            layers, and what is between them.
        quantize_granularity: ``"tensor-wise"`` or ``"channel-wise"``: one range for a weight, or
            one for each filter.
        LayerOutputCollector: What collects for ``"customize"``: an object with ``collect(name,
            array)``, ``include_layer`` and ``min_max_dict``.
        logger: Logs the progress.

    Returns:
        The symbol, its arguments, its auxiliary states, and the collector, None for ``"none"``.

    Raises:
        QuantizationError: An option is not one of these words, or the collector is missing.
        ArgumentError: ``sym`` is no symbol, or parameters are no arrays.
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
    """Return the symbol of :func:`quantize_graph` with its collector's ranges.

    Args:
        qsym: The symbol.
        arg_params: The parameters of the symbol on floats, or those that :func:`quantize_graph`
            gave.
        aux_params: The auxiliary states.
        collector: What collected; called in the meantime by a monitor of the model on floats.
        calib_mode: As it was.
        quantized_dtype: As it was.
        logger: Logs the progress.

    Returns:
        The symbol, its arguments and its auxiliary states.

    Raises:
        QuantizationError: There is no such mode, or nothing was collected though something is
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
    """Return a quantized symbol and its parameters, calibrated on examples.

    Args:
        sym: The symbol.
        arg_params: Its parameters by name.
        aux_params: Its auxiliary states by name.
        data_names: Names of its inputs, in the order of the arrays of a batch.
        label_names: Accepted; labels are not needed.
        ctx: Where to calibrate.
        excluded_sym_names: As for :func:`quantize_graph`.
        excluded_op_names: As there.
        calib_mode: ``"naive"``: ranges are from the least to the greatest number; ``"entropy"``:
            they end where that changes the distribution least; ``"none"``: they are found in each
            call.
        calib_data: The examples: an iterator of ``mx.io``, a data loader, or batches. Not needed
            for ``"none"``.
        num_calib_examples: After how many to stop; None: all.
        quantized_dtype: As for :func:`quantize_graph`, as the other two.
        quantize_mode: As there.
        quantize_granularity: As there.
        logger: Logs the progress.

    Returns:
        The symbol, its arguments and its auxiliary states.

    Raises:
        QuantizationError: An option is none of the words, or there are no examples.
        ArgumentError: ``sym`` is no symbol, or parameters are no arrays.

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
    """Quantize as :func:`quantize_model` does, after folding batch normalisation.

    The operators are those of :func:`quantize_model`; none is oneDNN's own.
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
    """Return a symbol with batch normalisations folded into the layers before them.

    Returns:
        The symbol, its arguments and states, and the names of excluded nodes: such a layer has the
        name of its normalisation.
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
