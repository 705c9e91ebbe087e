"""Private functions and classes of ``mxnet.contrib.quantization``."""

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon import files
from hy_gluon.batches import DataBatch, DataDesc, DataIter
from hy_gluon.quantization import HistogramCollector, MinMaxCollector
from hy_gluon.quantization.collector import Histogram
from hy_gluon.quantization.model import calibrated
from hy_gluon.quantization.options import Options
from hy_gluon.quantization.parameters import quantized_parameters
from hy_ndarray import Context, NDArray, nd
from hy_symbol import Symbol, load as load_symbol, ranged_tensors, with_quantization
from mxnet._private.errors import OperandError, ShapesError

_Array = npt.NDArray[Any]
_Ranges = dict[str, tuple[float, float]]


class _LayerHistogramCollector(HistogramCollector):
    """Collector of a histogram for each tensor.

    Args:
        num_bins: Number of bins of the first histogram of a tensor.
        include_layer: Names of the tensors to observe; all if None.
        logger: Logger for messages.
    """

    def __init__(
        self, num_bins: int = 8001, include_layer: Collection[str] | None = None, logger: Any = None
    ) -> None:
        super().__init__(include_layer, logger, num_bins)


class _LayerOutputMinMaxCollector(MinMaxCollector):
    """Collector of the minimum and maximum of each tensor.

    Args:
        quantized_dtype: Quantized dtype.
        include_layer: Names of the tensors to observe; all if None.
        logger: Logger for messages.
    """

    def __init__(
        self, quantized_dtype: str, include_layer: Collection[str] | None = None, logger: Any = None
    ) -> None:
        super().__init__(include_layer, logger)
        self.quantized_dtype = quantized_dtype


class _DataIterWrapper(DataIter):
    """Iterator over a loader's batches, with all elements (also labels) as data.

    Args:
        calib_data: A data loader, or batches.

    Raises:
        OperandError: ``calib_data`` is not iterable.
    """

    def __init__(self, calib_data: Any) -> None:
        try:
            # A loader does not describe its batches; the first one shows their shapes.
            first = next(iter(calib_data))
        except (TypeError, StopIteration) as error:
            raise OperandError(f"calib_data is not a valid iterator. {error}") from error
        self._loader = calib_data
        parts = self._as_list(first)
        names = ["data" if i == 0 else f"data{i - 1}" for i in range(len(parts))]
        self.provide_data = [
            DataDesc(name, part.shape, part.dtype) for name, part in zip(names, parts, strict=True)
        ]
        super().__init__(parts[0].shape[0])
        self.reset()

    @staticmethod
    def _as_list(batch: Any) -> list[NDArray]:
        return list(batch) if isinstance(batch, list | tuple) else [batch]

    def reset(self) -> None:
        """Restart the iterator."""
        self._pass: Iterator[Any] = iter(self._loader)

    def next(self) -> DataBatch:
        """Return the next batch."""
        return DataBatch(data=self._as_list(next(self._pass)))


def _as_data_iter(calib_data: Any) -> tuple[Any, list[DataDesc]]:
    """Return an iterator over examples, and descriptions of the data.

    Raises:
        OperandError: ``calib_data`` is neither an iterator nor a loader.
    """
    if isinstance(calib_data, DataIter):
        described: Any = calib_data
        return described, described.provide_data
    iterator = _DataIterWrapper(calib_data)
    return iterator, iterator.provide_data


def _smooth_distribution(p: _Array, eps: float = 0.0001) -> _Array:
    """Return a distribution with zeros raised to ``eps``, and other entries lowered.

    Raises:
        ShapesError: All entries are 0, or other entries are too small to be lowered.
    """
    zeros = np.asarray(p) == 0
    smoothed = np.asarray(p, dtype=np.float32)
    others = smoothed.size - int(zeros.sum())
    if not others:
        raise ShapesError("The discrete probability distribution is malformed. All entries are 0.")
    # A KL divergence is infinite where only one of both distributions is zero.
    share = eps * float(zeros.sum()) / others
    if share >= 1:
        raise ShapesError(
            f"{others} entries of {smoothed.size} are not 0, too few to give {eps} each"
        )
    return (smoothed + np.where(zeros, eps, -share)).astype(np.float32)


