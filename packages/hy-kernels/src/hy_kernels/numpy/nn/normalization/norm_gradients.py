"""Gradients of normalisation, computed in a :class:`Form`."""

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    copied,
    out_buffer,
    quiet,
    shaped,
    target,
)
from hy_kernels.numpy._folds import ones
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._rows import by_rows
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.normalization._form import Form, by_channel
from hy_kernels.numpy.runtime._product import times_vector


def _to_out(values: Array, dtype: np.dtype[np.generic], out: OutBuffers, k: int) -> Array:
    """Return ``values`` in ``dtype``, copied to out buffer ``k`` if there is one."""
    return (
        to_storage_dtype(values, dtype)
        if out_buffer(out, k) is None
        else copied(values, out, k, dtype=dtype)
    )


def _project(form: Form, hat: Array, p: Array, out: OutBuffers = None) -> Array:
    """Return ``p - mean(p) - hat · mean(p · hat)``: ``p`` orthogonal to ones and to ``hat``."""
    count = p.dtype.type(form.shared)
    along = form.broadcastable(form.dot(p, hat, form.stats) / count, form.stats)
    result = target(out, hat.shape, hat.dtype)
    np.multiply(hat, along, out=result)
    np.subtract(p, result, out=result)
    result -= form.broadcastable(form.sum(p, form.stats) / count, form.stats)
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
    out: OutBuffers = None,
) -> tuple[Array, Array, Array]:
    """Return the gradients of a normalisation to data, gamma and beta; ``kind`` tells which one."""
    if kind == "batch":
        statistics = to_compute_dtype(mean), to_compute_dtype(deviation)
        return _of_batch(dy, data, gamma, statistics, axis, fix_gamma, frozen, out)
    form, inverse = Form.of(data, kind, axis, groups), 1 / to_compute_dtype(deviation)
    g, x = to_compute_dtype(dy).reshape(form.shape), to_compute_dtype(data).reshape(form.shape)
    dx = target(shaped(out, form.shape), g.shape, g.dtype)
    if form.axes == "ab" and form.shared and not fix_gamma:
        dgamma, dbeta = _of_rows(
            g, x, to_compute_dtype(gamma), (to_compute_dtype(mean).ravel(), inverse.ravel()), dx
        )
        return _stored_statistics(dx, dgamma, dbeta, data, gamma, out)
    centered = np.subtract(x, form.broadcastable(to_compute_dtype(mean), form.stats))
    if form.stats == "ab" and form.shared and not fix_gamma:
        inverse = inverse.reshape(form.sizes)
        statistics = inverse, inverse * to_compute_dtype(gamma)
        dgammas, dbetas = _of_statistics(form, (g, centered), statistics, False, dx)
        return _stored_statistics(dx, dgammas.sum(axis=0), dbetas.sum(axis=0), data, gamma, out)
    inverse = form.broadcastable(inverse, form.stats)
    centered *= inverse
    scaled, dgamma = g, np.zeros(gamma.shape, g.dtype)
    if not fix_gamma:
        scaled = g * form.broadcastable(to_compute_dtype(gamma), "b")
        dgamma = form.dot(g, centered, "b")
    _project(form, centered, scaled, (dx,))
    dx *= inverse
    return _stored_statistics(dx, dgamma, form.sum(g, "b"), data, gamma, out)


def _stored_statistics(
    dx: Array, dgamma: Array, dbeta: Array, data: Array, gamma: Array, out: OutBuffers
) -> tuple[Array, Array, Array]:
    return (
        to_storage_dtype(dx.reshape(data.shape), data.dtype),
        _to_out(dgamma, gamma.dtype, out, 1),
        _to_out(dbeta, gamma.dtype, out, 2),
    )


