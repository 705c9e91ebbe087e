"""Batch, layer, group and instance normalisation, computed in a common :class:`Form`."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied, number, out_buffer, quiet, target
from hy_kernels.numpy._bounds import relu
from hy_kernels.numpy._copying import assign
from hy_kernels.numpy._folds import row_sum
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._rows import by_rows
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn.normalization._form import Form, by_channel
from hy_kernels.numpy.runtime._pool import split
from hy_kernels.numpy.runtime._product import vecdot
from hy_kernels.record import Function, Params, by_params


def _reshaped_outs(out: OutBuffers, form: Form) -> OutBuffers:
    """Return the out buffers of a result and two statistics, reshaped to the form's shapes."""
    if out is None:
        return None
    shapes = form.shape, form.sizes, form.sizes
    return [m if m is None else m.reshape(s) for m, s in zip(out, shapes, strict=True)]


def _centered(x: Array, form: Form, out: OutBuffers = None) -> tuple[Array, Array, Array]:
    """Return ``x - mean``, the means, and the variances."""
    count = x.dtype.type(form.shared)
    mean = np.divide(form.sum(x, form.stats), count, out=out_buffer(out, 1))
    # Two passes, because mean(x²) - mean(x)² suffers from cancellation if the mean is large.
    centered = target(out, x.shape, x.dtype)
    np.subtract(x, form.broadcastable(mean, form.stats), out=centered)
    return centered, mean, form.dot(centered, centered, form.stats) / count


def _batch_norm(
    *arrays: Array,
    is_train: bool,
    eps: float,
    momentum: float,
    fix_gamma: bool,
    use_global_stats: bool,
    axis: int = 1,
    out: OutBuffers,
    with_relu: bool = False,
    **_: Any,
) -> tuple[Array, ...]:
    """Return a batch normalisation's result, mean, inverse deviation, and new auxiliary values.

    The latter are gamma (ones) if ``fix_gamma``, then the moving mean and variance in training;
    otherwise these normalise. ``with_relu`` applies ReLU.
    """
    data, gamma, beta, moving_mean, moving_var = arrays
    if use_global_stats or not is_train:
        return _frozen(arrays, eps, fix_gamma, axis, out, with_relu)
    x = to_compute_dtype(data)
    form = Form.of(x, "batch", axis)
    x, out = x.reshape(form.shape), _reshaped_outs(out, form)
    scale = np.ones_like(gamma) if fix_gamma else gamma
    updates = [scale] if fix_gamma else []
    y = target(out, x.shape, x.dtype)
    mean, inverse = (target(out, form.sizes, x.dtype, k) for k in (1, 2))
    variance = np.empty_like(mean)
    lowest = x.dtype.type(eps)

    def normalize(own: slice) -> None:
        """Normalise the channels in ``own``."""
        of, known = form.channels(own), inverse[own]
        part, _, variance[own] = _centered(x[:, own], of, (y[:, own], mean[own]))
        np.sqrt(variance[own] + lowest, out=known)
        np.divide(1, known, out=known)
        part *= of.broadcastable(known * scale[own], "b")
        part += of.broadcastable(beta[own], "b")
        if with_relu:
            relu(part, part)

    by_channel(form, normalize)
    if form.shared:
        # The biased variance, unlike PyTorch's running_var.
        keep, add = (moving_mean.dtype.type(t) for t in (momentum, 1 - momentum))
        updates.append(moving_mean * keep + mean * add)
        updates.append(moving_var * keep + variance * add)
    else:
        # An empty batch has no statistics: the moving statistics are not updated.
        updates += [moving_mean.copy(), moving_var.copy()]
    return to_storage_dtype(y.reshape(data.shape), data.dtype), mean, inverse, *updates


def _affine(x: Array, factor: Array, offset: Array, out: Array, with_relu: bool) -> None:
    """Compute ``out = x * factor + offset``, followed by ReLU if ``with_relu``."""
    np.multiply(x, factor, out=out)
    np.add(out, offset, out=out)
    if with_relu:
        relu(out, out)