def _get_optimal_threshold(
    hist_data: Histogram, quantized_dtype: str, num_quantized_bins: int = 255
) -> tuple[float, float, float, float]:
    """Return the threshold of a histogram with the smallest KL divergence.

    Args:
        hist_data: Counts, edges, minimum, maximum, and the bound of the bins.
        quantized_dtype: Quantized dtype.
        num_quantized_bins: Number of quantized values.

    Returns:
        Minimum, maximum, threshold, and the divergence at the threshold.
    """
    counts, edges, low, high, _ = hist_data
    if low >= 0 and quantized_dtype in ("auto", "uint8"):
        # Without negative numbers the tensor becomes uint8, with twice as many steps on one side.
        num_quantized_bins = num_quantized_bins * 2 + 1
    calibrated = nd.contrib.calibrate_entropy(
        nd.array(counts, dtype="float32"),
        nd.array(edges, dtype="float32"),
        num_quantized_bins=num_quantized_bins,
    )
    threshold, divergence = (float(array.asnumpy().ravel()[0]) for array in calibrated)
    return low, high, threshold, divergence


def _get_optimal_thresholds(
    hist_dict: dict[str, Histogram],
    quantized_dtype: str,
    num_quantized_bins: int = 255,
    logger: Any = None,
) -> _Ranges:
    """Return the ranges of tensors from their histograms, which are removed from ``hist_dict``."""
    thresholds = {}
    for name in list(hist_dict):
        # Popped, so that the memory of each histogram is free at once.
        low, _, threshold, divergence = _get_optimal_threshold(
            hist_dict.pop(name), quantized_dtype, num_quantized_bins
        )
        is_unsigned = low >= 0 and quantized_dtype in ("auto", "uint8")
        thresholds[name] = (0.0 if is_unsigned else -threshold, threshold)
        if logger is not None:
            logger.debug("layer=%s, threshold=%f, divergence=%f", name, threshold, divergence)
    return thresholds


def _collect_layer_statistics(
    mod: Any, data: Any, collector: Any, max_num_examples: int | None = None, logger: Any = None
) -> int:
    """Run a module on examples, and pass its tensors to a collector.

    Args:
        mod: A bound module.
        data: An iterator over batches.
        collector: Object with a method ``collect(name, array)``.
        max_num_examples: Maximum number of examples.
        logger: Logger for messages.

    Returns:
        Number of examples.

    Raises:
        OperandError: ``data`` is not an iterator of ``mx.io``.
    """
    if not isinstance(data, DataIter):
        raise OperandError(f"Only supports data as a type of DataIter, not {type(data)}")
    for executor in mod._exec_group.execs:
        executor.set_monitor_callback(collector.collect, monitor_all=True)
    batches = examples = 0
    # The iterator may have been read: calibration begins with the first example.
    data.reset()
    for batch in data:
        mod.forward(data_batch=batch, is_train=False)
        batches += 1
        examples += data.batch_size
        if max_num_examples is not None and examples >= max_num_examples:
            break
    if logger is not None:
        logger.info("Collected statistics from %d batches of %d", batches, data.batch_size)
    return examples


def _collect_layer_output_min_max(
    mod: Any,
    data: Any,
    quantized_dtype: str,
    include_layer: Collection[str] | None = None,
    max_num_examples: int | None = None,
    logger: Any = None,
) -> tuple[_Ranges, int]:
    """Return the minimum and maximum of tensors, and the number of examples.

    Args:
        mod: A bound module.
        data: An iterator over batches.
        quantized_dtype: Quantized dtype.
        include_layer: Names of the tensors; all if None.
        max_num_examples: Maximum number of examples.
        logger: Logger for messages.
    """
    collector = _LayerOutputMinMaxCollector(quantized_dtype, include_layer, logger)
    examples = _collect_layer_statistics(mod, data, collector, max_num_examples, logger)
    return collector.min_max_dict, examples


