"""Gradients of normalisation."""

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
