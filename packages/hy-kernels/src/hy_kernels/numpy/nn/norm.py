"""Normalisation: batch, layer, group and instance share one form, see :class:`Form`."""

from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, place, quiet, shaped, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._relu import relu
from hy_kernels.numpy.nn._normalized_form import Form
from hy_kernels.numpy.nn._rows import SHARED, by_rows
from hy_kernels.numpy.nn._window import narrow, wide

__all__ = [
    "batch_norm",
    "batch_norm_v1",
    "batch_norm_with_relu",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "normalize_backward",
    "normalize_backward_backward",
    "normalize_statistics_backward",
    "normalize_statistics_backward_backward",
    "sync_batch_norm",
]


def _places(out: Places, form: Form) -> Places:
    """Memory for a result and two statistics, in the form's shapes."""
    if out is None:
        return None
    shapes = form.shape, form.sizes, form.sizes
    return [m if m is None else m.reshape(s) for m, s in zip(out, shapes, strict=True)]


def _small(values: Array, dtype: np.dtype[np.generic], out: Places, k: int) -> Array:
    """Values of which there are few, as result ``k``."""
    return narrow(values, dtype) if place(out, k) is None else copied(values, out, k, dtype=dtype)


def _normalized(x: Array, form: Form, eps: float, out: Places = None) -> tuple[Array, Array, Array]:
    """``(x - mean)``, the means, and the variances plus ``eps``."""
    count = x.dtype.type(form.shared)
    mean = np.divide(form.sum(x, form.stats), count, out=place(out, 1))
    centered = target(out, x.shape, x.dtype)
    np.subtract(x, form.spread(mean, form.stats), out=centered)
    variance = form.dot(centered, centered, form.stats) / count
    variance += x.dtype.type(eps)
    return centered, mean, variance


def _batch_norm(
    arrays: tuple[Array, Array, Array, Array, Array],
    eps: float,
    momentum: float,
    fix_gamma: bool,
    frozen: bool,
    axis: int,
    out: Places = None,
) -> tuple[Array, ...]:
    """Result, mean, inverse deviation; gamma if it is fixed; moving statistics if not frozen."""
    data, gamma, beta, moving_mean, moving_var = arrays
    x = wide(data)
    form = Form.of(x, "batch", axis)
    x, out = x.reshape(form.shape), _places(out, form)
    scale = np.ones_like(gamma) if fix_gamma else gamma
    updates = [scale] if fix_gamma else []
    if frozen:
        mean = copied(moving_mean, out, 1)
        inverse = np.sqrt(moving_var + moving_var.dtype.type(eps), out=place(out, 2))
        np.divide(1, inverse, out=inverse)
        factor = inverse * scale
        y = target(out, x.shape, x.dtype)
        np.multiply(x, form.spread(factor, "b"), out=y)
        y += form.spread(beta - mean * factor, "b")
    else:
        y, mean, variance = _normalized(x, form, eps, out)
        inverse = np.sqrt(variance, out=place(out, 2))
        np.divide(1, inverse, out=inverse)
        y *= form.spread(inverse * scale, "b")
        y += form.spread(beta, "b")
        if form.shared:
            keep, add = (moving_mean.dtype.type(t) for t in (momentum, 1 - momentum))
            updates.append(moving_mean * keep + mean * add)
            updates.append(moving_var * keep + (variance - variance.dtype.type(eps)) * add)
        else:  # an empty batch has no statistics
            updates += [moving_mean.copy(), moving_var.copy()]
    return narrow(y.reshape(data.shape), data.dtype), mean, inverse, *updates


@kernel(out="apart")
@quiet
def batch_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
    *,
    eps: float,
    momentum: float,
    fix_gamma: bool,
    use_global_stats: bool,
    output_mean_var: bool,
    axis: int,
    cudnn_off: bool,
    min_calib_range: float | None,
    max_calib_range: float | None,
    is_train: bool,
    out: Places = None,
) -> tuple[Array, ...]:
    """Each channel less its mean, over its deviation, times ``gamma`` plus ``beta``."""
    arrays = (data, gamma, beta, moving_mean, moving_var)
    frozen = use_global_stats or not is_train
    return _batch_norm(arrays, eps, momentum, fix_gamma, frozen, axis, out)


