"""Quantized parameters: an int8 array and the ends of its range in place of each float array."""

from collections.abc import Collection

import numpy as np

from hy_gluon.quantization.options import Arrays
from hy_ndarray import NDArray, nd
from hy_symbol import Symbol

__all__ = ["quantized_parameters"]

_SUFFIX = "_quantize"
# Symmetric: -128 is not used, so that negation cannot overflow.
_LARGEST = 127  # of int8


def quantized_parameters(
    qsym: Symbol, params: Arrays, by_filter: Collection[str] = ()
) -> dict[str, NDArray]:
    """Return the arguments of a quantized graph, computed from float parameters.

    Args:
        qsym: The quantized graph.
        params: Float arrays by name; those that are arguments of the quantized graph are kept.
        by_filter: Names of parameters with one range per index of the first axis.
    """
    arguments, quantized = qsym.list_arguments(), {}
    for name in arguments:
        if name in params:
            quantized[name] = params[name]
        elif name.endswith(_SUFFIX) and (base := name.removesuffix(_SUFFIX)) in params:
            q, low, high = _quantized(params[base], by_filter=base in by_filter)
            quantized |= {name: q, f"{name}_min": low, f"{name}_max": high}
    return {name: quantized[name] for name in arguments if name in quantized}


def _quantized(array: NDArray, *, by_filter: bool) -> tuple[NDArray, NDArray, NDArray]:
    """Return int8 values, and the lower and upper ends of their range."""
    if not by_filter:
        floats = array.astype("float32", copy=False)
        # One range for all is computed by MXNet's operator, so that its rounding is the same.
        q, low, high = nd.contrib.quantize(floats, floats.min(), floats.max(), out_type="int8")
        return q, low, high
    values = array.asnumpy().astype(np.float32)
    rows = values.reshape(len(values), -1)
    largest = np.abs(rows).max(axis=1, initial=0)
    # A filter of zeros has step 0, and stays 0.
    steps = np.divide(_LARGEST, largest, out=np.zeros_like(largest), where=largest > 0)
    # Rounded to even, as MXNet's quantize does.
    integers = np.rint(rows * steps[:, None]).reshape(values.shape)
    ctx = array.context
    return (
        nd.array(integers, ctx, "int8"),
        nd.array(-largest, ctx, "float32"),
        nd.array(largest, ctx, "float32"),
    )
