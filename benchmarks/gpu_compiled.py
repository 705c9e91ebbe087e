"""Cases of the Triton table that are compiled only: what of its kernels the others leave out.

That is each function of one element by itself, and each choice that a kernel is compiled for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import torch

from benchmarks.gpu_case import Case, call, fit, tag
from hy_kernels.triton._formula import Formula, Step, literal
from hy_kernels.triton.device import (
    bits,
    choosing,
    compare,
    curves,
    derivatives,
    pointwise,
    special,
)
from hy_kernels.triton.elementwise.pointwise import run
from hy_kernels.triton.linalg.matmul import (
    ACTIVATIONS,
    by_tiles as product_by_tiles,
    tiles_for as tiles_of,
)
from hy_kernels.triton.nn._convolve import (
    EXACT,
    TILES,
    Convolution,
    Geometry,
    by_channel,
    by_channel_to_weight,
    by_tiles,
    by_tiles_to_weight,
)
from hy_kernels.triton.nn.attention import dot_product as attention
from hy_kernels.triton.nn.attention.dot_product import AttentionOptions, attended, attended_backward
from hy_kernels.triton.nn.dropout import dropped, dropped_along
from hy_kernels.triton.nn.normalization.norm import normalized, normalized_backward
from hy_kernels.triton.runtime._tune import Problem

__all__ = ["SCALARS", "of_choices", "of_scalars"]

_TRITON_MODULES = (pointwise, compare, curves, special, bits, choosing, derivatives)
SCALARS: Mapping[str, Any] = {
    name: each
    for module in _TRITON_MODULES
    for name, each in vars(module).items()
    if hasattr(each, "fn") and each.fn.__module__ == module.__name__ and name[0] != "_"
}
"""The functions of one element, by name."""

_SIZE = 1 << 24
_PARAMS: Mapping[str, float | int | None] = {
    "a": 1.5,
    "a_max": 2.0,
    "a_min": -1.0,
    "alpha": 0.2,
    "b": -0.5,
    "beta": 0.5,
    "c": 0.25,
    "decimals": 2,
    "nan": 0.0,
    "neginf": -1.0,
    "posinf": 1.0,
    "scalar": 2.5,
    "slope": 0.25,
    "value": 0.0,
    "x": 1.0,
    "y": 2.0,
}
_SQUASHING = ("relu", "sigmoid", "softrelu", "softsign", "tanh")
_LEAKY = ("leaky", "elu", "selu", "gelu")
_OF_WHOLE = frozenset(
    f"np_{name}{suffix}"
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "lcm")
    for suffix in ("", "_scalar")
)


_SPILLING = frozenset({"broadcast_hypot"})
"""Functions that ptxas has spill a few bytes, though registers are left."""


def _parameters(function: Any) -> tuple[list[str], list[str]]:
    """Operands, and what it is compiled for."""
    code = function.fn.__code__
    names = code.co_varnames[: code.co_argcount]
    fixed = [name for name in names if name in function.fn.__annotations__]
    return [name for name in names if name not in fixed], fixed


def of_scalars(device: str) -> Iterator[Case]:
    """Each function alone, of float32, or of int32; of activations each kind."""
    for name, function in SCALARS.items():
        operands, fixed = _parameters(function)
        dtype = torch.int32 if name in _OF_WHOLE else torch.float32
        x = torch.empty(fit(_SIZE), device=device, dtype=dtype)
        kinds: tuple[str, ...] = ("",)
        if "act_type" in fixed:
            kinds = _SQUASHING if name.startswith("activation") else _LEAKY
        for kind in kinds:
            values: dict[str, Any] = {**_PARAMS, "act_type": kind}
            if dtype is torch.int32:
                values["scalar"] = 3
            params = tuple((each, literal(values[each])) for each in fixed)
            step = Step(name, tuple(range(len(operands))), params)
            formula = Formula(len(operands), (step,), (len(operands),))
            ours = partial(run, formula, [x] * len(operands), x.shape, [torch.empty_like(x)])
            title = " ".join(filter(None, (name, kind, "alone", tag(dtype, *x.shape))))
            yield Case(title, ours, _nothing, hot=name not in _SPILLING)


def _nothing() -> None:
    """Do nothing: there is no torch side."""


def _case(name: str, function: Callable[..., Any], *args: Any, **params: Any) -> Case:
    return Case(f"{name} compiled", partial(function, *args, **params), _nothing, hot=False)


def of_choices(device: str) -> Iterator[Case]:
    """Yield variants of kernels that no other case compiles, in float16 or float32."""
    empty = partial(torch.empty, device=device)
    for family in (_rows, _attention, _tiles_of_attention, _images, _large, _updates, _rest):
        yield from family(empty)


def _rows(empty: Callable[..., Any]) -> Iterator[Case]:
    x, gamma = empty(4096, 768, dtype=torch.float16), empty(768, dtype=torch.float16)
    long, wide = empty(512, 16384, dtype=torch.float16), empty(16384, dtype=torch.float16)
    for title, data, scale in (("", x, gamma), ("of long rows ", long, wide)):
        mean, statistics = empty(len(data)), (empty(len(data)), empty(len(data)))
        back = (data, data, data.shape[1], scale, statistics, (data, scale, scale))
        yield _case(
            f"rms_norm {title}float16",
            normalized,
            data,
            data.shape[1],
            scale,
            None,
            1e-6,
            (data, mean, mean),
        )
        yield _case(f"rms_norm {title}backward float16", normalized_backward, *back, centered=False)
    mean = empty(4096)
    for kind in ACTIVATIONS[1:]:
        args = (x, 768, gamma, gamma, 1e-5, (x, mean, mean))
        yield _case(f"layer_norm, {kind} float16", normalized, *args, activation=kind)
    groups = empty(32, dtype=torch.float16)
    back = (x, x, 768, groups, (mean, mean), (x, groups, groups))
    yield _case("group_norm backward float16", normalized_backward, *back, by_column=False)
    index, sums = empty(4096, dtype=torch.int64), empty(4096, 2)
    yield from _losses(x, index)
    options: dict[str, Any] = {"keepdims": False, "mode": "wrap", "negative": False}
    yield _case("log_softmax_pick wrapped float16", call("log_softmax_pick", x, index, **options))
    yield _case(
        "log_softmax_pick_backward wrapped float16",
        call("log_softmax_pick_backward", gamma.new_empty(4096), x, index, sums, **options),
    )
    options = {"axis": -1, "temperature": None, "dtype": None, "use_length": True}
    yield _case("softmax with lengths float16", call("softmax", x, index.int(), **options))
    yield _case("argmin float16", call("argmin", x, axis=1, keepdims=False))


def _losses(x: Any, label: Any) -> Iterator[Case]:
    options: dict[str, Any] = {
        "grad_scale": 1.0,
        "ignore_label": -1.0,
        "multi_output": False,
        "use_ignore": True,
    }
    options |= {"preserve_shape": False, "normalization": "valid", "smooth_alpha": 0.1}
    title = "softmax_output_backward of counted labels float16"
    yield _case(title, call("softmax_output_backward", x, label, **options))
    large = x.new_empty(1 << 20, 4096)
    options |= {"normalization": "null"}
    title = "softmax_output_backward of 2^32 float16"
    yield _case(title, call("softmax_output_backward", large, label.new_empty(1 << 20), **options))


def _attention(empty: Callable[..., Any]) -> Iterator[Case]:
    q = empty(4, 16, 1024, 64, dtype=torch.float16)
    mask = empty(4, 16, 1024, 1024, dtype=torch.float16)
    sums, lengths = empty(64, 1024, 2), empty(64, 1024)
    for name, options in (
        ("with lengths", AttentionOptions(0.125, length=lengths)),
        ("with a mask that is added", AttentionOptions(0.125, mask=mask, kind="added")),
        ("with a mask that chooses", AttentionOptions(0.125, mask=mask, kind="where", fill=-1e4)),
    ):
        yield _case(f"attention {name} float16", attended, q, q, q, q, options)
        args = (q, (q, q, q), q, sums, (q, q, q), options)
        yield _case(f"attention backward {name} float16", attended_backward, *args)
    yield from _decoding_attention(empty)


def _decoding_attention(empty: Callable[..., Any]) -> Iterator[Case]:
    """Yield attention whose keys programs share out, and one part of keys."""
    seed, lengths = empty(1, dtype=torch.int64), empty(64, 2)
    mask = empty(4, 16, 2, 4096, dtype=torch.float16)
    plain = AttentionOptions(0.125)
    masked = plain._replace(mask=mask, fill=-1e4)
    q, k = (
        empty(4, heads, count, 256, dtype=torch.float16) for heads, count in ((16, 2), (4, 4096))
    )
    for name, options in (
        ("plain", plain),
        ("causal", plain._replace(causal=True)),
        ("with lengths", plain._replace(length=lengths)),
        ("with a mask that is added", masked._replace(kind="added")),
        ("with a mask that chooses", masked._replace(kind="where")),
        ("masked, dropped", masked._replace(kind="both", rate=0.1, seed=seed)),
    ):
        for size in (64, 128, 256):
            arrays = (q[..., :size], k[..., :size], k[..., :size], q[..., :size])
            title = f"attention of few queries {name} of {size} float16"
            yield _case(title, attended, *arrays, options)
    logs, short = empty(64, 2), k[:, :, :100].contiguous()
    yield _case("attention of few queries, logs float16", attended, q, k, k, q, plain, logs)
    yield _case("attention of few queries to few keys float16", attended, q, short, short, q, plain)
    q, k = q.float(), k.float()
    ours = partial(_as_tf32, attended, q, k, k, q, plain)
    yield Case("attention of few queries as tf32 float32 compiled", ours, _nothing)


def _tiles_of_attention(empty: Callable[..., Any]) -> Iterator[Case]:
    """All there are to choose from, which only a GPU measures."""
    seed, sums = empty(1, dtype=torch.int64), empty(64, 1024, 2)
    mask = empty(4, 16, 1024, 1024, dtype=torch.float16)
    dropped_ = AttentionOptions(
        scale=0.125,
        causal=False,
        length=None,
        mask=mask,
        kind="both",
        fill=-1e4,
        rate=0.1,
        seed=seed,
    )
    plain, causal = AttentionOptions(0.125), AttentionOptions(0.125, causal=True)
    for title, options in (("", plain), (" causal", causal), (" masked, dropped", dropped_)):
        for size in (64, 128, 256):
            q = empty(4, 16, 1024, size, dtype=torch.float16)
            back = (q, (q, q, q), q, sums, (q, q, q), options)
            for kind in ("forward", "keys", "queries"):
                called: tuple[Any, ...] = (attended, q, q, q, q, options)
                if kind != "forward":
                    called = (attended_backward, *back)
                for k, each in enumerate(options.tiles(q, kind)):
                    name = f"attention{title} {kind} of {size} by {each.name} float16 compiled"
                    run = partial(_by_tiles, kind, each.name, *called)
                    yield Case(name, run, _nothing, hot=k == 0)
    for size in (64, 128, 256):
        wide = empty(4, 16, 1024, size)
        back = (wide, (wide,) * 3, wide, sums, (wide,) * 3, plain)
        forward = partial(_as_tf32, attended, *(wide,) * 4, plain)
        name, fast = f"of {size} as tf32 float32 compiled", size <= 128  # noqa: PLR2004
        yield Case(f"attention forward {name}", forward, _nothing, hot=fast)
        backward = partial(_as_tf32, attended_backward, *back)
        yield Case(f"attention backward {name}", backward, _nothing, hot=fast)


def _as_tf32(function: Callable[..., Any], *args: Any) -> None:
    """A call where products of float32 may be tf32."""
    with patch.object(attention, "precision", lambda _: "tf32"):
        function(*args)


def _by_tiles(kind: str, tiles: str, function: Callable[..., Any], *args: Any) -> None:
    """A call for which these tiles are chosen."""

    def choose(problem: Problem, *_: Any, untuned: str, **__: Any) -> str:
        return tiles if problem.name == f"attention {kind}" else untuned

    with patch.object(attention, "choose", choose):
        function(*args)


def _images(empty: Callable[..., Any]) -> Iterator[Case]:
    x, weight = empty(32, 64, 1, 56, 56), empty(64, 64, 1, 3, 3)
    geometry = Geometry.of(weight.shape, (1, 1), (1, 1), (1, 1), 1)
    args: tuple[Any, ...] = (_exact, by_tiles, (x, weight, x), geometry, (x, weight, x))
    yield _case("convolution exact float32", *args)
    args = (_exact, by_tiles_to_weight, (x, weight, x), geometry, (x, x))
    yield _case("convolution to weight exact float32", *args)
    x, weight, one = (each.half() for each in (x, weight, empty(64, 1, 1, 3, 3)))
    problem = Convolution.of(x, weight, x, geometry)
    square, vector = empty(512, 512).half(), empty(512).half()
    for kind in ACTIVATIONS:
        options: dict[str, Any] = {"bias": vector[:64], "addend": x, "activation": kind}
        args = (TILES[0], problem, x, weight, x)
        yield _case(f"convolution, bias, sum, {kind} float16", by_tiles, *args, **options)
        args = (tiles_of(x.dtype, 512)[0], square, square, vector, kind, square)
        yield _case(f"product, bias, {kind} float16", product_by_tiles, *args)
    of_channels = Geometry.of(one.shape, (1, 1), (1, 1), (1, 1), 64)
    problem = Convolution.of(x, one, x, of_channels)
    yield _case("depthwise, bias float16", by_channel, problem, x, one, x, bias=vector[:64])


def _exact(
    function: Callable[..., Any], types: tuple[Any, ...], geometry: Geometry, args: Sequence[Any]
) -> None:
    """Call a convolution where products of float32 may not be tf32."""
    before = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = False
    try:
        x, weight, y = types
        function(EXACT, Convolution.of(x, weight, y, geometry), *args)
    finally:
        torch.backends.cudnn.allow_tf32 = before


def _large(empty: Callable[..., Any]) -> Iterator[Case]:
    """Tensors of more than 2^31 elements."""
    x = empty(1 << 14, 64, 1, 64, 64, dtype=torch.float16)
    weight, one = (empty(64, n, 1, 3, 3, dtype=torch.float16) for n in (64, 1))
    geometry = Geometry.of(weight.shape, (1, 1), (1, 1), (1, 1), 1)
    tiles, problem = TILES[0], Convolution.of(x, weight, x, geometry)
    yield _case("convolution of 2^32 float16", by_tiles, tiles, problem, x, weight, x)
    args = (tiles, problem, x, x)
    yield _case("convolution to weight of 2^32 float16", by_tiles_to_weight, *args)
    by_one = Geometry.of(one.shape, (1, 1), (1, 1), (1, 1), 64)
    problem = Convolution.of(x, one, x, by_one)
    yield _case("depthwise of 2^32 float16", by_channel, problem, x, one, x)
    yield _case("depthwise to weight of 2^32 float16", by_channel_to_weight, problem, x, x)
    y = x[:, :, 0]
    pool: dict[str, Any] = {"kernel": (3, 3), "stride": (1, 1), "pad": (1, 1), "layout": None}
    pool |= {"global_pool": False, "pooling_convention": "valid"}
    seen: dict[str, Any] = {"cudnn_off": False, "p_value": None, "count_include_pad": True}
    for kind in ("max", "avg", "sum"):
        yield _case(
            f"pooling {kind} of 2^32 float16", call("pooling", y, pool_type=kind, **pool, **seen)
        )
        more: dict[str, Any] = {"pool_type": kind, "count_include_pad": True}
        back = "pooling_sum_backward"
        if kind == "max":
            more, back = {"zero_pad": False}, "pooling_max_backward"
        yield _case(f"{back} {kind} of 2^32 float16", call(back, y, y, **pool, **more))
    yield _case("exp of 2^32 float16", call("exp", y))
    yield _case("sum of 2^32 float16", call("sum", y, axis=(1,), keepdims=False, exclude=False))


def _updates(empty: Callable[..., Any]) -> Iterator[Case]:
    """Gradients that have a bound, weights without a velocity, and addresses that are odd."""
    rates: dict[str, Any] = {"lrs": [0.1], "wds": [0.01], "rescale_grad": 0.5}
    rates |= {"clip_gradient": 1.0, "num_weights": 1}
    betas: dict[str, Any] = {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    lamb: dict[str, Any] = {"learning_rates": [0.1], "wds": [0.01], "step_count": [3], **betas}
    lamb |= {"rescale_grad": 0.5, "clip_gradient": 1.0, "num_tensors": 1}
    lamb |= {"bias_correction": True, "lower_bound": 0.1, "upper_bound": 10.0}
    for title, x in (("", empty(4096)), (" of odd addresses", empty(4097)[1:])):
        for name, count, options in (
            ("multi_sgd_update", 2, rates),
            ("multi_sgd_mom_update", 3, {**rates, "momentum": 0.9}),
            ("multi_adam_update", 4, {**rates, **betas}),
            ("multi_lamb_update", 4, lamb),
        ):
            yield _case(f"{name} bounded{title}", call(name, *[x] * count, **options))
        yield _case(f"multi_sum_sq{title}", call("multi_sum_sq", x, num_arrays=1))
    narrow, wide = empty(4096, dtype=torch.float16), empty(4096)
    beside: dict[str, Any] = {**betas, "lrs": [0.1], "wds": [0.01], "etas": [1.0]}
    yield _case(
        "multi_mp_adamw_update",
        call(
            "multi_mp_adamw_update",
            *(narrow, narrow, wide, wide, wide, wide[:1]),
            **beside,
            clip_gradient=-1.0,
            num_weights=1,
        ),
    )
    double = [empty(4096, dtype=torch.float64) for _ in range(3)]
    sgd: dict[str, Any] = {"lr": 0.1, "wd": 0.0, "momentum": 0.9, "rescale_grad": 1.0}
    yield _case(
        "nag_mom_update float64", call("nag_mom_update", *double, clip_gradient=-1.0, **sgd)
    )


def _rest(empty: Callable[..., Any]) -> Iterator[Case]:
    x, seed = empty(4096, 768, dtype=torch.float16), empty(1, dtype=torch.int64)
    for mask_out, name in ((None, ""), (x, ", its mask kept")):
        yield _case(f"dropout by a stored seed{name} float16", dropped, x, 0.1, seed, x, mask_out)
        runs = (768, 1, 1, 1)
        mask = None if mask_out is None else x[0]
        args = (x, 0.1, seed, runs, x, mask)
        yield _case(f"dropout by columns by a stored seed{name} float16", dropped_along, *args)
    boxes = empty(8, 1000, 6)
    options: dict[str, Any] = {"overlap_thresh": 0.7, "valid_thresh": 0.0, "topk": -1}
    options |= {"coord_start": 2, "score_index": 1, "id_index": 0, "background_id": -1}
    options |= {"force_suppress": False, "in_format": "corner", "out_format": "corner"}
    yield _case("box_nms of classes float32", call("box_nms", boxes, **options))
    images, rois = empty(2, 49 * 8, 50, 50), empty(512, 5)
    align: dict[str, Any] = {"pooled_size": (7, 7), "spatial_scale": 1.0, "sample_ratio": -1}
    align |= {"position_sensitive": True, "aligned": False}
    yield _case("roi_align by place float32", call("roi_align", images, rois, **align))
    dy = empty(512, 8, 7, 7)
    yield _case(
        "roi_align_backward by place float32", call("roi_align_backward", dy, rois, images, **align)
    )
