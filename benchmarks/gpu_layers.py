"""Cases of the Triton table: steps of optimizers, and layers of images, and boxes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from benchmarks.gpu_case import Case, call, fit, fit_images, tag
from hy_kernels.torch import table as torch_table
from hy_kernels.triton.nn._convolve import (
    Convolution,
    Geometry,
    by_tiles,
    by_tiles_to_weight,
    tiles_for,
)
from hy_kernels.triton.nn._images import images

__all__ = ["FAMILIES", "OF_DOUBLES"]

_WEIGHTS = ((1000, 2048), (512, 512, 3, 3), (2048,), (64, 3, 7, 7), (1023,))
_RATES: dict[str, Any] = {"rescale_grad": 0.5, "clip_gradient": -1.0, "num_weights": len(_WEIGHTS)}
_LISTS: dict[str, Any] = {"lrs": [0.1] * len(_WEIGHTS), "wds": [0.01] * len(_WEIGHTS)}
_ADAM: dict[str, Any] = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
_LAMB: dict[str, Any] = {
    "bias_correction": True,
    "step_count": [3] * len(_WEIGHTS),
    "rescale_grad": 0.5,
    "clip_gradient": -1.0,
    "learning_rates": _LISTS["lrs"],
    "wds": _LISTS["wds"],
    "num_tensors": len(_WEIGHTS),
    "lower_bound": -1.0,
    "upper_bound": -1.0,
    **_ADAM,
}


def _random_arrays(device: str, dtype: torch.dtype) -> list[Any]:
    return [torch.ones(fit(*shape), device=device, dtype=dtype) for shape in _WEIGHTS]


def _in_turn(*columns: Any) -> list[Any]:
    return [x for row in zip(*columns, strict=True) for x in row]


def _updates(device: str, dtype: torch.dtype) -> Iterator[Case]:
    w, g, m, v = (_random_arrays(device, dtype) for _ in range(4))
    count, size = sum(x.numel() for x in w), sum(x.numel() * x.element_size() for x in w)
    name = tag(dtype, count)
    steps = [torch.ones((), device=device) for _ in w]
    numbers: dict[str, Any] = {"weight_decay": 0.01, "maximize": False}
    sgd: dict[str, Any] = {"momentum": 0.9, "lr": 0.1, "dampening": 0.0, "nesterov": False}
    sgd |= {"is_first_step": False, **numbers}
    betas = {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "amsgrad": False, "lr": 0.1, **numbers}
    adam = partial(torch._fused_adam_, w, g, m, v, [], steps, **betas)
    options, out_lists = {**_RATES, **_LISTS}, {"out": (*w, *_in_turn(m, v))}
    yield Case(
        f"multi_sgd_mom_update {name}",
        call("multi_sgd_mom_update", *_in_turn(w, g, m), momentum=0.9, out=(*w, *m), **options),
        partial(torch._fused_sgd_, w, g, m, **sgd),
        5 * size,
    )
    yield Case(
        f"multi_adam_update {name}",
        call("multi_adam_update", *_in_turn(w, g, m, v), **out_lists, **_ADAM, **options),
        adam,
        7 * size,
    )
    rates = [torch.full((len(w),), x, device=device) for x in (0.1, 0.01)]
    yield Case(
        f"preloaded_multi_adam_update {name}",
        call(
            "preloaded_multi_adam_update",
            *_in_turn(w, g, m, v),
            *rates,
            **out_lists,
            **_ADAM,
            **_RATES,
        ),
        adam,
        7 * size,
    )
    beside = {**_ADAM, **_LISTS, "etas": [1.0] * len(w), "num_weights": len(w)}
    yield Case(
        f"multi_adamw_update {name}",
        call(
            "multi_adamw_update", *_in_turn(w, g, m, v), rates[0][:1], clip_gradient=-1.0, **beside
        ),
        partial(torch._fused_adamw_, w, g, m, v, [], steps, **betas),
        7 * size,
    )
    yield Case(
        f"multi_sum_sq {name}",
        call("multi_sum_sq", *w, num_arrays=len(w)),
        partial(torch._foreach_norm, w),
        size,
    )
    yield Case(
        f"multi_all_finite {name}",
        call("multi_all_finite", *w, num_arrays=len(w), init_output=True),
        lambda: torch.stack([torch.isfinite(x).all() for x in w]).all(),
        size,
    )
    if dtype not in (torch.float16, torch.bfloat16):
        yield Case(
            f"multi_lamb_update {name}",
            call("multi_lamb_update", *_in_turn(w, g, m, v), **out_lists, **_LAMB),
            adam,  # torch has no LAMB
            10 * size,
        )
        return
    widths = [_random_arrays(device, torch.float32) for _ in range(3)]
    step = torch._fused_adam_
    theirs = partial(step, widths[0], widths[0], *widths[1:], [], steps, **betas)
    yield Case(
        f"multi_mp_sgd_mom_update {name}",
        call("multi_mp_sgd_mom_update", *_in_turn(w, g, *widths[:2]), momentum=0.9, **options),
        partial(torch._fused_sgd_, widths[0], widths[1], widths[2], **sgd),
        20 * count,  # two of 16 bits, and four of 32
    )
    yield Case(
        f"multi_mp_lamb_update {name}",
        call("multi_mp_lamb_update", *_in_turn(w, g, *widths), **_LAMB),
        theirs,  # torch has no LAMB
        40 * count,
    )


def _pools(device: str, dtype: torch.dtype) -> Iterator[Case]:
    options: dict[str, Any] = {"global_pool": False, "pooling_convention": "valid"}
    options |= {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)}
    more: dict[str, Any] = {"cudnn_off": False, "p_value": None, "count_include_pad": True}
    for layout, full_shape in (("NCHW", (64, 64, 112, 112)), ("NHWC", (64, 112, 112, 64))):
        shape = fit(*full_shape)
        x = torch.randn(shape, device=device, dtype=dtype)
        first = x if layout == "NCHW" else x.movedim(-1, 1)
        dy = torch.randn_like(x[:, ::2, ::2] if layout == "NHWC" else x[:, :, ::2, ::2])
        dy_first = dy if layout == "NCHW" else dy.movedim(-1, 1)
        size, smaller = x.numel() * x.element_size(), dy.numel() * dy.element_size()
        name = f"{layout} {tag(dtype, *shape)}"
        for kind, theirs in (("max", functional.max_pool2d), ("avg", functional.avg_pool2d)):
            yield Case(
                f"pooling {kind} {name}",
                call("pooling", x, pool_type=kind, layout=layout, **options, **more),
                partial(theirs, first, 3, 2, 1),
                size + smaller,
            )
        positions = torch.zeros_like(dy_first, dtype=torch.int64)
        window = ([3, 3], [2, 2], [1, 1])
        yield Case(
            f"pooling_max_backward {name}",
            call("pooling_max_backward", dy, x, layout=layout, zero_pad=False, **options),
            partial(
                torch.ops.aten.max_pool2d_with_indices_backward,
                *(dy_first, first, *window, [1, 1], False, positions),
            ),
            2 * size + smaller + 8 * dy.numel(),
        )
        del more["cudnn_off"], more["p_value"]
        yield Case(
            f"pooling_sum_backward avg {name}",
            call("pooling_sum_backward", dy, x, pool_type="avg", layout=layout, **options, **more),
            partial(
                torch.ops.aten.avg_pool2d_backward, dy_first, first, *window, False, True, None
            ),
            size + smaller,
        )
        yield from _lengths(name, x, dy, {**options, "layout": layout})
        more |= {"cudnn_off": False, "p_value": None}


def _lengths(name: str, x: Any, dy: Any, options: dict[str, Any]) -> Iterator[Case]:
    """Yield pooling by the norm, of power two or three; torch has no padding there."""
    first = x if options["layout"] == "NCHW" else x.movedim(-1, 1)
    size, smaller = x.numel() * x.element_size(), dy.numel() * dy.element_size()
    power = 2 if options["layout"] == "NCHW" else 3
    more: dict[str, Any] = {"cudnn_off": False, "count_include_pad": None}
    yield Case(
        f"pooling lp {name}",
        call("pooling", x, pool_type="lp", p_value=power, **options, **more),
        partial(functional.lp_pool2d, first, float(power), 3, 2),
        size + smaller,
    )
    below = torch_table().find("pooling_lp_backward")
    assert below is not None
    yield Case(
        f"pooling_lp_backward {name}",
        call("pooling_lp_backward", dy, x, dy, p_value=power, **options),
        partial(below.function, dy, x, dy, p_value=power, **options),
        2 * (size + smaller),
    )
    select = torch_table().find("pooling_max_select")
    assert select is not None
    yield Case(
        f"pooling_max_select {name}",
        call("pooling_max_select", x, x, zero_pad=False, **options),
        partial(select.function, x, x, zero_pad=False, **options),
        size + 2 * smaller,
    )


_IMAGES = (  # data with the channels last, weight, stride, groups: layers of ResNet and MobileNet
    ((32, 224, 224, 3), (64, 7, 7, 3), 2, 1),  # channels that no vector holds
    ((32, 56, 56, 64), (64, 3, 3, 64), 1, 1),
    ((32, 28, 28, 40), (240, 1, 1, 40), 1, 1),
    ((32, 28, 28, 256), (512, 1, 1, 256), 2, 1),
    ((32, 14, 14, 512), (512, 3, 3, 1), 1, 512),
)


def _convolutions(device: str, dtype: torch.dtype) -> Iterator[Case]:
    for full_shape, weights, stride, parts in _IMAGES:
        shape, kernel, (groups,) = fit_images(*full_shape), fit(*weights), fit(parts)
        x = torch.randn(shape, device=device, dtype=dtype)
        weight = torch.randn(kernel, device=device, dtype=dtype)
        pad, side = kernel[1] // 2, shape[1] // stride
        dy = torch.randn((shape[0], side, side, kernel[0]), device=device, dtype=dtype)
        options: dict[str, Any] = {"stride": (stride,) * 2, "pad": (pad,) * 2, "dilate": (1, 1)}
        options |= {"num_group": groups, "layout": "NHWC"}
        first, filters, slope = (each.movedim(-1, 1) for each in (x, weight, dy))
        name = f"{tag(dtype, *shape)} by {'x'.join(map(str, kernel))}"
        work = 2 * dy.numel() * weight.numel() // kernel[0]
        size = (x.numel() + dy.numel() + weight.numel()) * x.element_size()
        limit = {"moved": size} if groups > 1 else {"work": work}
        theirs = partial(functional.conv2d, first, filters, None, stride, pad, 1, groups)
        ours = call("convolution_project", x, weight, **options)
        yield Case(f"convolution {name}", ours, theirs, **limit)
        back = partial(
            torch.ops.aten.convolution_backward,
            *(slope, first, filters, None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups),
        )
        for goal, arrays in (("data", (dy, weight, x)), ("weight", (dy, x, weight))):
            mask = [goal == "data", goal == "weight", False]
            ours = call(f"convolution_backward_{goal}", *arrays, **options)
            yield Case(f"convolution to {goal} {name}", ours, partial(back, mask), **limit)
        if groups == 1 and stride == 1 and kernel[1] > 1 and dtype is not torch.float32:
            yield from _trained(x, filters.contiguous(), dy, options, theirs, work)
        if device == "meta" and groups == 1 and stride == 1:
            a, b, c = (images(each, "NHWC") for each in (x, weight, dy))
            geometry = Geometry.of(b.shape, (1, 1), (1, 1), (1, 1), 1)
            yield from _tiles(a, b, c, Convolution.of(a, b, c, geometry))


def _trained(
    x: Any, weight: Any, dy: Any, params: dict[str, Any], theirs: Callable[[], Any], work: int
) -> Iterator[Case]:
    """Yield convolutions as nets of ``NCHW`` have them on GPUs: weights stay as they are."""
    options = {key: value for key, value in params.items() if key != "layout"}
    name = f"{tag(x.dtype, *x.shape)} by {'x'.join(map(str, weight.shape))}"
    for goal, arrays in (
        ("", (x, weight)),
        ("_backward_data", (dy, weight, x)),
        ("_backward_weight", (dy, x, weight)),
    ):
        ours = call(f"nhwc_convolution{goal}", *arrays, **options)
        yield Case(f"nhwc_convolution{goal} {name}", ours, theirs, work=work)


def _tiles(x: Any, weight: Any, dy: Any, problem: Convolution) -> Iterator[Case]:
    """Yield convolutions by each tile shape, of which the autotuner takes the fastest."""
    work = 2 * dy.numel() * weight.numel() // len(weight)
    for each in tiles_for(x.dtype, len(weight)).values():
        name = f"by {each.name} {tag(x.dtype, *x.squeeze(2).shape)}"
        ours: Any = partial(by_tiles, each, problem, x, weight, dy)
        yield Case(f"convolution {name}", ours, ours, work=work)
        ours = partial(by_tiles_to_weight, each, problem, dy, x)
        yield Case(f"convolution to weight {name}", ours, ours, work=work)


def _volumes(device: str, dtype: torch.dtype) -> Iterator[Case]:
    x = torch.randn(fit_images(4, 16, 56, 56, 64), device=device, dtype=dtype)
    weight = torch.randn(fit(64, 3, 3, 3, 64), device=device, dtype=dtype)
    options: dict[str, Any] = {"stride": (1,) * 3, "pad": (1,) * 3, "dilate": (1,) * 3}
    options |= {"num_group": 1, "layout": "NDHWC"}
    first, filters = x.movedim(-1, 1), weight.movedim(-1, 1)
    name = f"{tag(dtype, *x.shape)} by {'x'.join(map(str, weight.shape))}"
    args = (first, first, filters, None, [1] * 3, [1] * 3, [1] * 3, False, [0] * 3, 1)
    back = partial(torch.ops.aten.convolution_backward, *args)
    calls = (
        ("", "project", (x, weight), partial(functional.conv3d, first, filters, None, 1, 1)),
        (" to data", "backward_data", (x, weight, x), partial(back, [True, False, False])),
        (" to weight", "backward_weight", (x, x, weight), partial(back, [False, True, False])),
    )
    for goal, kind, arrays, theirs in calls:
        ours = call(f"convolution_{kind}", *arrays, **options)
        yield Case(
            f"convolution{goal} {name}", ours, theirs, work=2 * x.numel() * weight[0].numel()
        )


_SPREAD = (  # data with the channels last, weight, groups: upsampling of images, and of volumes
    ((32, 28, 28, 256), (256, 4, 4, 128), 1),
    ((32, 28, 28, 256), (256, 4, 4, 1), 256),
    ((4, 8, 28, 28, 64), (64, 2, 4, 4, 32), 1),
)


def _transposed(device: str, dtype: torch.dtype) -> Iterator[Case]:
    for sizes, weights, parts in _SPREAD:
        shape, kernel, (groups,) = fit_images(*sizes), fit(*weights), fit(parts)
        rank = len(shape) - 2
        x = torch.randn(shape, device=device, dtype=dtype)
        weight = torch.randn(kernel, device=device, dtype=dtype)
        pad = tuple((k - 2) // 2 for k in kernel[1:-1])
        large = (shape[0], *(2 * n for n in shape[1:-1]), kernel[-1] * groups)
        dy = torch.randn(large, device=device, dtype=dtype)
        options: dict[str, Any] = {"stride": (2,) * rank, "dilate": (1,) * rank, "pad": pad}
        options |= {"adj": (0,) * rank, "target_shape": (), "num_group": groups}
        options["layout"] = {2: "NHWC", 3: "NDHWC"}[rank]
        first, filters, slope = (each.movedim(-1, 1) for each in (x, weight, dy))
        spread = (functional.conv_transpose2d, functional.conv_transpose3d)[rank - 2]
        args = (slope, first, filters, None, [2] * rank, list(pad), [1] * rank)
        back = partial(torch.ops.aten.convolution_backward, *args, True, [0] * rank, groups)
        forward = partial(spread, first, filters, None, 2, pad, 0, groups)
        name = f"{tag(dtype, *shape)} by {'x'.join(map(str, kernel))}"
        work = 2 * x.numel() * weight.numel() // kernel[0]
        calls = (
            ("", "project", (x, weight), forward),
            (" to data", "backward_data", (dy, weight, x), partial(back, [True, False, False])),
            (" to weight", "backward_weight", (dy, x, weight), partial(back, [False, True, False])),
        )
        for goal, kind, arrays, theirs in calls:
            ours = call(f"deconvolution_{kind}", *arrays, **options)
            yield Case(f"deconvolution{goal} {name}", ours, theirs, work=work)


def _sampled(x: Any, grid: Any) -> Any:
    return functional.avg_pool2d(functional.grid_sample(x, grid, align_corners=False), 2)


def _detection(device: str, dtype: torch.dtype) -> Iterator[Case]:
    batch, count, width = fit(8, 6000, 6)
    boxes = torch.rand(batch, count, width, device=device, dtype=dtype)
    options: dict[str, Any] = {"overlap_thresh": 0.7, "valid_thresh": 0.0, "topk": -1}
    options |= {"coord_start": 2, "score_index": 1, "id_index": -1, "background_id": -1}
    options |= {"force_suppress": False, "in_format": "corner", "out_format": "corner"}
    below = torch_table().find("box_nms")
    assert below is not None
    yield Case(
        f"box_nms {tag(dtype, *boxes.shape)}",
        call("box_nms", boxes, **options),
        partial(below.function, boxes, **options),
        2 * batch * count**2 // 8,
    )
    x = torch.rand(fit(1, 256, 50, 50), device=device, dtype=dtype)
    rois = boxes[0, :512, :5] * 0
    grid = boxes.new_zeros(1, len(rois) * 14, 14, 2)
    align: dict[str, Any] = {"pooled_size": (7, 7), "spatial_scale": 1.0, "sample_ratio": 2}
    align |= {"position_sensitive": False, "aligned": True}
    dy = x.new_ones(len(rois), x.shape[1], 7, 7)
    size = (x.numel() + dy.numel()) * x.element_size()
    name = tag(dtype, *dy.shape)
    theirs = partial(_sampled, x, grid)
    yield Case(f"roi_align {name}", call("roi_align", x, rois, **align), theirs, size)
    ours = call("roi_align_backward", dy, rois, x, **align)
    yield Case(f"roi_align_backward {name}", ours, theirs, size)


FAMILIES = (_updates, _pools, _convolutions, _volumes, _transposed, _detection)
OF_DOUBLES = (_updates, _pools, _detection)
"""Those that take float64 as well."""