@kernel(out="apart")
@quiet
def batch_norm_with_relu(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
    *,
    eps: float,
    momentum: float,
    fix_gamma: bool,
    use_global_stats: bool,
    output_mean_var: bool,
    axis: int,
    cudnn_off: bool,
    min_calib_range: float | None,
    max_calib_range: float | None,
    is_train: bool,
    out: Places = None,
) -> tuple[Array, ...]:
    """Batch normalisation, negative results set to zero."""
    arrays = (data, gamma, beta, moving_mean, moving_var)
    frozen = use_global_stats or not is_train
    y, *rest = _batch_norm(arrays, eps, momentum, fix_gamma, frozen, axis, out)
    return relu(y, y), *rest


@kernel(out="apart")
@quiet
def batch_norm_v1(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
    *,
    eps: float,
    momentum: float,
    fix_gamma: bool,
    use_global_stats: bool,
    output_mean_var: bool,
    is_train: bool,
    out: Places = None,
) -> tuple[Array, ...]:
    """Batch normalisation of axis 1."""
    arrays = (data, gamma, beta, moving_mean, moving_var)
    frozen = use_global_stats or not is_train
    return _batch_norm(arrays, eps, momentum, fix_gamma, frozen, 1, out)


@kernel(out="apart")
@quiet
def sync_batch_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
    *,
    eps: float,
    momentum: float,
    fix_gamma: bool,
    use_global_stats: bool,
    output_mean_var: bool,
    ndev: int,
    key: str,
    is_train: bool,
    out: Places = None,
) -> tuple[Array, ...]:
    """Batch normalisation of axis 1."""
    arrays = (data, gamma, beta, moving_mean, moving_var)
    frozen = use_global_stats or not is_train
    return _batch_norm(arrays, eps, momentum, fix_gamma, frozen, 1, out)


def _scaled(
    data: Array, gamma: Array, beta: Array, form: Form, eps: float, out: Places = None
) -> tuple[Array, Array, Array]:
    """Result, means and deviations of a normalisation without moving statistics."""
    x = wide(data).reshape(form.shape)
    y, mean, variance = _normalized(x, form, eps, out)
    deviation = np.sqrt(variance, out=place(out, 2))
    y *= form.spread(np.reciprocal(deviation), form.stats)
    y *= form.spread(wide(gamma), "b")
    y += form.spread(wide(beta), "b")
    y = narrow(y.reshape(data.shape), data.dtype)
    return y, narrow(mean, data.dtype), narrow(deviation, data.dtype)


@kernel(out="apart", threads=SHARED)
@quiet
def layer_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    *,
    axis: int,
    eps: float,
    output_mean_var: bool,
    out: Places = None,
) -> tuple[Array, Array, Array]:
    """Each vector along ``axis`` less its mean, over its deviation, times gamma plus beta."""
    shape = list(data.shape)
    shape[axis] = 1
    form = Form.of(data, "layer", axis)
    out = _places(out, form)
    if form.axes != "ab":
        y, mean, deviation = _scaled(data, gamma, beta, form, eps, out)
        return y, mean.reshape(shape), deviation.reshape(shape)
    rows = data.reshape(form.shape)
    y = target(out, form.shape, data.dtype)
    mean = target(out, rows.shape[:1], data.dtype, 1)
    deviation = target(out, rows.shape[:1], data.dtype, 2)

    def work(block: slice) -> None:
        part = rows[block]
        of = Form(part.shape, "ab", "a")
        own = y[block], None, None
        made, mean[block], deviation[block] = _scaled(part, gamma, beta, of, eps, own)
        if wide(part) is not part:  # it was made in a wider dtype
            y[block] = made

    by_rows(rows, work)
    return y.reshape(data.shape), mean.reshape(shape), deviation.reshape(shape)


