"""Batch, layer, group and instance normalisation."""

from collections.abc import Mapping
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, copied, out_buffer, target
from hy_kernels.torch.nn._window import to_storage_dtype
from hy_kernels.torch.nn.normalization._form import Form


def _dense(x: Tensor) -> Tensor:
    """Return the tensor contiguous or channels-last, which torch supports with out buffers."""
    if x.is_contiguous():
        return x
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    last = formats.get(x.ndim)
    return x if last is not None and x.is_contiguous(memory_format=last) else x.contiguous()


def _batch_norm(
    *arrays: Tensor,
    is_train: bool,
    eps: float,
    momentum: float,
    fix_gamma: bool,
    use_global_stats: bool,
    axis: int = 1,
    out: OutBuffers,
    **_: Any,
) -> tuple[Tensor, ...]:
    """Return result, mean, inverse deviation; gamma if fixed; moving statistics if they change.

    ``arrays`` are data, gamma, beta, and the moving mean and variance.
    """
    frozen = use_global_stats or not is_train
    # Of parameters with gaps between their elements, torch would read the gaps.
    data, (gamma, beta, moving_mean, moving_var) = arrays[0], [x.contiguous() for x in arrays[1:]]
    one = (data.shape[axis],)
    for x in arrays[1:]:
        if x.shape != one:  # it would read behind their ends
            raise ValueError(
                f"gamma, beta and statistics must be {one}, as axis {axis} of data "
                f"{tuple(data.shape)}, not {tuple(x.shape)}"
            )
    updates = [torch.ones_like(gamma)] if fix_gamma else []
    scale = updates[0] if fix_gamma else gamma
    if frozen and axis == 1 and out is None and data.dtype in PLAIN:  # most predictions
        scale = updates[0] if fix_gamma else gamma
        y = torch.batch_norm(
            data, scale, beta, moving_mean, moving_var, False, 0.0, eps, False
        ).contiguous()
        return y, copied(moving_mean), torch.rsqrt(moving_var + eps), *updates
    x = _dense(data if axis == 1 else data.movedim(axis, 1))
    y = torch.empty_like(x)
    if (memory := out_buffer(out)) is not None:
        seen = memory if axis == 1 else memory.movedim(axis, 1)
        y = seen if seen.stride() == x.stride() else y
    if frozen:
        mean = copied(moving_mean, out, 1)
        inverse = torch.rsqrt(moving_var + eps, out=out_buffer(out, 2))
        none = y.new_empty(0, dtype=gamma.dtype)
        result = (y, none, none.clone())
        torch.native_batch_norm(
            x, scale, beta, moving_mean, moving_var, False, 0.0, eps, out=result
        )
    else:
        kind = accumulator(gamma.dtype)
        mean, inverse = (target(out, gamma.shape, kind, gamma.device, k) for k in (1, 2))
        if data.numel():
            result, scale, beta = (y, mean, inverse), scale.to(kind), beta.to(kind)
            moving = moving_mean.to(kind), moving_var.to(kind)
            updates += _normalized(x, scale, beta, moving, momentum, eps, result)
        else:  # an empty batch has no statistics
            mean.fill_(torch.nan)
            inverse.fill_(torch.nan)
            updates += [moving_mean.clone(), moving_var.clone()]
    y = y.movedim(1, axis)
    if memory is None:
        return y.contiguous(), mean, inverse, *updates
    if y.data_ptr() != memory.data_ptr():
        memory.copy_(y)
    return memory, mean, inverse, *updates


def _normalized(
    x: Tensor,
    scale: Tensor,
    beta: Tensor,
    moving: tuple[Tensor, Tensor],
    momentum: float,
    eps: float,
    result: tuple[Tensor, Tensor, Tensor],
) -> list[Tensor]:
    """Normalise by the batch's own statistics into ``result``; return the moving mean and variance.

    On CUDA devices torch updates these in the same launch. Its moving variance is unbiased,
    ``n / (n - 1)`` times as large as MXNet's: it is multiplied by this before, and divided after.
    """
    count = x.numel() // x.shape[1]
    # A single value has no variance of the form n / (n - 1).
    if not x.is_cuda or count == 1:
        torch.native_batch_norm(x, scale, beta, None, None, True, 0.0, eps, out=result)
        _, mean, inverse = result
        # torch returns 1 / sqrt(variance + eps) alone.
        variance = inverse.square().reciprocal_().sub_(eps)
        # MXNet's momentum is the share of the old value, torch's that of the new one.
        return [torch.lerp(mean, moving[0], momentum), torch.lerp(variance, moving[1], momentum)]
    ratio = count / (count - 1)
    updates = list(torch._foreach_mul(moving, [1.0, ratio]))
    torch.native_batch_norm(x, scale, beta, *updates, True, 1 - momentum, eps, out=result)
    updates[1].div_(ratio)
    return updates


def _bind_prediction(params: Mapping[str, Any], _: Function) -> Function | None:
    """Return a fast path of predictions along axis 1 by ``torch.batch_norm``."""
    if params["fix_gamma"] or params["output_mean_var"] or params["axis"] != 1:
        return None
    eps = params["eps"]

    def normalize(
        data: Tensor, gamma: Tensor, beta: Tensor, moving_mean: Tensor, moving_var: Tensor
    ) -> Tensor:
        # Torch's kernel for CPUs reads vectors with gaps, too.
        if data.dtype in PLAIN and (
            data.is_cpu or all(x.is_contiguous() for x in (gamma, beta, moving_mean, moving_var))
        ):
            return torch.batch_norm(  # compares numbers of elements, unlike the native function
                data, gamma, beta, moving_mean, moving_var, False, 0.0, eps, False
            ).contiguous()
        y: Tensor = batch_norm(
            data, gamma, beta, moving_mean, moving_var, **params, is_train=False
        )[0]
        return y

    return normalize