def _affine_by_channel(
    form: Form, x: Array, factor: Array, offset: Array, out: Array, with_relu: bool
) -> None:
    """Compute :func:`_affine` with a factor and offset per channel, in threads and blocks."""
    source, result = x.reshape(form.shape), out.reshape(form.shape)

    def scale(own: slice) -> None:
        of, read, written = form.channels(own), source[:, own], result[:, own]
        scales, shifts = (of.broadcastable(each[own], "b") for each in (factor, offset))
        for block in split(len(read), -(-read.size // COSTS.threads.channels)):
            _affine(read[block], scales, shifts, written[block], with_relu)

    by_channel(form, scale)


def _frozen(
    arrays: tuple[Array, ...],
    eps: float,
    fix_gamma: bool,
    axis: int,
    out: OutBuffers,
    with_relu: bool,
) -> tuple[Array, ...]:
    """Return the results of :func:`_batch_norm` for normalisation by the moving statistics."""
    data, gamma, beta, moving_mean, moving_var = arrays
    x = to_compute_dtype(data)
    inverse = np.sqrt(moving_var + moving_var.dtype.type(eps), out=out_buffer(out, 2))
    np.divide(1, inverse, out=inverse)
    # One multiplication and one addition per element: mean, deviation, gamma and beta are folded
    # into a factor and an offset for each channel.
    factor = inverse if fix_gamma else inverse * gamma
    offset = beta - moving_mean * factor
    y = target(out, x.shape, x.dtype)
    form = Form.of(x, "batch", axis)
    if x.size < COSTS.threads.channels and not form.has_short_channels:
        shape = [1] * x.ndim
        shape[axis] = len(factor)
        _affine(x, factor.reshape(shape), offset.reshape(shape), y, with_relu)
    else:
        _affine_by_channel(form, x, factor, offset, y, with_relu)
    updates = [np.ones_like(gamma)] if fix_gamma else []
    return to_storage_dtype(y, data.dtype), copied(moving_mean, out, 1), inverse, *updates


def _of_prediction(params: Params, general: Function) -> Function | None:
    """Return the function for predictions, without statistics; None if they are requested."""
    if params["fix_gamma"] or params["output_mean_var"]:
        return None
    return lambda *arrays: general(*arrays, is_train=False)[0]


@kernel(out="apart", threads=COSTS.threads.rows, specialize=by_params(_of_prediction))
@quiet
def batch_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Array, ...]:
    """Return ``(data - mean) / deviation * gamma + beta`` by channel (Ioffe and Szegedy, 2015).

    The further results are mean, inverse deviation, and the updated auxiliary states.
    """
    return _batch_norm(data, gamma, beta, moving_mean, moving_var, out=out, **params)


batch_norm_v1 = alias("batch_norm_v1", batch_norm)


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def batch_norm_with_relu(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Array, ...]:
    """Return batch normalisation followed by ReLU."""
    return _batch_norm(
        data, gamma, beta, moving_mean, moving_var, out=out, with_relu=True, **params
    )


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def sync_batch_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Array, ...]:
    """Return batch normalisation of the channels on axis 1."""
    y, mean, inverse, *updates = _batch_norm(
        data, gamma, beta, moving_mean, moving_var, out=out, **params
    )
    if params["output_mean_var"]:
        inverse *= inverse
        np.divide(1, inverse, out=inverse)
        inverse -= inverse.dtype.type(params["eps"])  # which is the variance now
    return y, mean, inverse, *updates