@kernel(out="apart")
@quiet
def group_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    *,
    num_groups: int,
    eps: float,
    output_mean_var: bool,
    out: Places = None,
) -> tuple[Array, Array, Array]:
    """Each group of channels less its mean, over its deviation, times gamma plus beta."""
    form = Form.of(data, "group", 1, num_groups)
    return _scaled(data, gamma, beta, form, eps, _places(out, form))


@kernel(out="apart")
@quiet
def instance_norm(
    data: Array, gamma: Array, beta: Array, *, eps: float, out: Places = None
) -> tuple[Array, Array, Array]:
    """Each channel of each instance less its mean, over its deviation, times gamma plus beta."""
    form = Form.of(data, "instance", 1)
    return _scaled(data, gamma, beta, form, eps, _places(out, form))


class _Parts(NamedTuple):
    """What the gradients start from, all in the form's shape."""

    form: Form
    hat: Array
    """The data less its mean, over its deviation."""
    inverse: Array
    """One over the deviation."""
    gamma: Array


def _parts(
    data: Array,
    gamma: Array | None,
    mean: Array,
    deviation: Array,
    how: tuple[str, int, int],
    out: Places = None,
) -> _Parts:
    """The parts of a normalisation; where ``gamma`` is None it is one."""
    kind, axis, groups = how
    form = Form.of(data, kind, axis, groups)
    # Batch normalisation keeps the inverse of the deviation, as MXNet shows it.
    inverse = wide(deviation) if kind == "batch" else 1 / wide(deviation)
    inverse = form.spread(inverse, form.stats)
    memory = place(shaped(out, form.shape))
    hat = wide(data).reshape(form.shape)
    hat = np.subtract(hat, form.spread(wide(mean), form.stats), out=memory)
    hat *= inverse
    one = np.ones((1,) * hat.ndim, hat.dtype)
    return _Parts(form, hat, inverse, one if gamma is None else form.spread(wide(gamma), "b"))


def _project(form: Form, hat: Array, p: Array, out: Places = None) -> Array:
    """``p`` less its mean, less ``hat`` times the mean of their product."""
    count = p.dtype.type(form.shared)
    along = form.spread(form.dot(p, hat, form.stats) / count, form.stats)
    result = target(out, hat.shape, hat.dtype)
    np.multiply(hat, along, out=result)
    np.subtract(p, result, out=result)
    result -= form.spread(form.sum(p, form.stats) / count, form.stats)
    return result


@kernel(out="apart")
@quiet
def normalize_backward(
    dy: Array,
    data: Array,
    gamma: Array,
    mean: Array,
    deviation: Array,
    *,
    kind: str,
    axis: int,
    groups: int,
    fix_gamma: bool,
    frozen: bool,
    out: Places = None,
) -> tuple[Array, Array, Array]:
    """Gradients to data, gamma and beta."""
    scale = None if fix_gamma else gamma
    form, hat, inverse, factor = _parts(data, scale, mean, deviation, (kind, axis, groups))
    g = wide(dy).reshape(form.shape)
    dgamma = np.zeros_like(gamma) if fix_gamma else form.dot(g, hat, "b")
    dbeta = form.sum(g, "b")
    own = shaped(out, form.shape)
    if frozen:
        dx = target(own, g.shape, g.dtype)
        np.multiply(g, factor * inverse, out=dx)
    elif form.stats in ("b", "ab"):  # one gamma per mean
        dx = _project(form, hat, g, own)
        dx *= factor * inverse
    else:
        dx = _project(form, hat, g * factor, own)
        dx *= inverse
    return (
        narrow(dx.reshape(data.shape), data.dtype),
        _small(dgamma, gamma.dtype, out, 1),
        _small(dbeta, gamma.dtype, out, 2),
    )


