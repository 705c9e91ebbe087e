"""Cases of the Triton table: one of each family that has none elsewhere; why others have none."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from benchmarks.gpu_case import Case, call, fit, fit_images, tag
from hy_kernels.triton.elementwise.fused import Call, FusedCalls

__all__ = ["WITHOUT", "of_families"]

WITHOUT: Mapping[str, frozenset[str]] = {
    "another name, or another call, of a kernel that has one": frozenset(
        {
            *("argmax_channel", "batch_norm_v1", "convolution_v1", "pooling_v1", "sync_batch_norm"),
            *("softmin", "sparse_embedding", "deconvolution", "dropout"),
            *("np_argmax", "np_argmin", "np_max", "np_min", "np_sum", "np_prod", "all_finite"),
        }
    ),
    "a generated reduction or its gradient, as those that have one": frozenset(
        {
            *("axis_total", "extreme_backward", "extreme_sum", "l2_total"),
            *("l2_normalization_backward", "mean_backward", "nanprod", "nansum", "norm_backward"),
            *("np_average", "np_var", "square_sum"),
            *("sum_weights", "total_weights", "unspread_like"),
        }
    ),
    "a conversion, as cast": frozenset({"cast_like"}),
}
"""By the reason: kernels that no case calls."""


def of_families(device: str, dtype: torch.dtype) -> Iterator[Case]:
    """Yield cases of float32 alone, and attention of 16 bits."""
    empty = partial(torch.ones, device=device, dtype=dtype)
    if dtype is torch.float16:
        yield from _attention(empty)
    if dtype is torch.float32:
        for family in (_reductions, _norms, _products, _images, _fused):
            yield from family(empty)


def _reductions(empty: Callable[..., Any]) -> Iterator[Case]:
    x = empty(fit(8192, 1000))
    size, name = x.numel() * x.element_size(), tag(x.dtype, *x.shape)
    rows: dict[str, Any] = {"axis": (1,), "keepdims": False, "exclude": False}
    np_rows: dict[str, Any] = {"axis": (1,), "dtype": None, "keepdims": False}
    length: dict[str, Any] = {"ord": 2, "axis": (1,), "keepdims": False}
    calls: tuple[tuple[str, dict[str, Any], Callable[..., Any]], ...] = (
        ("mean", rows, partial(torch.mean, x, 1)),
        ("min", rows, partial(torch.amin, x, 1)),
        ("prod", rows, partial(torch.prod, x, 1)),
        ("norm", {**length, "out_dtype": None}, partial(torch.linalg.vector_norm, x, 2, 1)),
        ("argmin", {"axis": 1, "keepdims": False}, partial(torch.argmin, x, 1)),
        ("moments", {"axes": (1,), "keepdims": False}, partial(torch.var_mean, x, 1)),
        ("np_mean", {**np_rows, "initial": None}, partial(torch.mean, x, 1)),
        ("np_std", {**np_rows, "ddof": 0}, partial(torch.std, x, 1, correction=0)),
        ("np_norm", {**length, "flag": -1}, partial(torch.linalg.vector_norm, x, 2, 1)),
    )
    for kernel, params, theirs in calls:
        yield Case(f"{kernel} {name}", call(kernel, x, **params), theirs, size)
    options: dict[str, Any] = {"eps": 1e-10, "mode": "instance"}
    ours = call("l2_normalization", x, **options)
    yield Case(f"l2_normalization {name}", ours, partial(functional.normalize, x, dim=1), 3 * size)


def _norms(empty: Callable[..., Any]) -> Iterator[Case]:
    x, vector = empty(fit(32, 64, 56, 56)), empty(fit(64))
    size, name = x.numel() * x.element_size(), tag(x.dtype, *x.shape)
    ours = call("instance_norm", x, vector, vector, eps=1e-5)
    theirs = partial(functional.instance_norm, x, None, None, vector, vector)
    yield Case(f"instance_norm {name}", ours, theirs, 3 * size)
    options: dict[str, Any] = {"eps": 1e-5, "momentum": 0.9, "fix_gamma": False, "axis": 1}
    options |= {"use_global_stats": False, "is_train": False}
    ours = call("batch_norm", x, *[vector] * 4, **options)
    theirs = partial(functional.batch_norm, x, *[vector] * 4)
    yield Case(f"batch_norm in prediction {name}", ours, theirs, 2 * size)


def _products(empty: Callable[..., Any]) -> Iterator[Case]:
    x, weight, bias = empty(fit(256, 512)), empty(fit(1000, 512)), empty(fit(1000))
    dy = empty(fit(256, 1000))
    work, name = 2 * x.numel() * len(weight), tag(x.dtype, *x.shape, len(weight))
    layer: dict[str, Any] = {"num_hidden": len(weight), "no_bias": False, "flatten": True}
    linear = partial(functional.linear, x, weight, bias)
    plain: dict[str, Any] = {"forward_stype": None, "transpose_a": False, "transpose_b": True}
    calls: tuple[tuple[str, tuple[Any, ...], dict[str, Any], Callable[..., Any]], ...] = (
        ("fully_connected", (x, weight, bias), layer, linear),
        (
            "fully_connected_activation",
            (x, weight, bias),
            {**layer, "act_type": "relu"},
            lambda: functional.relu(linear()),
        ),
        ("project", (x, weight), {"flatten": True}, partial(functional.linear, x, weight)),
        (
            "fully_connected_backward_data",
            (dy, weight, x),
            {"flatten": True},
            partial(torch.mm, dy, weight),
        ),
        (
            "fully_connected_backward_weight",
            (dy, x, weight),
            {"flatten": True},
            partial(torch.mm, dy.t(), x),
        ),
        ("dot", (x, weight), plain, partial(torch.mm, x, weight.t())),
    )
    for kernel, arrays, params, theirs in calls:
        yield Case(f"{kernel} {name}", call(kernel, *arrays, **params), theirs, work=work)
    a = empty(fit(64, 128, 128))
    ours, theirs = call("batch_dot", a, a, **plain), partial(torch.bmm, a, a.mT)
    work = 2 * a.numel() * a.shape[1]
    yield Case(f"batch_dot {tag(a.dtype, *a.shape)}", ours, theirs, work=work)


def _images(empty: Callable[..., Any]) -> Iterator[Case]:
    x, weight, bias = empty(fit_images(8, 28, 28, 64)), empty(fit(64, 3, 3, 64)), empty(fit(64))
    first, filters = x.movedim(-1, 1), weight.movedim(-1, 1)
    work, name = 2 * x.numel() * weight[0].numel(), tag(x.dtype, *x.shape)
    pad = (weight.shape[1] // 2,) * 2
    options: dict[str, Any] = {"stride": (1, 1), "pad": pad, "dilate": (1, 1), "num_group": 1}
    theirs = partial(functional.conv2d, first, filters, bias, 1, pad)
    ours = call("convolution", x, weight, bias, layout="NHWC", **options)
    yield Case(f"convolution, bias {name}", ours, theirs, work=work)
    more: dict[str, Any] = {"activation": "relu", "scalars": (), "with_bias": True}
    ours = call("channels_last_convolution", x, filters, bias, with_addend=False, **more, **options)
    yield Case(
        f"convolution, bias, relu {name}", ours, lambda: functional.relu(theirs()), work=work
    )


def _fused(empty: Callable[..., Any]) -> Iterator[Case]:
    x, seed = empty(fit(4096, 1024)), empty(1).to(torch.int64)
    size, name = x.numel() * x.element_size(), tag(x.dtype, *x.shape)
    calls = FusedCalls((Call("broadcast_add", (0, 1), ()), Call("tanh", (2,), ())), None, 2)
    ours = call("fused_pointwise", x, x[:1], calls=calls)
    yield Case(f"sum with a row, tanh {name}", ours, lambda: torch.tanh(x + x[:1]), 2 * size)
    ours = call("dropout_by_seed", x, seed, p=0.5)
    yield Case(f"dropout by a seed {name}", ours, partial(functional.dropout, x, 0.5), 2 * size)


def _grouped_attention(empty: Callable[..., Any]) -> Iterator[Case]:
    """Yield the operator as decoders call it: causal, four heads sharing one of keys."""
    batch, length, heads, size = fit(4, 2048, 32, 128)
    q = empty((batch, length, heads, size))
    k = empty((batch, length, max(heads // 4, 1), size))
    repeats = heads // k.shape[2]
    options: dict[str, Any] = {"causal": True, "scale": None, "kv_repeat": repeats}
    options["layout"] = "BLHD"
    name, work = tag(q.dtype, *q.shape), 2 * q.numel() * length
    by_head = [x.transpose(1, 2) for x in (q, k, k)]
    theirs = partial(functional.scaled_dot_product_attention, is_causal=True, enable_gqa=True)
    operator = "scaled_dot_product_attention"
    yield Case(
        f"{operator} {name}", call(operator, q, k, k, **options), partial(theirs, *by_head),
        work=work,
    )  # fmt: skip
    sums = torch.ones(batch, heads, length, device=q.device)
    ours = call(f"{operator}_backward", q, q, k, k, q, sums, **options)
    leaves = [x.clone().requires_grad_() for x in by_head]
    y = theirs(*leaves)
    back = partial(torch.autograd.grad, y, leaves, by_head[0], retain_graph=True)
    yield Case(f"{operator} backward {name}", ours, back, work=work * 5 // 2)


def _attention_of_tokens(empty: Callable[..., Any]) -> Iterator[Case]:
    """Yield the operator as decoders call it for each token, with a cache of keys and values."""
    batch, length, heads, size = fit(8, 8192, 32, 128)
    q = empty((batch, heads, 1, size))
    k = empty((batch, max(heads // 4, 1), length, size))
    options: dict[str, Any] = {"causal": True, "scale": None, "kv_repeat": heads // k.shape[1]}
    operator = "scaled_dot_product_attention"
    theirs = partial(functional.scaled_dot_product_attention, q, k, k, enable_gqa=True)
    yield Case(
        f"{operator} of few queries {tag(q.dtype, *k.shape)}",
        call(operator, q, k, k, layout="BHLD", **options),
        theirs,
        2 * k.numel() * k.element_size(),
    )


def _attention(empty: Callable[..., Any]) -> Iterator[Case]:
    q = empty(fit(64, 512, 64))
    length, work = q.shape[1], 4 * q.numel() * q.shape[1]
    name = tag(q.dtype, *q.shape)
    options: dict[str, Any] = {"heads": 0, "scale": 0.125, "with_length": False}
    options |= {"mask": "none", "fill": 0.0, "rate": 0.0}
    theirs = partial(functional.scaled_dot_product_attention, q, q, q)
    yield Case(
        f"attention of a net {name}", call("attention", q, q, q, **options), theirs, work=work
    )
    sums = torch.ones(len(q), length, 2, device=q.device)
    ours = call("attention_backward", q, q, q, q, q, sums, **options)
    leaf = q.clone().requires_grad_()
    y = functional.scaled_dot_product_attention(leaf, leaf, leaf)
    back = partial(torch.autograd.grad, y, leaf, q, retain_graph=True)
    yield Case(f"attention of a net, backward {name}", ours, back, work=work * 5 // 2)
    yield from _grouped_attention(empty)
    yield from _attention_of_tokens(empty)
    heads = q.shape[2] // 8 or 1
    x = empty((length, 4, 3 * heads * 8))
    parts = x.view(length, 4, heads, 3, 8).permute(3, 1, 2, 0, 4)
    ours = call("self_attention", x, heads=heads, with_length=False)
    work = 4 * parts[0].numel() * length
    whole = partial(functional.scaled_dot_product_attention, *parts.unbind(0))
    yield Case(f"self_attention {tag(x.dtype, *x.shape)}", ours, whole, work=work)