def _without_moving_statistics(
    data: Array, gamma: Array, beta: Array, form: Form, eps: float, out: OutBuffers = None
) -> tuple[Array, Array, Array]:
    """Return result, means and deviations of an instance, group or layer normalisation."""
    x = to_compute_dtype(data).reshape(form.shape)
    y, mean, variance = _centered(x, form, out)
    variance += x.dtype.type(eps)
    deviation = np.sqrt(variance, out=out_buffer(out, 2))
    factor, scale = np.reciprocal(deviation), to_compute_dtype(gamma)
    if form.stats == "ab":
        y *= form.broadcastable(factor * scale, "ab")
    else:
        y *= form.broadcastable(factor, form.stats)
        y *= form.broadcastable(scale, "b")
    y += form.broadcastable(to_compute_dtype(beta), "b")
    y = to_storage_dtype(y.reshape(data.shape), data.dtype)
    return y, to_storage_dtype(mean, data.dtype), to_storage_dtype(deviation, data.dtype)


def _scaled_rows(x: Array, gamma: Array, beta: Array, eps: float, y: Array) -> tuple[Array, Array]:
    """Write the layer normalisation of each row to ``y``; return means and deviations."""
    count = number(x.shape[1], x.dtype)
    mean = row_sum(x) / count
    np.subtract(x, mean[:, None], out=y)
    deviation = vecdot(y, y) / count
    deviation += number(eps, x.dtype)
    np.sqrt(deviation, out=deviation)
    y *= np.reciprocal(deviation)[:, None]
    y *= gamma
    y += beta
    return mean, deviation


def _without_statistics(params: Params, general: Function) -> Function | None:
    """Return a function that returns only the result; None if statistics are requested."""
    return None if params["output_mean_var"] else lambda *arrays: general(*arrays)[0]


@kernel(out="apart", threads=COSTS.threads.rows, specialize=by_params(_without_statistics))
@quiet
def layer_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    *,
    axis: int,
    eps: float,
    output_mean_var: bool,
    out: OutBuffers = None,
) -> tuple[Array, Array, Array]:
    """Return layer normalisation along ``axis``, with means and deviations."""
    shape = list(data.shape)
    shape[axis] = 1
    form = Form.of(data, "layer", axis)
    out = _reshaped_outs(out, form)
    if form.axes != "ab":
        y, mean, deviation = _without_moving_statistics(data, gamma, beta, form, eps, out)
        return y, mean.reshape(shape), deviation.reshape(shape)
    rows = data.reshape(form.shape)
    y = target(out, form.shape, data.dtype)
    mean = target(out, rows.shape[:1], data.dtype, 1)
    deviation = target(out, rows.shape[:1], data.dtype, 2)

    scale, shift = to_compute_dtype(gamma), to_compute_dtype(beta)

    def work(block: slice) -> None:
        part = to_compute_dtype(rows[block])
        result = y[block] if part.dtype == y.dtype else np.empty(part.shape, part.dtype)
        mean[block], deviation[block] = _scaled_rows(part, scale, shift, eps, result)
        if result.dtype != y.dtype:  # it was computed in a wider dtype
            assign(y[block], result)

    by_rows(rows, work)
    return y.reshape(data.shape), mean.reshape(shape), deviation.reshape(shape)


@kernel(out="apart", specialize=by_params(_without_statistics))
@quiet
def group_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    *,
    num_groups: int,
    eps: float,
    output_mean_var: bool,
    out: OutBuffers = None,
) -> tuple[Array, Array, Array]:
    """Return group normalisation (Wu and He, 2018), with means and deviations."""
    form = Form.of(data, "group", 1, num_groups)
    return _without_moving_statistics(data, gamma, beta, form, eps, _reshaped_outs(out, form))


@kernel(out="apart")
@quiet
def instance_norm(
    data: Array, gamma: Array, beta: Array, *, eps: float, out: OutBuffers = None
) -> tuple[Array, Array, Array]:
    """Return instance normalisation (Ulyanov et al., 2016), with means and deviations."""
    form = Form.of(data, "instance", 1)
    return _without_moving_statistics(data, gamma, beta, form, eps, _reshaped_outs(out, form))
