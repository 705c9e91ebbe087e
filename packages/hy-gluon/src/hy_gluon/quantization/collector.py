"""Collectors: statistics of a running model's tensors, to find their quantization ranges."""

from collections.abc import Collection, Mapping
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hy_gluon.quantization.options import QuantizationError
from hy_ndarray import nd

__all__ = [
    "CalibrationCollector",
    "Histogram",
    "HistogramCollector",
    "MinMaxCollector",
    "Range",
    "as_numbers",
    "combine_histogram",
]

Array: TypeAlias = npt.NDArray[Any]
Range: TypeAlias = tuple[float, float]
Histogram: TypeAlias = tuple[Array, Array, float, float, float]
"""Counts, bin edges, minimum, maximum, and the bound of the (symmetric) bins."""

# 255 bins for int8 and 511 for uint8: MXNet's entropy calibration, where half of the bins are of
# one sign.
_SIGNED, _UNSIGNED = 255, 511
"""Numbers of quantization levels for the entropy search, for int8 and uint8."""


def _numpy(values: Any) -> Array:
    return np.asarray(values.asnumpy() if hasattr(values, "asnumpy") else values)


def as_numbers(ranges: Mapping[str, Any]) -> dict[str, Range]:
    """Return ranges with one-element arrays converted to floats."""
    return {
        name: (float(_numpy(low).item()), float(_numpy(high).item()))
        for name, (low, high) in ranges.items()
    }


def _min_and_max(name: str, values: Array) -> Range:
    """Return the minimum and the maximum of a tensor's values.

    Raises:
        QuantizationError: A value is not finite.
    """
    low, high = float(values.min()), float(values.max())
    if not isfinite(low) or not isfinite(high):
        # One inf in a batch would make every bin empty but the last.
        raise QuantizationError(
            f"calibration: {name} has numbers from {low} to {high}, which give no range; look at "
            "the examples, and at what the model computes from them"
        )
    return low, high


class CalibrationCollector:
    """Base class of collectors, which get tensors by name and compute their ranges.

    Subclasses override :meth:`collect`, which updates :attr:`min_max_dict`, and optionally
    :meth:`post_collect`. The method ``collect`` can be passed to ``set_monitor_callback`` of an
    executor and to ``register_op_hook`` of a block.

    Args:
        include_layer: Names of the tensors to collect; all if None.
        logger: Logger for the collected statistics, at level ``DEBUG``.

    Example:
        >>> class Symmetric(CalibrationCollector):
        ...     def collect(self, name, *value):
        ...         if self.includes(name):
        ...             most = abs(value[-1]).max().asscalar()
        ...             self.min_max_dict[name] = (-most, most)
        >>> collector = Symmetric(["data"])
        >>> collector.collect("data", nd.array([-2, 1]))
        >>> collector.ranges("int8")
        {'data': (-2.0, 2.0)}
    """

    def __init__(self, include_layer: Collection[str] | None = None, logger: Any = None) -> None:
        self.include_layer = include_layer
        self.logger = logger
        self.min_max_dict: dict[str, Range] = {}

    def includes(self, name: str) -> bool:
        """Return whether statistics of this tensor are collected."""
        return self.include_layer is None or name in self.include_layer

    def collect(self, name: str, *value: Any) -> None:
        """Update the statistics of a tensor.

        Args:
            name: Name of the tensor.
            value: The array; hooks of blocks pass the operator's name before it.
        """
        raise NotImplementedError

    def post_collect(self, quantized_dtype: str) -> None:
        """Finish the statistics for an integer dtype, after all tensors were collected."""

    def ranges(self, quantized_dtype: str) -> dict[str, Range]:
        """Return the range (low, high) of each tensor to be represented."""
        self.post_collect(quantized_dtype)
        return as_numbers(self.min_max_dict)


class MinMaxCollector(CalibrationCollector):
    """Collects the minimum and maximum of each tensor.

    Example:
        >>> collector = MinMaxCollector()
        >>> for values in ([1, 3], [-1, 2]):
        ...     collector.collect("x", nd.array(values))
        >>> collector.ranges("int8")
        {'x': (-1.0, 3.0)}
    """

    def collect(self, name: str, *value: Any) -> None:
        """Update the minimum and maximum of a tensor."""
        values = _numpy(value[-1])
        if not self.includes(name) or not values.size:
            return
        low, high = _min_and_max(name, values)
        before = self.min_max_dict.get(name, (low, high))
        self.min_max_dict[name] = min(low, before[0]), max(high, before[1])
        if self.logger is not None:
            self.logger.debug("Collecting layer %s min_range=%f, max_range=%f", name, low, high)


