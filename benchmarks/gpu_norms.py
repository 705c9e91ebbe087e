"""Cases of the Triton table: normalisation, alone and with what rules join with it."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from benchmarks.gpu_case import Case, call, fit, tag as tag_of
from hy_kernels.triton.elementwise.fused import Call, FusedCalls
from hy_kernels.triton.nn.normalization.norm import normalized, normalized_backward

__all__ = ["norms"]


def norms(device: str, dtype: torch.dtype) -> Iterator[Case]:
    """Yield normalizations of rows, images and batches, with fused epilogues."""
    for shape in (fit(8192, 768), fit(8192, 4096), fit(4096, 16384), fit(4096, 1001)):
        x, columns = torch.randn(shape, device=device, dtype=dtype), shape[-1]
        gamma, beta = torch.ones_like(x[0]), torch.zeros_like(x[0])
        size, tag = x.numel() * x.element_size(), tag_of(dtype, *shape)
        options: dict[str, Any] = {"axis": -1, "eps": 1e-5}
        yield Case(
            f"layer_norm {tag}",
            call("layer_norm", x, gamma, beta, output_mean_var=False, **options),
            partial(functional.layer_norm, x, (columns,), gamma, beta),
            2 * size,
        )
        yield from _rms_norm(x, gamma, tag)
        mean = x[:, :1].to(torch.promote_types(dtype, torch.float32))
        back = {"kind": "layer", "axis": -1, "groups": 1, "fix_gamma": False, "frozen": False}
        arrays = [each.clone().requires_grad_() for each in (x, gamma, beta)]
        y = functional.layer_norm(arrays[0], (columns,), *arrays[1:])
        yield Case(
            f"layer_norm backward {tag}",
            call("normalize_backward", x, x, gamma, mean, mean, **back),
            partial(torch.autograd.grad, y, arrays, x, retain_graph=True),
            3 * size,
        )
    yield from _image_norm(device, dtype)
    yield from _batch_norm(device, dtype)


def _rms_norm(x: Any, gamma: Any, tag: str) -> Iterator[Case]:
    """Yield RMS normalization; torch's side is the operator below its Python function."""
    columns, size = x.shape[1], x.numel() * x.element_size()
    wide = torch.promote_types(x.dtype, torch.float32)
    mean, deviation = (x.new_ones(len(x), dtype=wide) for _ in range(2))
    yield Case(
        f"rms_norm {tag}",
        partial(normalized, x, columns, gamma, None, 1e-6, (torch.empty_like(x), mean, deviation)),
        partial(functional.rms_norm, x, (columns,), gamma, 1e-6),
        2 * size,
    )
    yield Case(
        f"rms_norm spelled out {tag}",
        call("fused_rms_norm", x, gamma, eps=1e-6),
        partial(functional.rms_norm, x, (columns,), gamma, 1e-6),
        2 * size,
    )
    arrays = [each.clone().requires_grad_() for each in (x, gamma)]
    y = functional.rms_norm(arrays[0], (columns,), arrays[1], 1e-6)
    results = torch.empty_like(x), torch.empty_like(gamma), torch.empty_like(gamma)
    statistics = mean, deviation
    yield Case(
        f"rms_norm backward {tag}",
        partial(normalized_backward, x, x, columns, gamma, statistics, results, centered=False),
        partial(torch.autograd.grad, y, arrays, x, retain_graph=True),
        3 * size,
    )


