"""Workloads of each of numpy's costs: short kernel calls near the sizes where algorithms change."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hy_kernels.numpy import table
from hy_kernels.numpy.nn.convolution import select
from hy_kernels.numpy.nn.convolution.select import Problem
from hy_ndarray import PointwiseGroup, PointwiseStep
from mxnet import nd

__all__ = ["FIELDS", "LEFT_OUT", "NEVER", "Workload"]

Call: TypeAlias = Callable[[], Any]
Workload: TypeAlias = Callable[[], Call]
"""Prepares a call, with weights as the costs of this moment want them."""

DRAW = np.random.default_rng(0)
LARGEST = 1 << 60  # no size reaches it
_CONVOLUTION: dict[str, Any] = {"dilate": (1, 1), "num_group": 1, "layout": None}


def _drawn(*shape: int) -> Any:
    return DRAW.random(shape, np.float32)


def _kernel(name: str) -> Callable[..., Any]:
    record = table().find(name)
    if record is None:
        raise LookupError(f"numpy's table has no kernel {name!r}")
    return record.function


def _operands(
    sizes: Sequence[int], stride: int = 1, groups: int = 1
) -> tuple[Any, Any, dict[str, Any]]:
    """Images, a weight and parameters, for ``(N, C, filters, side, kernel)``."""
    n, c, filters, side, kernel = sizes
    params = _CONVOLUTION | {"stride": (stride,) * 2, "pad": (kernel // 2,) * 2}
    weight = _drawn(filters, c // groups, kernel, kernel)
    return _drawn(n, c, side, side), weight, params | {"num_group": groups}


def _first(*sizes: int, stride: int = 1, groups: int = 1) -> Workload:
    """A convolution with the channels first."""

    def prepare() -> Call:
        data, weight, options = _operands(sizes, stride, groups)
        return partial(_kernel("convolution_project"), data, weight, **options)

    return prepare


def _single(*sizes: int) -> Workload:
    """That of one image, as a step of a graph computes it."""

    def prepare() -> Call:
        data, weight, options = _operands(sizes)
        more = {"kernel": weight.shape[2:], "num_filter": len(weight), "no_bias": True}
        types = [(x.shape, "float32") for x in (data, weight)]
        record = table().find("convolution")
        special = (
            None
            if record is None or record.specialize is None
            else record.specialize(types, options | more)
        )
        return partial(special or partial(_kernel("convolution_project"), **options), data, weight)

    return prepare


def _gradient(wanted: str, *sizes: int, stride: int = 1, groups: int = 1) -> Workload:
    """The gradient of a convolution by its data or its weight."""

    def prepare() -> Call:
        data, weight, options = _operands(sizes, stride, groups)
        dy = _kernel("convolution_project")(data, weight, **options)
        operands = (dy, weight, data) if wanted == "data" else (dy, data, weight)
        return partial(_kernel(f"convolution_backward_{wanted}"), *operands, **options)

    return prepare


def _added(rows: int, length: int) -> Workload:
    """The gradient of rows that are taken by index."""

    def prepare() -> Call:
        index = DRAW.integers(0, 1000, rows)
        operands = _drawn(rows, length), _drawn(1000, length), index
        return partial(_kernel("take_backward"), *operands, axis=0, mode="clip", sparse_grad=False)

    return prepare


def _nhwc(*sizes: int, stride: int = 1, groups: int = 1) -> Workload:
    """A prediction with the channels last, where that is selected."""

    def prepare() -> Call:
        data, weight, options = _operands(sizes, stride, groups)
        algorithm = select.nhwc(Problem.of(data.shape, weight.shape, options))
        if algorithm is None:
            return partial(_kernel("convolution_project"), data, weight, **options)
        method = "direct" if algorithm in ("im2col", "product") else algorithm
        prepared = _kernel("nhwc_weight")(weight, method=method)
        last = np.ascontiguousarray(data.transpose(0, 2, 3, 1))
        more = {"with_bias": False, "with_addend": False, "bounds": None}
        params = {key: options[key] for key in ("stride", "dilate", "pad")} | more
        function = _kernel("nhwc_convolution")
        return partial(function, last, prepared, kernel=weight.shape[2:], method=method, **params)

    return prepare


def _prepared(*sizes: int) -> Workload:
    """The preparation of a weight."""

    def prepare() -> Call:
        data, weight, options = _operands(sizes)
        algorithm = select.nhwc(Problem.of(data.shape, weight.shape, options))
        method = algorithm if algorithm in ("winograd2", "winograd4") else "direct"
        return partial(_kernel("nhwc_weight"), weight, method=method)

    return prepare


def _chwn(*sizes: int, stride: int = 1) -> Workload:
    """A convolution and its gradients with the batch last, where that is selected."""

    def prepare() -> Call:
        data, weight, options = _operands(sizes, stride)
        dy = _kernel("convolution_project")(data, weight, **options)
        if select.chwn_gain(Problem.of(data.shape, weight.shape, options)) == "never":
            project = partial(_kernel("convolution_project"), data, weight, **options)
            to_data = partial(_kernel("convolution_backward_data"), dy, weight, data, **options)
            to_weight = partial(_kernel("convolution_backward_weight"), dy, data, weight, **options)
            return lambda: (project(), to_data(), to_weight())
        x, g = (np.ascontiguousarray(each.transpose(1, 2, 3, 0)) for each in (data, dy))
        params = {key: options[key] for key in ("stride", "dilate", "pad")}
        forward = partial(_kernel("chwn_convolution"), x, weight, **params)
        back = partial(_kernel("chwn_convolution_backward"), g, x, weight, **params)
        return lambda: (forward(), back())

    return prepare


def _nd(function: Callable[..., Any], *shapes: tuple[int, ...], **params: Any) -> Workload:
    """A call of an operator on arrays of these shapes."""

    def prepare() -> Call:
        arrays = [nd.array(_drawn(*shape)) for shape in shapes]
        return partial(function, *arrays, **params)

    return prepare


_to_half = partial(nd.cast, dtype="float16")


def _boxes(count: int) -> Workload:
    def prepare() -> Call:
        data = _drawn(1, count, 6)
        data[..., 4:] = data[..., 2:4] + 0.05 * data[..., 4:]
        return partial(nd.contrib.box_nms, nd.array(data), overlap_thresh=0.5, topk=count)

    return prepare


def _pointwise(size: int) -> Workload:
    """Four fused steps."""

    def prepare() -> Call:
        steps = [
            PointwiseStep("broadcast_add", (0, 1), {}),
            PointwiseStep("mul_scalar", (2,), {"scalar": 2.0, "is_int": False}),
            PointwiseStep("broadcast_sub", (3, 1), {}),
            PointwiseStep("relu", (4,), {}),
        ]
        fused = table().fuse(PointwiseGroup(2, tuple(steps), (5,), ((size,), "float32")))
        return partial(fused.function, _drawn(size), _drawn(size))

    return prepare


def _step_product(rows: int, inner: int, columns: int) -> Workload:
    """A recurrent layer of sixteen steps."""
    function = partial(nd.RNN, state_size=columns, num_layers=1, mode="rnn_tanh")
    parameters = columns * (inner + columns + 2)
    return _nd(function, (16, rows, inner), (parameters,), (1, rows, columns))


_POOL: dict[str, Any] = {"kernel": (3, 3), "stride": (2, 2), "pool_type": "max"}
_DENSE: dict[str, Any] = {"num_hidden": 1024, "no_bias": True}
_NORM: dict[str, Any] = {"fix_gamma": False}
_ATTENTION: dict[str, Any] = {"heads": 8}
_TILED = (_first(1, 32, 32, 56, 3), _first(1, 64, 64, 28, 3), _first(8, 128, 128, 14, 3))
_LAST = (_nhwc(1, 64, 64, 56, 3), _nhwc(1, 128, 128, 28, 3), _nhwc(1, 256, 256, 14, 3))
_BACK = (_chwn(64, 6, 16, 12, 5), _chwn(64, 16, 16, 12, 3), _chwn(64, 3, 32, 32, 3))
_TRAINED = (_chwn(64, 32, 32, 16, 3), _chwn(64, 16, 32, 32, 3), _chwn(32, 64, 64, 8, 3))
_MERGED = (_first(64, 32, 32, 8, 3), _first(64, 32, 32, 16, 3), _first(32, 64, 64, 28, 3))
_POINTS = (_first(64, 64, 64, 6, 1), _first(64, 256, 256, 7, 1), _first(64, 128, 128, 10, 1))
_DEPTHWISE = (_first(8, 64, 64, 28, 3, groups=64), _first(8, 256, 256, 14, 3, groups=256))
_SUPPRESSED = (_boxes(300), _boxes(1000), _boxes(3000))
_MOVED = (_first(64, 1, 6, 28, 5), _first(64, 16, 16, 16, 3), _first(256, 1, 6, 28, 5))
_SMALL = (_single(1, 8, 16, 16, 3), _single(1, 32, 32, 14, 3), _single(1, 16, 16, 56, 3))


def _normalised(*shape: int) -> Workload:
    return _nd(partial(nd.BatchNorm, **_NORM), shape, *[(shape[1],)] * 4)


_CHANNELS = (
    _normalised(16, 32, 32, 32),
    _normalised(32, 64, 32, 32),
    _normalised(8, 64, 7, 7),
)
_THIN_PRODUCTS = tuple(
    _nd(partial(nd.FullyConnected, **_DENSE), (n, 1024), (1024, 1024)) for n in (8, 32, 64)
)
_SHORT_SIDE = tuple(
    _nd(nd.dot, *shapes)
    for shapes in (((32, 256), (256, 256)), ((256, 32), (32, 256)), ((64, 512), (512, 512)))
)

FIELDS: Mapping[str, tuple[Workload, ...]] = {
    "threads.product": tuple(
        _nd(partial(nd.FullyConnected, **_DENSE), (n, 1024), (1024, 1024)) for n in (24, 48, 96)
    ),
    "threads.decomposition": tuple(_nd(nd.linalg.inverse, (n, n)) for n in (300, 600)),
    "threads.attention": tuple(
        _nd(partial(nd.contrib.interleaved_matmul_selfatt_qk, **_ATTENTION), (n, 4, 3 * 8 * 64))
        for n in (32, 64, 128)
    ),
    "threads.pointwise": tuple(map(_pointwise, (3 << 20, 3 << 21))),
    "threads.update": tuple(_nd(nd.sgd_update, (n,), (n,), lr=0.1) for n in (3 << 19, 3 << 20)),
    "threads.rows": tuple(_nd(nd.softmax, (n, 256)) for n in (768, 1536, 3072)),
    "threads.channels": _CHANNELS,
    "threads.pool": tuple(_nd(partial(nd.Pooling, **_POOL), (n, 32, 56, 56)) for n in (2, 4, 8)),
    "threads.convolution": (_first(4, 16, 16, 28, 3), _first(4, 32, 32, 28, 3)),
    "threads.points": (_first(1, 64, 64, 28, 1), _first(1, 256, 64, 28, 1)),
    "threads.groups": (_first(1, 32, 32, 28, 3, groups=4), _first(1, 64, 64, 56, 3, groups=8)),
    "threads.nhwc": (_nhwc(1, 64, 64, 28, 1), _nhwc(1, 128, 128, 28, 1)),
    "threads.depthwise": (
        _first(1, 512, 512, 14, 3, groups=512),
        _first(1, 256, 256, 28, 3, groups=256),
    ),
    "threads.nhwc_depthwise": (_nhwc(1, 64, 64, 56, 3, groups=64),),
    "threads.nhwc_winograd2": (_nhwc(1, 256, 256, 14, 3), _nhwc(1, 512, 512, 7, 3)),
    "threads.nhwc_winograd4": _LAST,
    "threads.batch_last": (_first(64, 6, 16, 12, 5), _first(64, 20, 50, 12, 5)),
    "threads.chwn": _TRAINED,
    "threads.winograd_weight": (_prepared(1, 128, 128, 56, 3), _prepared(1, 256, 256, 28, 3)),
    "threads.panels": (_prepared(1, 256, 256, 28, 1), _prepared(1, 512, 512, 14, 1)),
    "blocks.pointwise": (_pointwise(1 << 20),),
    "blocks.update": (_nd(nd.sgd_mom_update, *[(1 << 21,)] * 3, lr=0.1, momentum=0.9),),
    "blocks.rows": (_nd(nd.softmax, (8192, 256)), _nd(nd.log_softmax, (512, 4096))),
    "blocks.channels": _CHANNELS,
    "blocks.halves": (_nd(_to_half, (1 << 20,)),),
    "blocks.special": (_nd(nd.erf, (1 << 20,)), _nd(nd.gammaln, (1 << 18,))),
    "blocks.pool": (_nd(partial(nd.Pooling, **_POOL), (16, 64, 56, 56)),),
    "blocks.recurrent": (_step_product(32, 128, 128), _step_product(64, 512, 512)),
    "blocks.columns": (
        *_MERGED,
        _first(1, 64, 16, 112, 3),
        _first(1, 16, 8, 224, 3),
        _first(8, 3, 64, 224, 7, stride=2),
    ),
    "blocks.tiled_images": _TILED,
    "blocks.winograd": (*_TILED, *_LAST),
    "blocks.depthwise": (_first(8, 32, 32, 56, 3, groups=32),),
    "blocks.depthwise_via_nhwc": _DEPTHWISE,
    "blocks.lines_apart": _DEPTHWISE,
    "blocks.nhwc_columns": (_nhwc(1, 64, 128, 56, 3, stride=2), _nhwc(8, 64, 128, 56, 3, stride=2)),
    "blocks.nhwc_images": (_nhwc(16, 64, 64, 28, 3), _nhwc(16, 64, 64, 28, 1)),
    "blocks.chwn_columns": (_chwn(64, 64, 128, 16, 1),),
    "blocks.chwn_rows": (_chwn(64, 16, 16, 32, 3), _chwn(64, 3, 32, 32, 5)),
    "blocks.chwn_tiles": (_chwn(64, 32, 32, 16, 3), _chwn(64, 64, 64, 16, 3)),
    "memory.aligned": (_nd(nd.relu, (128, 128)), _nd(nd.relu, (64, 64))),
    "memory.copied": tuple(_nd(nd.transpose, (n, 64), axes=(1, 0)) for n in (48, 96)),
    "memory.halves": tuple(_nd(_to_half, (n,)) for n in (6 << 10, 6 << 11)),
    "memory.workspace": _MERGED,
    "memory.update": tuple(_nd(nd.sgd_update, (n,), (n,), lr=0.1) for n in (3 << 10, 3 << 11)),
    "blocks.attention": tuple(
        _nd(nd.contrib.scaled_dot_product_attention, *[(4, 8, n, 64)] * 3) for n in (128, 512)
    ),
    "memory.ones": (_nd(nd.sum, (16, 3 << 13), axis=1), _nd(nd.sum, (16, 3 << 14), axis=1)),
    "memory.selected": tuple(_nd(nd.where, *[(n,)] * 3) for n in (6 << 10, 6 << 11)),
    "memory.zeros": tuple(_nd(nd.relu, (n,)) for n in (768, 1536)),
    "memory.labels": (_nd(nd.softmax_cross_entropy, (6144, 8), (6144,)),),
    "rows.transposed_max": tuple(_nd(nd.softmax, (4096, n)) for n in (32, 40, 64)),
    "rows.listed": tuple(_nd(nd.softmax, (n, 16)) for n in (48, 96)),
    "rows.run": _CHANNELS,
    "rows.spread": (_normalised(16, 64, 19, 19), _normalised(16, 64, 26, 26)),
    "rows.spread_channels": (_normalised(16, 48, 7, 7), _normalised(16, 96, 7, 7)),
    "rows.spread_images": (_normalised(6, 256, 7, 7), _normalised(12, 256, 7, 7)),
    "rows.colliding": tuple(_nd(nd.transpose, (n, 4096), axes=(1, 0)) for n in (12, 24)),
    "rows.distance": tuple(_nd(nd.transpose, (64, n), axes=(1, 0)) for n in (384, 640)),
    "rows.transposed": tuple(_nd(nd.transpose, (n, 256), axes=(1, 0)) for n in (24, 48)),
    "rows.apart": (_nd(nd.transpose, (512, 512), axes=(1, 0)),),
    "rows.short_run": tuple(_nd(nd.transpose, (256, 64, n), axes=(1, 0, 2)) for n in (6, 12)),
    "rows.passes": tuple(_nd(nd.topk, (64, 4096), k=k, axis=1) for k in (12, 24)),
    "rows.partition": tuple(_nd(nd.topk, (64, 4096), k=k, axis=1) for k in (300, 700)),
    "rows.product": tuple(_nd(nd.sum, (32, n), axis=0) for n in (64, 512)),
    "rows.summed": tuple(_nd(nd.sum, (n, 64), axis=1) for n in (192, 384)),
    "rows.columns": tuple(_nd(nd.sum, (64, n), axis=0) for n in (96, 192)),
    "rows.parts": tuple(_nd(nd.sum, (1, n), axis=1) for n in (3 << 13, 3 << 15)),
    "rows.extremes": tuple(_nd(nd.max, (n, 256), axis=1) for n in (48, 96)),
    "rows.longest_extreme": tuple(_nd(nd.max, (96, n), axis=1) for n in (1536, 3072)),
    "rows.added": tuple(_added(2048, n) for n in (12, 24)),
    "rows.multiplied": tuple(_nd(nd.prod, (n, 128), axis=1) for n in (96, 192)),
    "rows.each": tuple(_nd(nd.sum, (n, 16), axis=1) for n in (192, 768)),
    "rows.keyed": tuple(_nd(nd.argsort, (n,)) for n in (1 << 10, 1 << 12)),
    "rows.sparse_symbols": (_nd(nd.CTCLoss, (32, 8, 100), (8, 8)),),
    "boxes.best_first": _SUPPRESSED,
    "boxes.pairs": _SUPPRESSED,
    "boxes.near": _SUPPRESSED,
    "boxes.compared": _SUPPRESSED,
    "boxes.rows": _SUPPRESSED,
    "boxes.dense": _SUPPRESSED,
    "boxes.rare": _SUPPRESSED,
    "products.panel": _THIN_PRODUCTS,
    "products.thin_rows": _THIN_PRODUCTS,
    "products.copied": tuple(
        _nd(partial(nd.FullyConnected, num_hidden=n, no_bias=True), (32, n), (n, n))
        for n in (96, 128, 192)
    ),
    "products.wide_panel": _SHORT_SIDE,
    "products.thin": _SHORT_SIDE,
    "products.step_narrow": (_step_product(16, 256, 512), _step_product(64, 512, 512)),
    "products.copied_panel_columns": _LAST,
    "products.panel_columns": _LAST,
    "products.min_panel_columns": _LAST,
    "products.rows": _LAST,
    "products.odd": _LAST,
    "products.apart": (_prepared(1, 256, 256, 28, 1), _prepared(1, 512, 512, 14, 1)),
    "products.columns": tuple(_first(4, 64, 64, side, 3) for side in (6, 7, 8)),
    "products.min_columns": tuple(_first(4, 64, 64, side, 3) for side in (3, 4, 5)),
    "products.filters": (_first(4, 64, 8, 14, 3), _first(4, 64, 12, 14, 3)),
    "products.filters_once": (_first(4, 64, 24, 7, 3), _first(4, 64, 40, 7, 3)),
    "products.max_filters": (_first(4, 64, 48, 7, 3), _first(4, 64, 96, 7, 3)),
    "products.layers": (_first(4, 512, 512, 7, 3), _first(4, 256, 512, 7, 3)),
    "products.longest": (_nhwc(1, 512, 512, 14, 3, stride=2), _nhwc(1, 2048, 512, 7, 1)),
    "products.column_order_ratio": (_nhwc(1, 512, 512, 14, 3, stride=2), _nhwc(1, 2048, 512, 7, 1)),
    "convolution.merged": _MERGED,
    "convolution.merged_points": _POINTS,
    "convolution.merged_weight": _POINTS,
    "convolution.merged_short": _MERGED,
    "convolution.merged_images": tuple(_first(n, 16, 32, 28, 4, stride=2) for n in (2, 12, 24)),
    "convolution.merged_row": _MERGED,
    "convolution.single": _SMALL,
    "convolution.single_columns": _SMALL,
    "convolution.single_filters": _SMALL,
    "convolution.tiled_channels": (_first(4, 16, 16, 56, 3), *_TILED),
    "convolution.tiled_load": _TILED,
    "convolution.tiled_move": _TILED,
    "convolution.tiled_copy": _TILED,
    "convolution.depthwise_via_nhwc": (*_DEPTHWISE, _first(8, 32, 32, 40, 3, groups=32)),
    "convolution.depthwise_via_nhwc_weight": tuple(
        _gradient("weight", 8, 64, 64, side, 3, groups=64) for side in (12, 14, 20)
    ),
    "convolution.depthwise_apart": (_gradient("data", 8, 64, 64, 14, 3, stride=3, groups=64),),
    "convolution.batch_last": _MOVED,
    "convolution.batch_last_elements": _MOVED,
    "convolution.scatter": (
        _gradient("data", 4, 32, 16, 28, 3, stride=2),
        _gradient("data", 8, 64, 32, 56, 3, stride=2),
    ),
    "convolution.plane": tuple(
        _nd(
            nd.Convolution,
            (4, 8, 8, n, n),
            (16, 8, 3, 3, 3),
            kernel=(3, 3, 3),
            num_filter=16,
            no_bias=True,
        )
        for n in (7, 12)
    ),
    "convolution.transposed_filters": (
        _gradient("weight", 64, 20, 50, 12, 5),
        _gradient("weight", 16, 64, 128, 14, 5),
    ),
    "convolution.block_windows": (
        _gradient("data", 1, 256, 512, 7, 3),
        _gradient("data", 1, 512, 512, 4, 3),
    ),
    "convolution.back_weight": (
        _gradient("data", 1, 128, 256, 4, 3),
        _gradient("data", 1, 64, 64, 4, 3),
    ),
    "nhwc.run": (_nhwc(1, 8, 32, 28, 3), _nhwc(1, 16, 32, 28, 3), _nhwc(1, 32, 32, 28, 3)),
    "nhwc.short_run": (_nhwc(1, 3, 64, 112, 3, stride=2), _nhwc(1, 2, 32, 56, 3)),
    "nhwc.many": (_nhwc(1, 8, 32, 28, 3), _nhwc(1, 8, 32, 40, 3)),
    "nhwc.channels": (_nhwc(1, 8, 16, 40, 3), _nhwc(1, 16, 16, 40, 3)),
    "nhwc.load": _LAST,
    "nhwc.copy": _LAST,
    "nhwc.transform": _LAST,
    "nhwc.void_run": (_nhwc(1, 3, 64, 224, 7, stride=2), _nhwc(1, 32, 64, 28, 3, stride=2)),
    "nhwc.column": (_nhwc(1, 512, 512, 7, 1), _nhwc(1, 256, 512, 14, 3, stride=2)),
    "nhwc.tile": (_nhwc(1, 256, 256, 14, 3), _nhwc(1, 512, 512, 7, 3)),
    "nhwc.depthwise_run": tuple(_nhwc(1, n, n, 28, 3, stride=2, groups=n) for n in (256, 384, 512)),
    "chwn.batch": (_chwn(8, 16, 16, 32, 3), _chwn(16, 16, 16, 32, 3), _chwn(32, 16, 16, 32, 3)),
    "chwn.tiled_channels": (_chwn(64, 16, 16, 16, 3), *_TRAINED),
    "chwn.tiled_load": _TRAINED,
    "chwn.tiled_move": _TRAINED,
    "chwn.tiled_copy": _TRAINED,
    "chwn.rows_moved": (_chwn(16, 128, 128, 4, 3), _chwn(16, 256, 256, 4, 3)),
    "chwn.rows_summed": _TRAINED,
    "chwn.rows_transposed": (_chwn(64, 3, 64, 32, 3), _chwn(64, 16, 16, 32, 3)),
    "chwn.columns_filters": (_chwn(64, 64, 96, 16, 1), _chwn(64, 64, 192, 16, 1)),
    "chwn.filters_shared": (_chwn(16, 128, 128, 4, 3), _chwn(32, 64, 64, 8, 3)),
    "chwn.back_rows": _BACK,
    "chwn.back_added": _BACK,
    "chwn.back_windows": (_chwn(16, 128, 256, 4, 3), _chwn(16, 256, 256, 2, 3)),
    "chwn.min_columns": _TRAINED,
    "chwn.max_rows": _TRAINED,
    "chwn.max_columns": _TRAINED,
    "chwn.pages": _TRAINED,
}
"""The calls that each number decides, by its name."""

LEFT_OUT: Mapping[str, str] = {
    **dict.fromkeys(
        ("pace.loss", "pace.window", "pace.gain", "pace.shortest", "pace.longest"),
        "of busy machines: hatch run bench --busy 2",
    ),
    "threads.dense": "read when the table is loaded",
    "rows.buffered": "read when the table is loaded",
    "blocks.replay": "of whole nets with static memory: hatch run bench",
    "memory.dense_zeros": "of whole nets with static memory: hatch run bench",
    "boxes.cells": "of the width of an integer",
    **dict.fromkeys(
        ("chwn.moved", "chwn.channels", "chwn.filters"),
        "of whole nets in training: hatch run bench",
    ),
}
"""What no short call decides, and why."""

NEVER: Mapping[str, float] = {
    **{name: LARGEST for name in FIELDS if name.startswith("threads.")},
    "threads.points": 0,
    "threads.groups": 0,
    "threads.depthwise": 0,
    **dict.fromkeys(
        ("threads.nhwc_depthwise", "threads.nhwc_winograd2", "threads.nhwc_winograd4"), 0
    ),
    "memory.aligned": LARGEST,
    "memory.copied": 0,
    "memory.ones": 0,
    "memory.halves": LARGEST,
    "memory.selected": LARGEST,
    "memory.zeros": 0,
    "memory.labels": 0,
    "rows.spread": 0,
    "rows.transposed_max": 0,
    "rows.listed": 0,
    "rows.run": 0,
    "rows.columns": LARGEST,
    "rows.parts": LARGEST,
    "rows.extremes": LARGEST,
    "rows.longest_extreme": 0,
    "rows.added": 0,
    "rows.short_run": 0,
    "rows.passes": 0,
    "rows.partition": LARGEST,
    "rows.multiplied": LARGEST,
    "rows.sparse_symbols": LARGEST,
    "boxes.best_first": LARGEST,
    "boxes.pairs": LARGEST,
    "boxes.dense": LARGEST,
    "products.thin_rows": 0,
    "products.copied": LARGEST,
    "products.thin": 0,
    "convolution.merged": 0,
    "convolution.merged_points": 0,
    "convolution.merged_short": 0,
    "convolution.single": 0,
    "convolution.single_filters": 0,
    "convolution.tiled_channels": LARGEST,
    "convolution.depthwise_via_nhwc": 0,
    "convolution.depthwise_via_nhwc_weight": 0,
    "convolution.depthwise_apart": 0,
    "convolution.batch_last": LARGEST,
    "convolution.scatter": 0,
    "convolution.transposed_filters": 0,
    "convolution.block_windows": 0,
    "nhwc.run": LARGEST,
    "nhwc.short_run": LARGEST,
    "nhwc.channels": LARGEST,
    "nhwc.transform": LARGEST,
    "nhwc.void_run": 0,
    "nhwc.depthwise_run": 0,
    "chwn.batch": LARGEST,
    "chwn.tiled_channels": LARGEST,
    "chwn.rows_moved": LARGEST,
    "chwn.columns_filters": LARGEST,
    "chwn.filters_shared": 0,
}
"""Values with which a special path is never taken."""