def _collect_layer_histogram(
    mod: Any,
    data: Any,
    include_layer: Collection[str] | None = None,
    max_num_examples: int | None = None,
    logger: Any = None,
) -> tuple[dict[str, Histogram], int]:
    """Return histograms of tensors, and the number of examples."""
    collector = _LayerHistogramCollector(include_layer=include_layer, logger=logger)
    examples = _collect_layer_statistics(mod, data, collector, max_num_examples, logger)
    return collector.hist_dict, examples


def _calibrate_quantized_sym(qsym: Symbol, th_dict: _Ranges | None) -> Symbol:
    """Return a quantized symbol with calibrated ranges; unchanged without ranges."""
    return calibrated(qsym, th_dict) if th_dict else qsym


def _quantize_params(
    qsym: Symbol, params: dict[str, NDArray], th_dict: _Ranges
) -> dict[str, NDArray]:
    """Return the arguments of a quantized symbol, from float parameters."""
    del th_dict  # the ranges of parameters are their own
    return quantized_parameters(qsym, params)


def _quantize_symbol(
    sym: Symbol,
    ctx: Context,
    excluded_symbols: Collection[str] | None = None,
    excluded_operators: Collection[str] | None = None,
    offline_params: Collection[str] | None = None,
    quantized_dtype: Any = "int8",
    quantize_mode: Any = "smart",
    quantize_granularity: str = "tensor-wise",
) -> tuple[Symbol, list[str]]:
    """Return a quantized symbol, and the names of tensors that need calibrated ranges.

    Args:
        sym: The symbol.
        ctx: Has no effect: quantized parameters stay on their context.
        excluded_symbols: Names of nodes that are not quantized.
        excluded_operators: Operators that are not quantized.
        offline_params: Names of parameters that are quantized in advance.
        quantized_dtype: ``"int8"``, ``"uint8"`` or ``"auto"``.
        quantize_mode: ``"full"`` or ``"smart"``.
        quantize_granularity: ``"tensor-wise"`` or ``"channel-wise"``.
    """
    del ctx
    options = Options(
        quantized_dtype,
        quantize_mode,
        quantize_granularity,
        list(excluded_symbols) if excluded_symbols is not None else None,
        list(excluded_operators) if excluded_operators is not None else None,
    )
    graph = with_quantization(
        sym.graph,
        options.nodes(sym.graph),
        dtype=options.dtype,
        parameters=frozenset(offline_params or ()),
    )
    quantized = type(sym)(graph)
    return quantized, list(ranged_tensors(quantized.graph))


def _load_sym(sym: Any, logger: Any = None) -> Symbol:
    """Return a symbol, loaded if given as a file name.

    Raises:
        ShapesError: The argument is of another type.
    """
    if isinstance(sym, Symbol):
        return sym
    if not isinstance(sym, str):
        raise ShapesError(
            "_load_sym only accepts Symbol or path to the symbol file, while received type "
            f"{type(sym)}"
        )
    if logger is not None:
        logger.info("Loading symbol from file %s", sym)
    return load_symbol(sym)


def _load_params(params: Any, logger: Any = None) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """Return parameters and auxiliary states, loaded if given as a file name.

    Raises:
        ShapesError: The argument is of another type.
    """
    if isinstance(params, str):
        if logger is not None:
            logger.info("Loading params from file %s", params)
        loaded: Any = files.load(params)
        kinds: dict[str, dict[str, NDArray]] = {"arg": {}, "aux": {}}
        for name, array in loaded.items():
            kind, _, rest = name.partition(":")
            if kind in kinds:
                kinds[kind][rest] = array
        return kinds["arg"], kinds["aux"]
    is_pair = isinstance(params, tuple | list) and len(params) == 2  # noqa: PLR2004  # a pair
    if is_pair and all(isinstance(part, dict) for part in params):
        return params[0], params[1]
    raise ShapesError(
        "Unsupported params provided. Must be either a path to the param file or a pair of "
        "dictionaries representing arg_params and aux_params"
    )
