"""Gradients of normalisation, see :class:`Form`, and theirs."""

from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, Places, copied, place, quiet, shaped, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._spreading import spreading
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._rows import by_rows, ones
from hy_kernels.numpy.nn._window import narrow, wide
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.normalization._form import Form, by_channel
from hy_kernels.numpy.runtime._product import times_vector

__all__ = [
    "normalize_backward",
    "normalize_backward_backward",
    "normalize_statistics_backward",
    "normalize_statistics_backward_backward",
    "rectified_normalize_backward",
]


def _small(values: Array, dtype: np.dtype[np.generic], out: Places, k: int) -> Array:
    """Values of which there are few, as result ``k``."""
    return narrow(values, dtype) if place(out, k) is None else copied(values, out, k, dtype=dtype)


class _Parts(NamedTuple):
    """Return the operands of the gradients, all in the form's shape."""

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
    x, memory = wide(data).reshape(form.shape), place(shaped(out, form.shape))
    return _parts_of(form, x, gamma, mean, _inverse(deviation, kind), memory)


def _inverse(deviation: Array, kind: str) -> Array:
    """One over the deviation, which batch normalisation keeps so, as MXNet shows it."""
    return wide(deviation) if kind == "batch" else 1 / wide(deviation)


def _parts_of(
    form: Form,
    x: Array,
    gamma: Array | None,
    mean: Array,
    inverse: Array,
    memory: Array | None = None,
) -> _Parts:
    """The same from data in the form's shape."""
    inverse = form.spread(inverse, form.stats)
    hat = np.subtract(x, form.spread(wide(mean), form.stats), out=memory)
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


@kernel(out="apart", threads=COSTS.threads.rows)
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
    if kind == "batch":
        statistics = wide(mean), wide(deviation)
        return _of_batch(dy, None, data, gamma, statistics, axis, fix_gamma, frozen, out)
    form, inverse = Form.of(data, kind, axis, groups), 1 / wide(deviation)
    g, x = wide(dy).reshape(form.shape), wide(data).reshape(form.shape)
    dx = target(shaped(out, form.shape), g.shape, g.dtype)
    if form.axes == "ab" and form.shared and not fix_gamma:
        dgamma, dbeta = _of_rows(g, x, wide(gamma), (wide(mean).ravel(), inverse.ravel()), dx)
        return _stored_statistics(dx, dgamma, dbeta, data, gamma, out)
    parts = _parts_of(form, x, None if fix_gamma else gamma, mean, inverse)
    dgamma = np.zeros(gamma.shape, g.dtype) if fix_gamma else form.dot(g, parts.hat, "b")
    _to_data(parts, g, dx)
    return _stored_statistics(dx, dgamma, form.sum(g, "b"), data, gamma, out)


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def rectified_normalize_backward(
    dy: Array,
    output: Array,
    data: Array,
    gamma: Array,
    mean: Array,
    deviation: Array,
    *,
    axis: int,
    fix_gamma: bool,
    frozen: bool,
    out: Places = None,
) -> tuple[Array, Array, Array]:
    """Gradients of batch normalisation with ReLU, whose result tells where that let pass."""
    statistics = wide(mean), wide(deviation)
    return _of_batch(dy, output, data, gamma, statistics, axis, fix_gamma, frozen, out)


def _stored_statistics(
    dx: Array, dgamma: Array, dbeta: Array, data: Array, gamma: Array, out: Places
) -> tuple[Array, Array, Array]:
    return (
        narrow(dx.reshape(data.shape), data.dtype),
        _small(dgamma, gamma.dtype, out, 1),
        _small(dbeta, gamma.dtype, out, 2),
    )