class HistogramCollector(CalibrationCollector):
    """Collects a histogram of each tensor, and finds the clipping threshold by entropy.

    Args:
        include_layer: See :class:`CalibrationCollector`.
        logger: See :class:`CalibrationCollector`.
        num_bins: Number of bins of a tensor's first histogram; larger values later add bins.

    Example:
        >>> collector = HistogramCollector(num_bins=1001)
        >>> collector.collect("x", nd.concat(nd.linspace(-1, 1, 4000), nd.array([9]), dim=0))
        >>> low, high = collector.ranges("int8")["x"]
        >>> low == -high, high < 9
        (True, True)
    """

    def __init__(
        self,
        include_layer: Collection[str] | None = None,
        logger: Any = None,
        # 8001 bins, MXNet's number; odd, so that 0 is the middle of one bin.
        num_bins: int = 8001,
    ) -> None:
        super().__init__(include_layer, logger)
        self.num_bins = num_bins
        self.hist_dict: dict[str, Histogram] = {}

    def collect(self, name: str, *value: Any) -> None:
        """Update the histogram of a tensor."""
        values = _numpy(value[-1])
        if not self.includes(name) or not values.size:
            return
        low, high = _min_and_max(name, values)
        bound = max(abs(low), abs(high))
        if name in self.hist_dict:
            histogram = combine_histogram(self.hist_dict[name], values, low, high, bound)
        else:
            counts, edges = np.histogram(values, bins=self.num_bins, range=(-bound, bound))
            histogram = (counts, edges, low, high, bound)
        self.hist_dict[name] = histogram
        if self.logger is not None:
            self.logger.debug("Collecting layer %s histogram up to %f", name, histogram[-1])

    def post_collect(self, quantized_dtype: str) -> None:
        """Compute the threshold of each tensor by the operator ``calibrate_entropy``."""
        for name, (counts, edges, low, _, bound) in self.hist_dict.items():
            # Activations that are never negative use all 8 bits for the positive side.
            unsigned = low >= 0 and quantized_dtype in ("auto", "uint8")
            bins = min(_UNSIGNED if unsigned else _SIGNED, len(counts))
            threshold = 0.0
            if bound > 0:
                thresholds, _ = nd.contrib.calibrate_entropy(
                    nd.array(counts), nd.array(edges), num_quantized_bins=bins
                )
                threshold = float(thresholds.asscalar())
            self.min_max_dict[name] = 0.0 if unsigned else -threshold, threshold
            if self.logger is not None:
                self.logger.info("%s: numbers above %f are cut off", name, threshold)


def combine_histogram(
    old_hist: Histogram, arr: Any, new_min: float, new_max: float, new_th: float
) -> Histogram:
    """Return a histogram extended by more values, with the same bin width.

    Args:
        old_hist: A histogram that is symmetric about zero.
        arr: New values.
        new_min: Minimum of the new values.
        new_max: Maximum of the new values.
        new_th: Largest magnitude of the new values, up to which bins are added.

    Example:
        >>> import numpy as np
        >>> old = (*np.histogram([0.5, -1], bins=4, range=(-1, 1)), -1, 0.5, 1)
        >>> counts, edges, *ends = combine_histogram(old, [2.0, 0.6], 0.6, 2, 2)
        >>> counts.tolist(), edges.tolist()[:2], ends
        ([0, 0, 0, 1, 0, 0, 2, 0, 0, 1], [-2.5, -2.0], [-1, 2, 2.5])
    """
    counts, edges, low, high, bound = old_hist
    values, bins = _numpy(arr), len(counts)
    low, high = min(low, new_min), max(high, new_max)
    if new_th <= bound:
        more, _ = np.histogram(values, bins=bins, range=(-bound, bound))
        return counts + more, edges, low, high, bound
    if bound == 0:  # nothing but zeros so far, in the bin in the middle
        more, edges = np.histogram(values, bins=bins, range=(-new_th, new_th))
        # Zeros belong to the middle bin of the new range.
        more[bins // 2] += counts.sum()
        return more, edges, low, high, new_th
    # The range grows by whole bins on both sides, so that old counts keep their edges.
    width = 2 * bound / bins
    added = int((new_th - bound) // width + 1)
    bound += added * width
    more, edges = np.histogram(values, bins=bins + 2 * added, range=(-bound, bound))
    more[added : added + bins] += counts
    return more, edges, low, high, bound
