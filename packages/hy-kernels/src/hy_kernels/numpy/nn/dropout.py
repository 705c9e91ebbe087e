"""Inverted dropout (Srivastava et al., 2014): scaled in training, the identity in prediction."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.record import Function, Params, by_params


def _of_prediction(params: Params, _: Function) -> Function | None:
    """Return the function for predictions: a copy, or None if dropout is always active."""
    return None if params["mode"] == "always" else copied


@kernel(out="apart", specialize=by_params(_of_prediction))
def dropout(
    data: Array,
    *,
    p: float,
    mode: str,
    axes: tuple[int, ...],
    cudnn_off: bool | None,
    is_train: bool,
    rng: np.random.Generator,
    out: OutBuffers = None,
) -> tuple[Array, Array]:
    """Return ``data`` times a random mask of zeros and ``1 / (1 - p)``, and the mask."""
    shape = list(data.shape)
    for axis in axes:
        shape[axis] = 1
    result, mask = target(out, data.shape, data.dtype), target(out, tuple(shape), data.dtype, 1)
    if p == 0 or not (is_train or mode == "always"):
        result[...] = data
        mask[...] = 1
        return result, mask
    # float32 whatever the dtype of data: it takes half the random bits of float64.
    keep = rng.random(shape, np.float32) >= p
    scale = data.dtype.type(1 / (1 - p) if p < 1 else 0)
    np.multiply(keep, scale, out=mask)
    np.multiply(data, mask, out=result)
    return result, mask