def _of_batch(
    dy: Array,
    output: Array | None,
    data: Array,
    gamma: Array,
    statistics: tuple[Array, Array],
    axis: int,
    fix_gamma: bool,
    frozen: bool,
    out: Places,
) -> tuple[Array, Array, Array]:
    """Gradients to data, gamma and beta, where a result that was rectified is above zero."""
    form, (mean, inverse) = Form.of(data, "batch", axis), statistics
    g, x = wide(dy).reshape(form.shape), wide(data).reshape(form.shape)
    shown = None if output is None else output.reshape(form.shape)
    dx = target(shaped(out, form.shape), g.shape, g.dtype)
    dgamma, dbeta = (np.zeros(gamma.shape, g.dtype) for _ in range(2))
    factor = inverse if fix_gamma else wide(gamma) * inverse

    def differentiate(own: slice) -> None:
        """Some channels."""
        of, part = form.channels(own), x[:, own]
        slopes = g[:, own] if shown is None else _passed(g[:, own], shown[:, own])
        centered = workspace("centered", part.shape, part.dtype)
        np.subtract(part, of.spread(mean[own], "b"), out=centered)
        statistics = inverse[own], factor[own]
        result = _of_channels(of, (slopes, centered), statistics, frozen, dx[:, own])
        dgamma[own], dbeta[own] = result

    if form.shared:  # else nothing has a deviation that is not a number
        by_channel(form, differentiate)
    if fix_gamma:
        dgamma.fill(0)
    return _stored_statistics(dx, dgamma, dbeta, data, gamma, out)


def _passed(slopes: Array, output: Array) -> Array:
    """The slopes where a result is above zero, else zero."""
    above = workspace("above", output.shape, np.dtype(bool))
    passed = workspace("passed", slopes.shape, slopes.dtype)
    np.greater(output, 0, out=above)
    np.copyto(passed, above)  # a product with booleans would take a piece at a time
    passed *= slopes
    return passed


def _of_channels(
    form: Form,
    arrays: tuple[Array, Array],
    statistics: tuple[Array, Array],
    frozen: bool,
    dx: Array,
) -> tuple[Array, Array]:
    """Fill ``dx``, the gradient to the data; return those to gamma and beta.

    Args:
        form: Of some channels.
        arrays: The slopes, and the data less its averages, which is overwritten.
        statistics: One over the deviations, and that times gamma.
        frozen: Whether the statistics do not depend on the data.
        dx: Is filled.
    """
    (g, centered), (inverse, factor) = arrays, statistics
    total, slope = form.sum(g, "b"), form.dot(g, centered, "b") * inverse
    if frozen:
        np.multiply(g, form.spread(factor, "b"), out=dx)
        return slope, total
    count = centered.dtype.type(form.shared)
    centered *= form.spread(slope * inverse / count, "b")
    np.subtract(g, centered, out=dx)
    dx -= form.spread(total / count, "b")
    dx *= form.spread(factor, "b")
    return slope, total


def _of_rows(
    g: Array, x: Array, gamma: Array, statistics: tuple[Array, Array], dx: Array
) -> tuple[Array, Array]:
    """Fill ``dx``, the gradient to rows that are normalised; return those to gamma and beta.

    What is summed over rows, and along them, are products with vectors.
    """
    mean, inverse = statistics
    count = x.dtype.type(x.shape[1])
    sums: dict[int, tuple[Array, Array]] = {}

    def work(block: slice) -> None:
        slopes, over, to = g[block], inverse[block], dx[block]
        centered = workspace("centered", slopes.shape, slopes.dtype)
        along = workspace("along", slopes.shape, slopes.dtype)
        np.subtract(x[block], mean[block, None], out=centered)
        np.multiply(slopes, centered, out=along)
        sums[block.start] = np.matmul(over, along), times_vector(slopes.T, ones(len(over), g.dtype))
        rate = times_vector(along, gamma) * over * over / count
        centered *= rate[:, None]
        np.multiply(slopes, gamma, out=to)
        to -= centered
        to -= (times_vector(slopes, gamma) / count)[:, None]
        to *= over[:, None]

    with spreading(x.shape[1]):
        by_rows(x, work)
    dgamma, dbeta = np.zeros_like(gamma), np.zeros_like(gamma)
    for start in sorted(sums):  # not in the order in which threads come to an end
        dgamma += sums[start][0]
        dbeta += sums[start][1]
    return dgamma, dbeta


def _to_data(parts: _Parts, g: Array, dx: Array) -> None:
    """Fill ``dx``, the gradient to the data, from ``g``, that of the result."""
    form, hat, inverse, factor = parts
    if form.stats == "ab":  # one gamma per mean
        _project(form, hat, g, (dx,))
        dx *= factor * inverse
    else:
        _project(form, hat, g * factor, (dx,))
        dx *= inverse


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