def _of_batch(
    dy: Array,
    data: Array,
    gamma: Array,
    statistics: tuple[Array, Array],
    axis: int,
    fix_gamma: bool,
    frozen: bool,
    out: OutBuffers,
) -> tuple[Array, Array, Array]:
    """Return the gradients of batch normalisation to data, gamma and beta.

    ``statistics`` are mean and inverse deviation.
    """
    form, (mean, inverse) = Form.of(data, "batch", axis), statistics
    g, x = to_compute_dtype(dy).reshape(form.shape), to_compute_dtype(data).reshape(form.shape)
    dx = target(shaped(out, form.shape), g.shape, g.dtype)
    dgamma, dbeta = (np.zeros(gamma.shape, g.dtype) for _ in range(2))
    factor = inverse if fix_gamma else to_compute_dtype(gamma) * inverse

    def differentiate(own: slice) -> None:
        """Compute the gradients of the channels in ``own``."""
        of, part = form.channels(own), x[:, own]
        centered = workspace("centered", part.shape, part.dtype)
        np.subtract(part, of.broadcastable(mean[own], "b"), out=centered)
        statistics = inverse[own], factor[own]
        result = _of_statistics(of, (g[:, own], centered), statistics, frozen, dx[:, own])
        dgamma[own], dbeta[own] = result

    # The deviation of an empty batch is nan; the gradients to gamma and beta are 0.
    if form.shared:
        by_channel(form, differentiate)
    if fix_gamma:
        dgamma.fill(0)
    return _stored_statistics(dx, dgamma, dbeta, data, gamma, out)


def _of_statistics(
    form: Form,
    arrays: tuple[Array, Array],
    statistics: tuple[Array, Array],
    frozen: bool,
    dx: Array,
) -> tuple[Array, Array]:
    """Compute the gradient to data with a gamma for each mean into ``dx``.

    Args:
        form: The form of the data, or of some channels.
        arrays: The gradient of the result, and the centred data, which is overwritten.
        statistics: The inverse deviations, and their product with gamma.
        frozen: Whether the statistics are constant, such as moving statistics.
        dx: The gradient to the data.

    Returns:
        The gradients to gamma and beta by mean.
    """
    (g, centered), (inverse, factor) = arrays, statistics
    dbeta, dgamma = form.sum(g, form.stats), form.dot(g, centered, form.stats) * inverse
    if frozen:
        np.multiply(g, form.broadcastable(factor, form.stats), out=dx)
        return dgamma, dbeta
    # gamma / deviation · (dy - mean(dy) - hat · mean(dy hat)) (Ioffe and Szegedy, 2015), without
    # computing hat: the inverse deviation multiplies the few statistics instead of the data.
    count = centered.dtype.type(form.shared)
    centered *= form.broadcastable(dgamma * inverse / count, form.stats)
    np.subtract(g, centered, out=dx)
    dx -= form.broadcastable(dbeta / count, form.stats)
    dx *= form.broadcastable(factor, form.stats)
    return dgamma, dbeta


def _of_rows(
    g: Array, x: Array, gamma: Array, statistics: tuple[Array, Array], dx: Array
) -> tuple[Array, Array]:
    """Compute layer normalisation's gradient to the rows ``x`` into ``dx``.

    Returns:
        The gradients to gamma and beta.
    """
    mean, inverse = statistics
    count = x.dtype.type(x.shape[1])
    sums: dict[int, tuple[Array, Array]] = {}

    def work(block: slice) -> None:
        gradients, over, to = g[block], inverse[block], dx[block]
        centered = workspace("centered", gradients.shape, gradients.dtype)
        along = workspace("along", gradients.shape, gradients.dtype)
        np.subtract(x[block], mean[block, None], out=centered)
        np.multiply(gradients, centered, out=along)
        # Sums along both axes are matrix-vector products, for which BLAS reads a block once.
        sums[block.start] = (
            np.matmul(over, along),
            times_vector(gradients.T, ones(len(over), g.dtype)),
        )
        rate = times_vector(along, gamma) * over * over / count
        centered *= rate[:, None]
        np.multiply(gradients, gamma, out=to)
        to -= centered
        to -= (times_vector(gradients, gamma) / count)[:, None]
        to *= over[:, None]

    by_rows(x, work)
    dgamma, dbeta = np.zeros_like(gamma), np.zeros_like(gamma)
    # In a fixed order, so that rounding does not depend on which thread ends first.
    for start in sorted(sums):
        dgamma += sums[start][0]
        dbeta += sums[start][1]
    return dgamma, dbeta
