"""Calibration: runs a model on examples, and passes its tensors to a collector."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from hy_gluon.batches import DataBatch, DataIter
from hy_gluon.block import SymbolBlock
from hy_gluon.quantization.collector import (
    CalibrationCollector,
    HistogramCollector,
    MinMaxCollector,
    Range,
    as_numbers,
)
from hy_gluon.quantization.options import Arrays, QuantizationError
from hy_ndarray import Context, NDArray
from hy_symbol import Node, Symbol

__all__ = ["batches_of", "block_of", "collect", "collector_for", "ranges_of"]


def collector_for(
    calib_mode: str, layers: Sequence[str], custom: Any, logger: Any
) -> CalibrationCollector | Any | None:
    """Return the collector for a calibration mode; None if no ranges are calibrated.

    Raises:
        QuantizationError: The mode is ``"customize"``, but ``custom`` is None.
    """
    if calib_mode == "none":
        # A program's collector may be any object with these two attributes.
        return None
    if calib_mode == "naive":
        return MinMaxCollector(layers, logger)
    if calib_mode == "entropy":
        return HistogramCollector(layers, logger)
    if custom is None:
        raise QuantizationError("calib_mode='customize' needs a LayerOutputCollector")
    if custom.include_layer is None:
        custom.include_layer = layers
    return custom


def ranges_of(collector: Any, quantized_dtype: str) -> dict[str, Range]:
    """Return a collector's ranges by tensor.

    User-defined collectors may be any object with ``min_max_dict``.
    """
    if isinstance(collector, CalibrationCollector):
        return collector.ranges(quantized_dtype)
    return as_numbers(collector.min_max_dict)


def batches_of(data: Any, inputs: int) -> Iterator[list[NDArray]]:
    """Yield the input arrays of each batch, without labels.

    Args:
        data: An iterator of ``mx.io``, which is reset, a data loader, or an iterable of batches.
        inputs: Number of inputs of the model.

    Raises:
        QuantizationError: ``data`` has another type, or a batch has too few arrays.
    """
    if isinstance(data, DataIter) or hasattr(data, "provide_data"):
        # DataIters are used up by an earlier pass.
        data.reset()
    if isinstance(data, NDArray) or not isinstance(data, Iterable):
        raise QuantizationError(
            f"calib_data is {type(data).__name__}: it must be a DataIter, a DataLoader or batches"
        )
    for batch in data:
        batch_data = batch.data if isinstance(batch, DataBatch) else batch
        arrays = list(batch_data) if isinstance(batch_data, list | tuple) else [batch_data]
        # Labels follow the inputs in a batch, and the model does not take them.
        if len(arrays) < inputs or not all(isinstance(x, NDArray) for x in arrays[:inputs]):
            kinds = ", ".join(type(x).__name__ for x in arrays[:inputs]) or "nothing"
            raise QuantizationError(
                f"a batch of calib_data must begin with {inputs} NDArrays, got {kinds}"
            )
        yield arrays[:inputs]


def block_of(
    symbol: Symbol, inputs: Sequence[str], params: Arrays, contexts: Sequence[Context]
) -> SymbolBlock:
    """Return a block that runs a symbol with the given parameters; others stay uninitialized."""
    outputs = symbol if symbol.num_outputs == 1 else list(symbol)
    variables = {node.name: node for node in symbol.graph.variables}
    inputs_of = [Symbol.of((variables.get(name, Node(None, name)), 0)) for name in inputs]
    block = SymbolBlock(outputs, inputs_of)
    for name, array in params.items():
        if name in block.params:
            block.params[name]._load_init(
                array, list(contexts), cast_dtype=True, dtype_source="saved"
            )
    return block


def collect(
    symbol: Symbol,
    params: Arrays,
    inputs: Sequence[str],
    collector: Any,
    layers: Sequence[str],
    data: Any,
    *,
    contexts: Sequence[Context],
    max_batches: int | None = None,
    logger: Any = None,
) -> int:
    """Run a model on examples, and pass the tensors in ``layers`` to the collector.

    Args:
        symbol: The float model.
        params: Parameters and auxiliary states by name.
        inputs: Names of the model's inputs.
        collector: Object whose method ``collect`` is called with each tensor.
        layers: Names of the tensors to collect.
        data: The examples; see :func:`batches_of`.
        contexts: Contexts of the parameters.
        max_batches: Number of examples (not batches) after which to stop; None for all.
        logger: Logger for the progress after each batch; if None, a progress bar is shown on
            terminals if tqdm is installed.

    Returns:
        Number of examples used; 0 if the graph has none of the tensors.

    Raises:
        QuantizationError: There are no examples, or ``max_batches`` is below 1.
    """
    if max_batches is not None and max_batches < 1:
        raise QuantizationError(f"num_calib_examples={max_batches} must be 1 or more; None: all")
    tensors = {
        node.output_name(i): (node, i)
        for node in symbol.graph.nodes
        for i in range(node.num_visible)
    }
    wanted = [name for name in layers if name in tensors]
    # Quantization left no operator, so there is nothing to calibrate.
    if not wanted:
        return 0
    # The tensors become outputs, so that one compiled run computes all of them.
    group = type(symbol).of(*(tensors[name] for name in wanted))
    model = block_of(group, inputs, params, contexts)
    model.hybridize()
    seen = 0
    for number, batch in enumerate(
        _with_progress(batches_of(data, len(inputs)), max_batches, logger), 1
    ):
        outputs = model(*(x.as_in_context(contexts[0]) for x in batch))
        for name, value in zip(wanted, [outputs] if len(wanted) == 1 else outputs, strict=True):
            collector.collect(name, value)
        seen += len(batch[0])
        if logger is not None:
            of = "" if max_batches is None else f" of {max_batches}"
            logger.info("batch %d: statistics of %d%s examples", number, seen, of)
        if max_batches is not None and seen >= max_batches:
            break
    if not seen:
        raise QuantizationError("calib_data has no batches")
    return seen


def _with_progress(
    batches: Iterable[list[NDArray]], max_batches: int | None, logger: Any
) -> Iterator[list[NDArray]]:
    """Yield the batches, with a tqdm progress bar on terminals unless there is a logger."""
    try:
        from tqdm import tqdm  # noqa: PLC0415  # an extra
    except ImportError:
        yield from batches
        return
    hidden = True if logger is not None else None  # None: where there is no terminal
    with tqdm(total=max_batches, desc="calibration", unit=" examples", disable=hidden) as bar:
        for batch in batches:
            yield batch
            bar.update(len(batch[0]))