def _image_norm(device: str, dtype: torch.dtype) -> Iterator[Case]:
    """Groups of channels of images, longer than a tile."""
    x = torch.randn(fit(32, 256, 56, 56), device=device, dtype=dtype)
    groups = x.shape[1] // 8 or 1
    ones = torch.ones(groups, device=device, dtype=dtype)
    wide, tag = torch.ones(x.shape[1], device=device, dtype=dtype), tag_of(dtype, *x.shape)
    size, options = x.numel() * x.element_size(), {"num_groups": groups, "eps": 1e-5}
    yield Case(
        f"group_norm {tag}",
        call("group_norm", x, ones, ones, output_mean_var=False, **options),
        partial(functional.group_norm, x, groups, wide, wide),
        3 * size,
    )
    mean = torch.ones(len(x), groups, device=device).to(torch.promote_types(dtype, torch.float32))
    back: dict[str, Any] = {"kind": "group", "axis": 1, "fix_gamma": False, "frozen": False}
    leaves = [each.clone().requires_grad_() for each in (x, wide, wide)]
    y = functional.group_norm(leaves[0], groups, *leaves[1:])
    yield Case(
        f"group_norm backward {tag}",
        call("normalize_backward", x, x, ones, mean, mean, groups=groups, **back),
        partial(torch.autograd.grad, y, leaves, x, retain_graph=True),
        5 * size,
    )


def _batch_norm_with_relu(x: Any, vector: Any, *addend: Any) -> Any:
    y = functional.batch_norm(x, vector, vector, vector, vector, True)
    return (y.add_(*addend) if addend else y).relu_()


_ADDED = FusedCalls((Call("elemwise_add", (0, 1), ()), Call("relu", (2,), ())), None, 2)
_GELU = (("act_type", "gelu"), ("slope", 0.0))
_BEFORE: Mapping[str, tuple[FusedCalls, Callable[..., Any]]] = {
    "relu": (
        FusedCalls((Call("relu", (1,), ()), Call("relu_backward", (0, 2), ())), None, 2),
        partial(torch.ops.aten.threshold_backward, threshold=0),
    ),
    "gelu": (
        FusedCalls((Call("leaky_relu_backward", (0, 1), _GELU),), None, 2),
        torch.ops.aten.gelu_backward,
    ),
}
"""By activation its gradient, from dy and what it was given; torch's of ReLU takes its result."""


def _in_turn(slope: Callable[..., Any], dy: Any, whole: Any, *arrays: Any) -> Any:
    return torch.ops.aten.native_batch_norm_backward(slope(dy, whole), *arrays)


def _batch_norm(device: str, dtype: torch.dtype) -> Iterator[Case]:
    vector = torch.ones(fit(256), device=device).to(torch.promote_types(dtype, torch.float32))
    options: dict[str, Any] = {"eps": 1e-5, "momentum": 0.9, "fix_gamma": False}
    options |= {"use_global_stats": False, "is_train": True}
    back = {"kind": "batch", "groups": 1, "fix_gamma": False, "frozen": False}
    for axis, full_shape in ((1, (64, 256, 56, 56)), (3, (64, 56, 56, 256))):
        shape = fit(*full_shape)
        x = torch.randn(shape, device=device, dtype=dtype)
        size, tag = x.numel() * x.element_size(), tag_of(dtype, *shape)
        moved = x.movedim(axis, 1)
        yield Case(
            f"batch_norm_with_relu {tag}",
            call("batch_norm_with_relu", x, *[vector] * 4, axis=axis, **options),
            partial(_batch_norm_with_relu, moved, vector),
            3 * size,
        )
        yield Case(
            f"batch_norm, sum, relu {tag}",
            call("fused_batch_norm", x, *[vector] * 4, x, axis=axis, calls=_ADDED, **options),
            partial(_batch_norm_with_relu, moved, vector, moved),
            4 * size,
        )
        arrays = (moved, vector, None, None, vector, vector, True, 1e-5, [True] * 3)
        yield Case(
            f"batch_norm backward {tag}",
            call("normalize_backward", x, x, vector, vector, vector, axis=axis, **back),
            partial(torch.ops.aten.native_batch_norm_backward, moved, *arrays),
            5 * size,
        )
        for name, (calls, slope) in _BEFORE.items():
            operands = (x, x, *[vector] * 4)
            yield Case(
                f"batch_norm, {name} backward {tag}",
                call("fused_batch_norm_backward", *operands, axis=axis, calls=calls, **back),
                partial(_in_turn, slope, moved, moved, *arrays),
                5 * size,
            )