@kernel(out="apart", specialize=by_params(_bind_prediction))
@with_integer_fallback()
def batch_norm(*arrays: Tensor, out: OutBuffers = None, **params: Any) -> tuple[Tensor, ...]:
    """Return batch normalisation, mean, inverse deviation, and new values of the states.

    The result is ``(data - mean) / deviation * gamma + beta`` for each channel.
    """
    return _batch_norm(*arrays, out=out, **params)


@kernel(out="apart")
@with_integer_fallback()
def batch_norm_v1(*arrays: Tensor, out: OutBuffers = None, **params: Any) -> tuple[Tensor, ...]:
    """Return batch normalisation along axis 1, as :func:`batch_norm`."""
    return _batch_norm(*arrays, out=out, **params)


@kernel(out="apart")
@with_integer_fallback()
def batch_norm_with_relu(
    *arrays: Tensor, out: OutBuffers = None, **params: Any
) -> tuple[Tensor, ...]:
    """Return batch normalisation followed by ReLU."""
    y, *rest = _batch_norm(*arrays, out=out, **params)
    return y.relu_(), *rest


@kernel(out="apart")
@with_integer_fallback()
def sync_batch_norm(*arrays: Tensor, out: OutBuffers = None, **params: Any) -> tuple[Tensor, ...]:
    """Return batch normalisation along axis 1, as :func:`batch_norm`.

    With ``output_mean_var`` the third result is the variance.
    """
    y, mean, inverse, *updates = _batch_norm(*arrays, out=out, **params)
    if params["output_mean_var"]:
        inverse.square_().reciprocal_().sub_(params["eps"])  # which is the variance now
    return y, mean, inverse, *updates


def _bound_along(params: Mapping[str, Any], _: Function) -> Function | None:
    """Return a fast path of ``layer_norm`` along the last axis by ``torch.layer_norm``."""
    if params["output_mean_var"]:
        return None
    axis, eps = params["axis"], params["eps"]

    def normalize(data: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
        is_last = axis in (-1, data.ndim - 1)
        if is_last and gamma.ndim == 1 and data.dtype in PLAIN:
            return torch.layer_norm(data, gamma.shape, gamma, beta, eps)
        y: Tensor = layer_norm(data, gamma, beta, **params)[0]
        return y

    return normalize


@kernel(out="apart", specialize=by_params(_bound_along))
@with_integer_fallback()
def layer_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    axis: int,
    eps: float,
    output_mean_var: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return layer normalisation along ``axis``, with means and deviations."""
    is_last = axis in (-1, data.ndim - 1)
    if is_last and out is None and data.dtype in PLAIN:  # most calls, without a detour
        y, mean, inverse = torch.native_layer_norm(data, gamma.shape, gamma, beta, eps)
        # MXNet's third result is the deviation.
        return y, mean, inverse.reciprocal_()
    shape = list(data.shape)
    shape[axis] = 1
    x = data if is_last else data.movedim(axis, -1).contiguous()
    y, mean, inverse = torch.native_layer_norm(x, gamma.shape, gamma, beta, eps)
    return (
        to_storage_dtype(y if is_last else y.movedim(-1, axis), data.dtype, out),
        to_storage_dtype(mean.reshape(shape), data.dtype, out, 1),
        to_storage_dtype(inverse.reciprocal_().reshape(shape), data.dtype, out, 2),
    )


def _by_group(
    data: Tensor, gamma: Tensor, beta: Tensor, groups: int, eps: float, out: OutBuffers
) -> tuple[Tensor, Tensor, Tensor]:
    """Return normalisation by groups of channels, with means and deviations.

    Gamma and beta have an element for each group.
    """
    form = Form.of(data, "group", 1, groups)
    n, _, shared = form.shape
    x, scale, shift = data.reshape(form.shape).contiguous(), gamma.contiguous(), beta.contiguous()
    y, mean, inverse = torch.native_group_norm(x, scale, shift, n, groups, shared, groups, eps)
    return (
        to_storage_dtype(y.view(data.shape), data.dtype, out),
        to_storage_dtype(mean, data.dtype, out, 1),
        to_storage_dtype(inverse.reciprocal_(), data.dtype, out, 2),
    )


@kernel(out="apart")
@with_integer_fallback()
def group_norm(
    data: Tensor,
    gamma: Tensor,
    beta: Tensor,
    *,
    num_groups: int,
    eps: float,
    output_mean_var: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return group normalisation (Wu and He, 2018), with means and deviations."""
    return _by_group(data, gamma, beta, num_groups, eps, out)


@kernel(out="apart")
@with_integer_fallback()
def instance_norm(
    data: Tensor, gamma: Tensor, beta: Tensor, *, eps: float, out: OutBuffers = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return instance normalisation (Ulyanov et al., 2016), with means and deviations."""
    # Each channel is a group of its own.
    return _by_group(data, gamma, beta, data.shape[1], eps, out)
