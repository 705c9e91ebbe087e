"""First and second gradients of normalisation."""

from typing import NamedTuple

import torch

from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.torch.nn.normalization._form import Form

_aten = torch.ops.aten


def _batch(
    dy: Tensor, data: Tensor, scale: Tensor, mean: Tensor, inverse: Tensor, axis: int, frozen: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of batch normalisation, through the statistics unless frozen."""
    g, x = (each if axis == 1 else each.movedim(axis, 1) for each in (dy, data))
    scale, mean, inverse = (each.contiguous() for each in (scale, mean, inverse))
    # torch takes the root of the variance it is given plus an epsilon, which is 0 below.
    variance = inverse.square().reciprocal_() if frozen else None
    operands = (mean, variance) if frozen else (None, None)
    dx, dgamma, dbeta = _aten.native_batch_norm_backward.default(
        g, x, scale, *operands, mean, inverse, not frozen, 0.0, [True] * 3
    )
    return dx if axis == 1 else dx.movedim(1, axis), dgamma, dbeta


def _layer_norm_gradients(
    dy: Tensor, data: Tensor, scale: Tensor, mean: Tensor, inverse: Tensor, axis: int
) -> tuple[Tensor, Tensor, Tensor]:
    g, x, m, i = (each.movedim(axis, -1).contiguous() for each in (dy, data, mean, inverse))
    shift = torch.zeros_like(scale)  # only its type matters
    dx, dgamma, dbeta = _aten.native_layer_norm_backward.default(
        g, x, scale.shape, m, i, scale, shift, [True] * 3
    )
    return dx.movedim(-1, axis), dgamma, dbeta


@kernel(out="apart")
@with_integer_fallback()
def normalize_backward(
    dy: Tensor,
    data: Tensor,
    gamma: Tensor,
    mean: Tensor,
    deviation: Tensor,
    *,
    kind: str,
    axis: int,
    groups: int,
    fix_gamma: bool,
    frozen: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of a normalisation (``kind``) to data, gamma and beta."""
    axis %= data.ndim
    if kind == "batch" and data.numel():
        scale = torch.ones_like(gamma) if fix_gamma else gamma
        dx, dgamma, dbeta = _batch(dy, data, scale, mean, deviation, axis, frozen)
        if fix_gamma:
            dgamma = dgamma.zero_()
    else:
        g, x, scale, center, of = map(to_compute_dtype, (dy, data, gamma, mean, deviation))
        if kind == "layer" and not frozen and not fix_gamma:
            dx, dgamma, dbeta = _layer_norm_gradients(g, x, scale, center, of.reciprocal(), axis)
        else:
            grouping = kind, axis, groups
            dx, dgamma, dbeta = _general(g, x, scale, center, of, grouping, fix_gamma, frozen)
    return (
        to_storage_dtype(dx, data.dtype, out),
        to_storage_dtype(dgamma, gamma.dtype, out, 1),
        to_storage_dtype(dbeta, gamma.dtype, out, 2),
    )


class _Parts(NamedTuple):
    """Operands of a normalisation's gradients, in shapes that broadcast in the form."""

    form: Form
    hat: Tensor
    """The normalised data, ``(data - mean) / deviation``."""
    inverse: Tensor
    """``1 / deviation``."""
    gamma: Tensor


def _operands(
    data: Tensor,
    gamma: Tensor | None,
    mean: Tensor,
    deviation: Tensor,
    grouping: tuple[str, int, int],
) -> _Parts:
    """Return the operands of a normalisation's gradients; gamma is 1 if None."""
    kind, axis, groups = grouping
    form = Form.of(data, kind, axis, groups)
    # Batch normalisation keeps the inverse of the deviation, as MXNet shows it.
    inverse = (
        to_compute_dtype(deviation) if kind == "batch" else to_compute_dtype(deviation).reciprocal()
    )
    inverse = form.spread(inverse, form.stats)
    hat = to_compute_dtype(data).reshape(form.shape) - form.spread(
        to_compute_dtype(mean), form.stats
    )
    hat *= inverse
    one = hat.new_ones((1,) * hat.ndim)
    return _Parts(
        form, hat, inverse, one if gamma is None else form.spread(to_compute_dtype(gamma), "b")
    )


def _project(form: Form, hat: Tensor, p: Tensor) -> Tensor:
    """Return ``p - mean(p) - hat · mean(p · hat)``, the core of a gradient through statistics."""
    # Mean and deviation depend on the data: a gradient along ones, or along `hat`, changes nothing.
    along = form.spread(form.dot(p, hat, form.stats) / form.shared, form.stats)
    center = form.spread(form.sum(p, form.stats) / form.shared, form.stats)
    return torch.addcmul(p, hat, along, value=-1).sub_(center)


def _general(
    dy: Tensor,
    data: Tensor,
    gamma: Tensor,
    mean: Tensor,
    deviation: Tensor,
    grouping: tuple[str, int, int],
    fix_gamma: bool,
    frozen: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients to data, gamma and beta of any normalisation."""
    scale = None if fix_gamma else gamma
    form, hat, inverse, factor = _operands(data, scale, mean, deviation, grouping)
    g = dy.reshape(form.shape)
    dgamma = torch.zeros_like(gamma) if fix_gamma else form.dot(g, hat, "b")
    p = g * factor
    dx = (p if frozen else _project(form, hat, p)) * inverse
    return dx.reshape(data.shape), dgamma, form.sum(g, "b")


@kernel(out="apart")
@with_integer_fallback()
def normalize_statistics_backward(
    dmean: Tensor,
    ddeviation: Tensor,
    data: Tensor,
    mean: Tensor,
    deviation: Tensor,
    *,
    kind: str,
    axis: int,
    groups: int,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to data through the returned means and deviations.

    For batch normalisation the deviations are their inverses.
    """
    form, hat, inverse, _ = _operands(data, None, mean, deviation, (kind, axis, groups))
    factor = form.spread(to_compute_dtype(ddeviation), form.stats) / form.shared
    if kind == "batch":
        factor = -factor * inverse * inverse
    hat *= factor
    hat += form.spread(to_compute_dtype(dmean), form.stats) / form.shared
    return to_storage_dtype(hat.reshape(data.shape), data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def normalize_statistics_backward_backward(
    ddata: Tensor,
    ddeviation: Tensor,
    data: Tensor,
    mean: Tensor,
    deviation: Tensor,
    *,
    kind: str,
    axis: int,
    groups: int,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of ``normalize_statistics_backward`` to dmean, ddeviation and data."""
    form, hat, inverse, _ = _operands(data, None, mean, deviation, (kind, axis, groups))
    u = to_compute_dtype(ddata).reshape(form.shape)
    along = form.dot(u, hat, form.stats) / form.shared
    to_data = _project(form, hat, u)
    factor = form.spread(to_compute_dtype(ddeviation), form.stats) * inverse / form.shared
    to_deviation = along
    if kind == "batch":  # the deviation is an inverse, whose own derivative counts too
        squared = inverse * inverse
        to_deviation = -along * squared.reshape(along.shape)
        to_data -= 2 * hat * form.spread(along, form.stats)
        factor = -factor * squared
    to_data *= factor
    to_mean = form.sum(u, form.stats) / form.shared
    return (
        to_storage_dtype(to_mean.reshape(mean.shape), mean.dtype, out),
        to_storage_dtype(to_deviation.reshape(ddeviation.shape), ddeviation.dtype, out, 1),
        to_storage_dtype(to_data.reshape(data.shape), data.dtype, out, 2),
    )


@kernel(out="apart")
@with_integer_fallback()
def normalize_backward_backward(
    ddata: Tensor,
    dgamma: Tensor,
    dbeta: Tensor,
    dy: Tensor,
    data: Tensor,
    gamma: Tensor,
    mean: Tensor,
    deviation: Tensor,
    *,
    kind: str,
    axis: int,
    groups: int,
    fix_gamma: bool,
    frozen: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of ``normalize_backward`` to dy, data and gamma."""
    scale = None if fix_gamma else gamma
    form, hat, inverse, factor = _operands(data, scale, mean, deviation, (kind, axis, groups))
    g, u = to_compute_dtype(dy).reshape(form.shape), to_compute_dtype(ddata).reshape(form.shape)
    a = form.spread(to_compute_dtype(torch.zeros_like(gamma) if fix_gamma else dgamma), "b")
    # The projection is symmetric, so that it is its own transpose here.
    projected = (u if frozen else _project(form, hat, u)) * inverse
    to_dy = projected * factor + hat * a + form.spread(to_compute_dtype(dbeta), "b")
    to_gamma = torch.zeros_like(gamma) if fix_gamma else form.dot(projected, g, "b")
    to_data = to_hat = g * a
    if not frozen:
        p = g * factor
        along_p, along_u, size = (
            form.spread(form.dot(x, y, form.stats) / form.shared, form.stats)
            for x, y in ((p, hat), (u, hat), (projected, p))
        )
        to_hat = to_hat - inverse * (u * along_p + p * along_u)
        to_data = _project(form, hat, to_hat).sub_(hat * size)
    return (
        to_storage_dtype(to_dy.reshape(dy.shape), dy.dtype, out),
        to_storage_dtype((to_data * inverse).reshape(data.shape), data.dtype, out, 1),
        to_storage_dtype(to_gamma, gamma.dtype, out, 2),
    )