@kernel(out="apart")
@quiet
def normalize_statistics_backward(
    dmean: Array,
    ddeviation: Array,
    data: Array,
    mean: Array,
    deviation: Array,
    *,
    kind: str,
    axis: int,
    groups: int,
    out: Places = None,
) -> Array:
    """Gradient to the data of the means, and of the deviations (batch: their inverses)."""
    form, hat, inverse, _ = _parts(data, None, mean, deviation, (kind, axis, groups), out)
    count = hat.dtype.type(form.shared)
    slope = form.spread(wide(ddeviation), form.stats) / count
    if kind == "batch":
        slope = -slope * inverse * inverse
    hat *= slope
    hat += form.spread(wide(dmean), form.stats) / count
    return narrow(hat.reshape(data.shape), data.dtype)


@kernel(out="apart")
@quiet
def normalize_statistics_backward_backward(
    ddata: Array,
    ddeviation: Array,
    data: Array,
    mean: Array,
    deviation: Array,
    *,
    kind: str,
    axis: int,
    groups: int,
    out: Places = None,
) -> tuple[Array, Array, Array]:
    """Gradients of ``normalize_statistics_backward`` to dmean, ddeviation and data."""
    form, hat, inverse, _ = _parts(data, None, mean, deviation, (kind, axis, groups))
    u = wide(ddata).reshape(form.shape)
    count = u.dtype.type(form.shared)
    along = form.dot(u, hat, form.stats) / count
    to_data = _project(form, hat, u, shaped(out, form.shape, 2))
    slope = form.spread(wide(ddeviation), form.stats) * inverse / count
    to_deviation = along
    if kind == "batch":  # the deviation is an inverse, whose own slope counts too
        squared = inverse * inverse
        to_deviation = -along * squared.reshape(along.shape)
        to_data -= 2 * hat * form.spread(along, form.stats)
        slope = -slope * squared
    to_data *= slope
    to_mean = form.sum(u, form.stats) / count
    return (
        _small(to_mean.reshape(mean.shape), mean.dtype, out, 0),
        _small(to_deviation.reshape(ddeviation.shape), ddeviation.dtype, out, 1),
        narrow(to_data.reshape(data.shape), data.dtype),
    )


@kernel(out="apart")
@quiet
def normalize_backward_backward(
    ddata: Array,
    dgamma: Array,
    dbeta: Array,
    dy: Array,
    data: Array,
    gamma: Array,
    mean: Array,
    deviation: Array,
    *,
    kind: str,
    axis: int,
    groups: int,
    fix_gamma: bool,
    frozen: bool,
    out: Places = None,
) -> tuple[Array, Array, Array]:
    """Gradients of ``normalize_backward`` to dy, data and gamma, given those of its results."""
    scale = None if fix_gamma else gamma
    form, hat, inverse, factor = _parts(data, scale, mean, deviation, (kind, axis, groups))
    g, u = wide(dy).reshape(form.shape), wide(ddata).reshape(form.shape)
    a = form.spread(wide(np.zeros_like(gamma) if fix_gamma else dgamma), "b")
    projected = u * inverse if frozen else _project(form, hat, u) * inverse
    to_dy = np.multiply(projected, factor, out=place(shaped(out, form.shape)))
    to_dy += hat * a
    to_dy += form.spread(wide(dbeta), "b")
    to_gamma = np.zeros_like(gamma) if fix_gamma else form.dot(projected, g, "b")
    to_hat = g * a
    own = shaped(out, form.shape, 1)
    if not frozen:
        p = g * factor
        count = p.dtype.type(form.shared)
        along_p = form.spread(form.dot(p, hat, form.stats) / count, form.stats)
        along_u = form.spread(form.dot(u, hat, form.stats) / count, form.stats)
        to_hat -= inverse * (u * along_p + p * along_u)
        size = form.spread(form.dot(projected, p, form.stats) / count, form.stats)
        to_data = _project(form, hat, to_hat, own)
        to_data -= hat * size
        to_data *= inverse
    else:
        to_data = np.multiply(to_hat, inverse, out=place(own))
    return (
        narrow(to_dy.reshape(dy.shape), dy.dtype),
        narrow(to_data.reshape(data.shape), data.dtype),
        _small(to_gamma, gamma.dtype, out, 2),
    )
